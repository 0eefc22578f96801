// The operation of a session, run once to be recorded: its events, what it threw, and what it changed.
import type { OpenedSession } from "../../../protocol/debug-session-api.ts";
import { SandboxError } from "../../../protocol/errors.ts";
import type { WantedRun } from "../debug-messages.ts";
import type { Originals } from "../originals.ts";
import { Recorder } from "../recorder.ts";
import { type Recording, totalGas } from "../recording.ts";
import { isSameEnd } from "../same-end.ts";
import { beginsStatement } from "../statements.ts";
import { callOf } from "./frames.ts";
import type { OperationRuns } from "./operation-runs.ts";
import type { StateChange } from "./state-watch.ts";
import { Steps } from "./steps.ts";
import { Throws } from "./throws.ts";

export interface RecordedOperation {
  readonly recording: Recording;
  readonly throws: Throws;
  readonly changes: readonly StateChange[];
  readonly steps: Steps;
  /** False when only the beginning of a long operation is recorded. */
  readonly isWhole: boolean;
  readonly moments: number;
  readonly failure: string | null;
}

/** @throws SandboxError REPLAY_IMPOSSIBLE, REPLAY_DIFFERS */
export function recordOperation(
  runs: OperationRuns,
  { originals, wanted }: { readonly originals: Originals; readonly wanted: WantedRun },
): RecordedOperation {
  const { hash } = wanted.run.job;
  const throws = new Throws(originals.original);
  const recorder: Recorder = new Recorder(originals.original, {
    isStatement: ({ source, line, column }) => beginsStatement(originals.text(source, line) ?? "", column),
    events: {
      thrown: (event, heap, bits) => {
        const recording = recorder.recording();
        const place = recording.places[recording.events.place[event]!]!;
        throws.add(event, callOf(recording, event), heap, bits, place);
      },
      failed: (_event, call, bits) => throws.failed(call, bits),
      line: (event) => state.line(event),
      undone: (event) => {
        throws.undone(event);
        state.undone(event);
      },
    },
  });
  const state = runs.watchOf(recorder);
  const outcome = runs.run(recorder, state);
  if (outcome === undefined) {
    const reason = "the record of the answers that it got from outside is not complete";
    throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason });
  }
  if (!isSameEnd(outcome, wanted.receipt, wanted.trace)) throw new SandboxError("REPLAY_DIFFERS", { hash });
  const recording = recorder.recording();
  return {
    recording,
    steps: new Steps(recording),
    throws,
    changes: state.changes,
    isWhole: !recorder.isFull,
    moments: recorder.moment,
    failure: outcome.failure,
  };
}

/** What the operation did. */
export function summaryOf(
  { recording, steps, throws, isWhole, moments, failure }: RecordedOperation,
  { run: { job } }: WantedRun,
): Omit<OpenedSession, "session"> {
  const isRun = job.kind === "operation" && job.content._type === "RunFunction";
  const request = isRun ? `${job.content.method} ${job.content.uri}` : job.kind;
  return {
    hash: job.hash,
    title: request,
    gas: totalGas(recording),
    events: recording.events.length,
    moments,
    steps: steps.count,
    isWhole,
    failure: failure ?? throws.fatal?.text ?? null,
    sources: sourceNamesOf(recording),
  };
}

/** Sources of the functions that ran. */
export function sourceNamesOf({ places }: Recording): string[] {
  return [...new Set(places.map(({ source }) => source))].filter((source) => source !== "");
}
