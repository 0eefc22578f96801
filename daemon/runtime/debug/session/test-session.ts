// Runs a debug session in the thread of a test: a generator asks commands and gets their answers.
import type { SessionAnswers, SessionCommand } from "../../../protocol/debug-session-api.ts";
import type { SandboxError } from "../../../protocol/errors.ts";
import { watchedEngine } from "../../engine/test-engine.ts";
import type { Watcher } from "../../engine/watcher.ts";
import type { ShelvedSource } from "../debug-messages.ts";
import { Originals } from "../originals.ts";
import type { RecordedRuntime } from "../test-recorded.ts";
import { DebugSession } from "./debug-session.ts";
import { RewindableLedger } from "./rewindable-ledger.ts";

/** Asks one command. */
export type Ask = <Name extends SessionCommand["command"]>(
  command: Extract<SessionCommand, { command: Name }>,
) => Generator<SessionCommand, SessionAnswers[Name] & { code?: string }, unknown>;

class ScriptEnded extends Error {}

/** @returns the summary of the operation */
export async function inSession(
  runtime: RecordedRuntime,
  hash: string,
  script: (ask: Ask) => Generator<SessionCommand, void, unknown>,
  sources: ReadonlyMap<string, ShelvedSource> = new Map(),
): Promise<ReturnType<DebugSession["summary"]>> {
  let watcher: Watcher | undefined;
  const engine = await watchedEngine({
    bytecode: (vm, pc) => watcher?.bytecode(vm, pc),
    thrown: (vm, value) => watcher?.thrown(vm, value),
    evaluating: (vm, gas) => watcher?.evaluating(vm, gas),
    evaluated: (vm, gas) => watcher?.evaluated(vm, gas),
  });
  const ledger = new RewindableLedger();
  for (const write of runtime.before(hash)!.writes()) ledger.apply(write);
  ledger.fix();
  const { run } = runtime.store.journal.find(hash)!;
  const first = runtime.outcomes.get(hash)!;
  let answer: unknown;
  let failure: unknown;
  const steps = script(function* (command) {
    return (yield command) as never;
  });
  const session = new DebugSession(
    {
      ...runtime.replaySettings,
      ledger,
      engine,
      originals: new Originals(sources, (address) => ledger.code(address)),
      wanted: { run: run!, receipt: first.receipt, trace: first.trace ?? undefined },
      receive() {
        if (failure !== undefined) throw new ScriptEnded();
        try {
          const { done, value } = steps.next(answer);
          if (done === true) throw new ScriptEnded();
          return {
            command: value,
            answer: (given) => (answer = given),
            fail: (error: SandboxError) => (answer = { code: error.code }),
          };
        } catch (error) {
          failure ??= error;
          throw error;
        }
      },
      isPauseWanted: () => false,
    },
    (each) => (watcher = each),
  );
  try {
    session.serve();
  } catch {
    if (!(failure instanceof ScriptEnded)) throw failure as Error;
  }
  return session.summary();
}
