// Runs a recorded operation again on the ledger as it was before it. What it met besides job and ledger comes from its
// record, so it ends as the first time: same receipt, writes, logs, messages and gas.
import { adaptEngine } from "../call/engine-adapter.ts";
import type { GuestEngine } from "../call/guest.ts";
import { type Engine, FIXED_NOW } from "../engine/engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Circumstances } from "../operations/circumstances.ts";
import { Executor, type ExecutorSettings } from "../operations/executor.ts";
import { type ExecutorOutput, newCells, type Outcome } from "../operations/jobs.ts";
import type { RecordedRun } from "../store/journal.ts";

/** How operations run in the sandbox that recorded them. */
export interface ReplaySettings {
  readonly settings: ExecutorSettings;
  readonly realTime: boolean;
}

export interface Replaying extends ReplaySettings {
  readonly engine: Engine;
  /** Stands between the executor and the guests, to see what they do. */
  readonly observe?: (guests: GuestEngine) => GuestEngine;
}

const FIRST_REQUEST = 1;

/**
 * @param ledger as it was before the operation; it has the operation's changes afterwards
 * @returns undefined when the operation did not come to its end, which only an incomplete record explains
 */
export function replay(ledger: Ledger, run: RecordedRun, replaying: Replaying): Outcome | undefined {
  const { job, circumstances: met } = run;
  const { engine, realTime, settings, observe = (guests) => guests } = replaying;
  const times = [...(met?.times ?? [])];
  const guests = adaptEngine(engine, { realTime, clock: () => times.shift() ?? run.now ?? FIXED_NOW });
  let outcome: Outcome | undefined;
  const take = (output: ExecutorOutput): void => {
    if (output.kind === "finished") outcome = output.outcome;
  };
  const maxUntaken = met?.outboxFull === true ? 0 : Number.MAX_SAFE_INTEGER;
  const executor = new Executor(
    observe(met === undefined ? guests : asThen(guests, met)),
    { ...settings, maxUntaken },
    take,
    FIRST_REQUEST,
    newCells(),
    ledger,
  );
  const again = met?.nonceTaken === true && job.kind === "operation" ? { ...job, nonceTaken: true } : job;
  executor.accept({ kind: "jobs", round: 0, jobs: [again] });
  for (const { request, response } of met?.answers ?? []) {
    if (outcome !== undefined) break;
    executor.accept({ kind: "oracle", requestId: FIRST_REQUEST + request, response });
  }
  return outcome;
}

/** The engine with the room that it had. */
function asThen(guests: GuestEngine, met: Circumstances): GuestEngine {
  const waits = [...met.waits];
  let opened = 0;
  return {
    check: (code, specifier, gas) => guests.check(code, specifier, gas),
    // The executor decides by it whether the operation may wait.
    liveBytes: () => (waits.shift() === false ? Infinity : 0),
    open: (program) => (met.roomless.includes(opened++) ? undefined : guests.open(program)),
  };
}
