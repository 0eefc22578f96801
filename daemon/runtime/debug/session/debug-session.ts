// A debug session: the recording of one operation, and a place in it. The operation runs once to be recorded; to be
// somewhere it runs again up to there and blocks in the hook of the engine, where commands are answered. Going forwards
// continues that run; going back ends it and starts another, which takes milliseconds.
import type { Arrival, Motion, SessionAnswers, SessionCommand } from "../../../protocol/debug-session-api.ts";
import { reasonOf, SandboxError } from "../../../protocol/errors.ts";
import type { Vm } from "../../engine/vm.ts";
import type { Watcher } from "../../engine/watcher.ts";
import type { Originals } from "../originals.ts";
import { Recorder } from "../recorder.ts";
import { abandonable, RunAbandoned } from "./abandoned-run.ts";
import { visitBreakpoint } from "./breakpoint-visits.ts";
import { breakpointLocations, placeBreakpoint } from "./breakpoints.ts";
import { lastEventsOf, type StackFrame } from "./frames.ts";
import { gotoTargets } from "./goto-targets.ts";
import { journeyOf, type Journey } from "./motions.ts";
import { OperationRuns, type RunSources } from "./operation-runs.ts";
import { type Paused, PausedProgram } from "./paused-program.ts";
import { type RecordedOperation, recordOperation, sourceNamesOf, summaryOf } from "./recorded-operation.ts";
import { References } from "./references.ts";
import { Stops } from "./stops.ts";
import { watchableData } from "./watchable-data.ts";

/** A search for a condition that holds is given up after this. */
const MAX_SEARCH_MS = 30_000;

export interface SessionSources extends RunSources {
  readonly originals: Originals;
  /** The next command; blocks until there is one. Undefined once the session is over. */
  readonly receive: () => PendingCommand | undefined;
  /** Whether somebody wants the motion under way to stop. */
  readonly isPauseWanted: () => boolean;
}

/** A command that waits for its answer. */
export interface PendingCommand {
  readonly command: SessionCommand;
  answer(value: object): void;
  fail(error: SandboxError): void;
}

interface UnderWay {
  readonly pending: PendingCommand;
  readonly journey: Journey;
  readonly since: number;
}

export class DebugSession {
  readonly #sources: SessionSources;
  readonly #runs: OperationRuns;
  readonly #operation: RecordedOperation;
  readonly #stops: Stops;
  readonly #lastEvents: Int32Array;
  readonly #references = new References();
  /** Where the debugger is: -1 before the first event, their number after the last. */
  #event = -1;
  #underWay: UnderWay | undefined;
  #isOver = false;
  #visits: number[] = [];
  /** The program at the event, once it was needed. */
  #program: PausedProgram | undefined;

  /**
   * Records the operation.
   * @param setWatcher called with what watches the engine from then on
   * @throws SandboxError REPLAY_IMPOSSIBLE, REPLAY_DIFFERS
   */
  constructor(sources: SessionSources, setWatcher: (watcher: Watcher) => void) {
    this.#sources = sources;
    this.#runs = new OperationRuns(sources, setWatcher);
    this.#operation = recordOperation(this.#runs, sources);
    const { recording, throws, changes } = this.#operation;
    this.#stops = new Stops(recording, throws, changes);
    this.#lastEvents = lastEventsOf(recording);
  }

  /** What the operation did. */
  summary() {
    return summaryOf(this.#operation, this.#sources.wanted);
  }

  /** Answers commands until the session is over. */
  serve(): void {
    for (;;) {
      const goal = this.#goal(undefined);
      if (this.#isOver) return;
      const { originals } = this.#sources;
      let abandoned: Vm | undefined;
      const recorder: Recorder = new Recorder(originals.original, {
        isRecording: false,
        events: {
          reached: (vm, pc) => {
            const next = this.#goal({ recorder, state, vm, pc });
            if (next > recorder.moment) {
              recorder.goal = next;
              return;
            }
            abandoned = vm;
            throw new RunAbandoned();
          },
        },
      });
      recorder.goal = goal;
      const state = this.#runs.watchOf(recorder);
      this.#program = undefined;
      this.#runs.run(recorder, state, (guests) => abandonable(guests, () => abandoned));
      if (this.#isOver) return;
      if (abandoned !== undefined) continue;
      // A replay always comes to the same moments.
      this.#underWay?.pending.fail(
        new SandboxError("REPLAY_DIFFERS", { hash: this.#sources.wanted.run.job.hash }),
      );
      this.#underWay = undefined;
      this.#visits = [];
      this.#event = -1;
    }
  }

  /**
   * What comes next: answers commands until the program has to run.
   * @param paused undefined when nothing runs
   * @returns the moment to run to; one that is not later than the present asks for another run
   */
  #goal(paused: Paused | undefined): number {
    while (!this.#isOver) {
      const underWay = this.#underWay;
      if (underWay === undefined) {
        const goal = this.#momentOf(this.#event);
        // Commands look at the program, so it has to be there.
        if (goal !== undefined && goal !== paused?.recorder.moment) return goal;
        this.#command(goal === undefined ? undefined : paused);
        continue;
      }
      const [visited] = this.#visits;
      if (visited !== undefined) {
        if (this.#shouldStop(underWay)) {
          this.#visits = [];
          continue;
        }
        const moment = this.#operation.recording.events.moment[visited]!;
        if (moment !== paused?.recorder.moment) return moment;
        this.#visit(paused, visited);
        this.#visits.shift();
        continue;
      }
      this.#travel(underWay);
    }
    return 0; // earlier than any: the run is abandoned
  }

  #momentOf(event: number): number | undefined {
    const { events } = this.#operation.recording;
    return event >= 0 && event < events.length ? events.moment[event] : undefined;
  }

  #shouldStop({ since }: UnderWay): boolean {
    return this.#sources.isPauseWanted() || performance.now() - since > MAX_SEARCH_MS;
  }

  #travel(underWay: UnderWay): void {
    const { journey, pending } = underWay;
    if (this.#shouldStop(underWay))
      return this.#arrive(pending, { event: journey.event, reason: "pause" }, []);
    const progress = journey.next();
    if (progress.kind === "visit") this.#visits = [...progress.events];
    else this.#arrive(pending, progress.at, progress.output);
  }

  #arrive(
    pending: PendingCommand,
    { event, reason, description }: { event: number; reason: Arrival["reason"]; description?: string },
    output: Arrival["output"],
  ): void {
    this.#underWay = undefined;
    this.#event = event;
    this.#program = undefined;
    this.#references.clear();
    const moment = this.#momentOf(event) ?? this.#operation.moments;
    const arrival: Arrival = {
      reason,
      moment,
      step: this.#operation.steps.at(event),
      output,
      ...(description === undefined ? {} : { description }),
    };
    pending.answer(arrival);
  }

  #command(paused: Paused | undefined): void {
    const pending = this.#sources.receive();
    if (pending === undefined) {
      this.#isOver = true;
      return;
    }
    const { command } = pending;
    try {
      if (command.command === "go") {
        const journey = journeyOf(
          this.#operation.recording,
          this.#stops,
          this.#event,
          this.#straight(command.motion),
          this.#operation.throws.fatal?.event,
        );
        this.#underWay = { pending, journey, since: performance.now() };
      } else pending.answer(this.#answer(command, paused));
    } catch (error) {
      pending.fail(
        error instanceof SandboxError ? error : new SandboxError("INTERNAL", { reason: reasonOf(error) }),
      );
    }
  }

  /** A motion to a step as one to its moment. @throws SandboxError BAD_REQUEST */
  #straight(motion: Motion): Exclude<Motion, { kind: "step" }> {
    if (motion.kind !== "step") return motion;
    const { recording, steps } = this.#operation;
    return { kind: "goto", moment: recording.events.moment[steps.eventOf(motion.step)]! };
  }

  #answer(command: Exclude<SessionCommand, { command: "go" }>, paused: Paused | undefined): object {
    switch (command.command) {
      case "breakpoints": {
        const { source } = command;
        const placed = command.breakpoints.map((each) =>
          placeBreakpoint(this.#operation.recording, source, each),
        );
        this.#stops.set(source, placed);
        return { breakpoints: placed.map((each) => each.placed) } satisfies SessionAnswers["breakpoints"];
      }
      case "exceptions":
        this.#stops.filters = new Set(command.filters);
        return {};
      case "dataBreakpoints":
        this.#stops.dataIds = new Set(command.breakpoints.map(({ dataId }) => dataId));
        return { breakpoints: command.breakpoints.map(() => ({ verified: true })) };
      case "dataBreakpointInfo":
        return watchableData(this.#operation.recording, this.#event, command.name);
      case "stack":
        return { frames: paused === undefined ? [] : this.#programOf(paused).stack().map(shownFrame) };
      case "scopes":
        return { scopes: this.#programOf(this.#need(paused)).scopes(command.frame) };
      case "variables":
        this.#need(paused);
        return {
          variables: this.#references.children(command.ref, command.filter, command.start, command.count),
        };
      case "evaluate":
        return this.#programOf(this.#need(paused))
          .look(command.frame)
          .evaluate(command.expression, command.isWhole === true);
      case "exception":
        return this.#exception();
      case "locations": {
        const { source, line, endLine = line } = command;
        return { locations: breakpointLocations(this.#operation.recording, source, line, endLine) };
      }
      case "gotoTargets":
        return { targets: gotoTargets(this.#operation.recording, this.#event, command.source, command.line) };
      case "sources":
        return { sources: sourceNamesOf(this.#operation.recording) };
      case "source": {
        const text = this.#sources.originals.textOf(command.source);
        if (text === undefined)
          throw new SandboxError("NOT_FOUND", { what: `the text of ${command.source}` });
        return { text };
      }
    }
  }

  #need(paused: Paused | undefined): Paused {
    if (paused === undefined) throw new SandboxError("DEBUG_NOT_PAUSED", {});
    return paused;
  }

  #programOf(paused: Paused): PausedProgram {
    const { originals, ledger } = this.#sources;
    return (this.#program ??= new PausedProgram(paused, this.#event, {
      recording: this.#operation.recording,
      originals,
      lastEvents: this.#lastEvents,
      references: this.#references,
      ledger,
    }));
  }

  #exception() {
    const thrown = this.#operation.throws.at(this.#event);
    if (thrown === undefined) throw new SandboxError("NOT_FOUND", { what: "exception here" });
    const isUncaught = this.#operation.throws.isUncaught(this.#event);
    return {
      text: thrown.text,
      isUncaught,
      stack: thrown.stack ?? null,
    } satisfies SessionAnswers["exception"];
  }

  /** Looks at what the breakpoints of an event say. */
  #visit(paused: Paused, event: number): void {
    const here = this.#event;
    this.#event = event;
    this.#program = undefined;
    for (const breakpoint of this.#stops.breakpointsAt(event))
      if (!this.#stops.isVisited(breakpoint, event)) {
        const visit = visitBreakpoint(breakpoint, () => this.#programOf(paused).look());
        this.#stops.keep(breakpoint, event, visit);
      }
    this.#event = here;
    this.#program = undefined;
  }
}

const shownFrame = ({ name, source, line, column, address, state }: StackFrame) => ({
  name,
  source,
  line,
  column,
  address,
  state,
});
