// Runs of the operation of a session: each begins on the ledger as it was before the operation.
import type { GuestEngine } from "../../call/guest.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Watcher } from "../../engine/watcher.ts";
import type { Outcome } from "../../operations/jobs.ts";
import type { WantedRun } from "../debug-messages.ts";
import type { Recorder } from "../recorder.ts";
import { replay, type ReplaySettings } from "../replay.ts";
import type { RewindableLedger } from "./rewindable-ledger.ts";
import { StateWatch } from "./state-watch.ts";

export interface RunSources extends ReplaySettings {
  readonly ledger: RewindableLedger;
  readonly wanted: WantedRun;
  readonly engine: Engine;
}

export class OperationRuns {
  readonly #sources: RunSources;
  readonly #setWatcher: (watcher: Watcher) => void;

  /** @param setWatcher called with what watches the engine from then on */
  constructor(sources: RunSources, setWatcher: (watcher: Watcher) => void) {
    this.#sources = sources;
    this.#setWatcher = setWatcher;
  }

  /** What follows the state in a run that the recorder watches. */
  watchOf(recorder: Recorder): StateWatch {
    const { ledger, wanted } = this.#sources;
    const { job } = wanted.run;
    return new StateWatch(recorder, job.kind === "operation" ? [job.sender] : [], ledger);
  }

  /** @returns undefined when the operation did not come to its end */
  run(
    recorder: Recorder,
    state: StateWatch,
    around: (guests: GuestEngine) => GuestEngine = (guests) => guests,
  ): Outcome | undefined {
    const { engine, ledger, settings, realTime, wanted } = this.#sources;
    ledger.rewind();
    engine.forgetImages();
    this.#setWatcher(recorder);
    return replay(ledger, wanted.run, {
      engine,
      settings,
      realTime,
      observe: (guests) => around(recorder.observe(state.observe(guests))),
    });
  }
}
