// Entry of the debugger's thread: takes a ledger and the changes that lead back in time, replays what is wanted, and
// answers with what became of it. One thread for each task: it ends with its answer, or is ended.
import { parentPort, workerData } from "node:worker_threads";
import { isError, reasonOf, SandboxError } from "../../protocol/errors.ts";
import { isSmartFunctionAddress } from "../../protocol/runtime-address.ts";
import { adaptEngine } from "../call/engine-adapter.ts";
import { operationGas } from "../call/operation-gas.ts";
import { type Engine, loadEngine } from "../engine/engine.ts";
import type { Watcher } from "../engine/watcher.ts";
import { Ledger } from "../ledger/ledger.ts";
import type { ThreadCoverage } from "./coverable-operations.ts";
import { CoverageCount } from "./coverage.ts";
import type { DebugThreadInput, FromDebugger, ToDebugger, WantedRun } from "./debug-messages.ts";
import { lineReport } from "./line-report.ts";
import { lookAtCode } from "./look-at-code.ts";
import { Originals } from "./originals.ts";
import { profileReport, type Recorded } from "./profile-report.ts";
import { Recorder } from "./recorder.ts";
import { replay } from "./replay.ts";
import { isSameEnd } from "./same-end.ts";

const { directory, task, sources, settings, realTime } = workerData as DebugThreadInput;
const port = parentPort!;

let ledger = new Ledger();
const originals = new Originals(sources, (address) => ledger.code(address));
const reports: unknown[] = [];
const coverage = new CoverageCount(originals);
let operations = 0;
let skipped = 0;
let isLookedAt = false;
let recorder = new Recorder(originals.original);

/** The engine is loaded once; the recorder changes with each replay. */
const watcher: Watcher = {
  bytecode: (vm, pc) => recorder.bytecode(vm, pc),
  thrown: (vm, value) => recorder.thrown(vm, value),
  evaluating: (vm, gas) => recorder.evaluating(vm, gas),
  evaluated: (vm, gas) => recorder.evaluated(vm, gas),
};

/** Functions that no operation calls are part of the whole too. @param engine with the ledger of now */
function lookAtAll(engine: Engine): void {
  if (task !== "coverage" || isLookedAt) return;
  isLookedAt = true;
  for (const address of sources.keys()) {
    const code = ledger.code(address);
    if (code === undefined || !isSmartFunctionAddress(address)) continue;
    recorder = new Recorder(originals.original);
    engine.forgetImages();
    lookAtCode(recorder, adaptEngine(engine, { realTime }), {
      address,
      code,
      gas: operationGas(settings.gasCeiling),
    });
    coverage.add(recorder.recording(), false);
  }
}

const say = (message: FromDebugger): void => port.postMessage(message);

function perform(wanted: WantedRun, engine: Engine): void {
  if (task !== "coverage") {
    const made = record(wanted, engine);
    reports.push(task === "profile" ? profileReport(made, originals) : lineReport(made, originals));
    return;
  }
  engine.forgetImages(); // so that each operation counts the top levels of its functions
  try {
    coverage.add(record(wanted, engine).recording, true);
    operations++;
  } catch (error) {
    if (!isError(error, "REPLAY_IMPOSSIBLE") && !isError(error, "REPLAY_DIFFERS")) throw error;
    skipped++;
  }
}

function record({ run, receipt, trace }: WantedRun, engine: Engine): Recorded {
  const { hash } = run.job;
  recorder = new Recorder(originals.original);
  const own = recorder;
  const outcome = replay(ledger, run, {
    engine,
    settings,
    realTime,
    observe: (guests) => own.observe(guests),
  });
  if (outcome === undefined) {
    const reason = "the record of the answers that it got from outside is not complete";
    throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason });
  }
  if (!isSameEnd(outcome, receipt, trace)) throw new SandboxError("REPLAY_DIFFERS", { hash });
  return { hash, recording: own.recording(), isWhole: !own.isFull };
}

function take(message: ToDebugger, engine: Engine): void {
  switch (message.kind) {
    case "seed":
      for (const write of message.writes) ledger.apply(write);
      return;
    case "again":
      ledger = new Ledger();
      return;
    case "back":
      lookAtAll(engine);
      for (const { undo, wanted } of message.steps) {
        ledger.amend(undo);
        if (wanted === undefined) continue;
        perform(wanted, engine);
        ledger.amend(undo);
      }
      return;
    case "end":
      say({ kind: "answer", json: JSON.stringify(task === "coverage" ? threadCoverage() : reports[0]) });
  }
}

function threadCoverage(): ThreadCoverage {
  return { operations, skipped, sources: coverage.sources() };
}

const loading = loadEngine({ directory, watcher }).then((engine) =>
  settings.strict ? engine.strict() : engine,
);
let last: Promise<void> = Promise.resolve();
port.on("message", (message: ToDebugger) => {
  last = last
    .then(async () => take(message, await loading))
    .catch((error: unknown) => {
      const shown =
        error instanceof SandboxError ? error : new SandboxError("INTERNAL", { reason: reasonOf(error) });
      say({ kind: "failed", body: JSON.stringify(shown.toBody()) });
    });
});
