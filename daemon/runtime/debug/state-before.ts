// Sends a thread what leads to the state before an operation: the present ledger, piece by piece while operations go
// on, then all changes since that operation, which are undone there. A piece that is older or newer than another does no
// harm: whatever changed in between is among those changes, and the oldest value of a key wins.
import { setImmediate as turn } from "node:timers/promises";
import { SandboxError } from "../../protocol/errors.ts";
import type { LedgerWrite } from "../ledger/ledger.ts";
import type { CommittedStore } from "../store/committed-store.ts";
import type { JournalEntry, RecordedRun } from "../store/journal.ts";
import type { ToDebugger, WantedRun } from "./debug-messages.ts";

/** Limits of a message: gathering one delays all that the thread answers meanwhile. */
const MAX_WRITES = 1_000;
const MAX_CHARACTERS = 512 * 1024;
const MAX_STEPS = 500;
/** Restored snapshots that are put up with. */
const ATTEMPTS = 3;

/**
 * @param oldest the entry of the earliest wanted operation
 * @throws SandboxError REPLAY_IMPOSSIBLE when the journal loses it meanwhile; SANDBOX_BUSY
 */
export async function sendStateBefore(
  { journal, ledger, receipts, traces }: CommittedStore,
  oldest: JournalEntry,
  wanted: ReadonlySet<string>,
  send: (message: ToDebugger) => void,
): Promise<void> {
  const hash = oldest.run?.job.hash ?? "";
  for (let attempt = 0; !(await sendPresent()); attempt++) {
    if (journal.find(hash) !== oldest || attempt === ATTEMPTS)
      throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason: "a snapshot was restored meanwhile" });
    send({ kind: "again" });
  }
  const entries = journal.since(oldest.number);
  if (entries === undefined)
    throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason: "its record was dropped meanwhile" });
  const steps = entries.map(({ undo, run }) => ({ undo, wanted: run && wantedOf(run) }));
  for (let at = 0; at < steps.length; at += MAX_STEPS) {
    send({ kind: "back", steps: steps.slice(at, at + MAX_STEPS) });
    await turn();
  }

  /** @returns false when a snapshot was restored meanwhile */
  function sendPresent(): Promise<boolean> {
    const { epoch } = journal;
    return sendLedger({ ledger }, send, () => journal.epoch === epoch);
  }

  function wantedOf(run: NonNullable<JournalEntry["run"]>): WantedRun | undefined {
    if (!wanted.has(run.job.hash)) return undefined;
    const receipt = receipts.get(run.job.hash)?.json;
    return { run, receipt, trace: traces.get(run.job.hash)?.trace ?? undefined };
  }
}

/**
 * Sends the present state with an operation that has not run, which a gate holds: nothing changes meanwhile.
 * @param isHeld whether it is still so
 * @throws SandboxError REPLAY_IMPOSSIBLE when the operation went on meanwhile
 */
export async function sendStateOf(
  store: CommittedStore,
  run: RecordedRun,
  isHeld: () => boolean,
  send: (message: ToDebugger) => void,
): Promise<void> {
  if (!(await sendLedger(store, send, isHeld)) || !isHeld())
    throw new SandboxError("REPLAY_IMPOSSIBLE", { hash: run.job.hash, reason: "it went on meanwhile" });
  const wanted = { run, receipt: undefined, trace: undefined };
  send({ kind: "back", steps: [{ undo: { writes: [], removed: [] }, wanted }] });
}

/** @param isSame whether the pieces still belong to one state @returns false when they do not */
async function sendLedger(
  { ledger }: Pick<CommittedStore, "ledger">,
  send: (message: ToDebugger) => void,
  isSame: () => boolean,
): Promise<boolean> {
  let writes: LedgerWrite[] = [];
  let characters = 0;
  for (const write of ledger.writes()) {
    writes.push(write);
    characters += write[2].length + (write[3]?.length ?? 0);
    if (writes.length < MAX_WRITES && characters < MAX_CHARACTERS) continue;
    send({ kind: "seed", writes });
    writes = [];
    characters = 0;
    await turn();
    if (!isSame()) return false;
  }
  send({ kind: "seed", writes });
  return true;
}
