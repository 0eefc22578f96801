// A debug session: the recording of one operation, and a place in it. The operation runs once to be recorded; to be
// somewhere it runs again up to there and blocks in the hook of the engine, where commands are answered. Going forwards
// continues that run; going back ends it and starts another, which takes milliseconds.
import type { Arrival, SessionAnswers, SessionCommand } from "../../../protocol/debug-session-api.ts";
import { valueId, balanceId } from "../../../protocol/debug-session-api.ts";
import { reasonOf, SandboxError } from "../../../protocol/errors.ts";
import type { GuestEngine, GuestStep } from "../../call/guest.ts";
import { type Engine, FIXED_NOW } from "../../engine/engine.ts";
import type { Vm } from "../../engine/vm.ts";
import type { Watcher } from "../../engine/watcher.ts";
import type { WantedRun } from "../debug-messages.ts";
import type { Originals } from "../originals.ts";
import { Recorder } from "../recorder.ts";
import { EVENT, type Recording, totalGas } from "../recording.ts";
import { replay, type ReplaySettings } from "../replay.ts";
import { isSameEnd } from "../same-end.ts";
import { type Breakpoint, breakpointLocations, placeBreakpoint } from "./breakpoints.ts";
import { callOf, framesAt, lastEventsOf, type StackFrame } from "./frames.ts";
import { Looking } from "./looking.ts";
import { journeyOf, type Journey } from "./motions.ts";
import { References } from "./references.ts";
import type { RewindableLedger } from "./rewindable-ledger.ts";
import { scopesOf } from "./scopes.ts";
import { StateWatch } from "./state-watch.ts";
import { Stops } from "./stops.ts";
import { Throws } from "./throws.ts";

/** A search for a condition that holds is given up after this. */
const MAX_SEARCH_MS = 30_000;
/** Targets of a line for `goto`. */
const MAX_TARGETS = 100;

export interface SessionSources extends ReplaySettings {
  readonly ledger: RewindableLedger;
  readonly wanted: WantedRun;
  readonly engine: Engine;
  readonly originals: Originals;
  /** The next command; blocks until there is one. */
  readonly receive: () => PendingCommand;
  /** Whether somebody wants the motion under way to stop. */
  readonly isPauseWanted: () => boolean;
}

/** A command that waits for its answer. */
export interface PendingCommand {
  readonly command: SessionCommand;
  answer(value: object): void;
  fail(error: SandboxError): void;
}

/** A run that is blocked before a bytecode. */
interface Paused {
  readonly recorder: Recorder;
  readonly state: StateWatch;
  readonly vm: Vm;
  readonly pc: number;
}

/** Thrown out of the engine to end a run. */
class Leave extends Error {}

interface UnderWay {
  readonly pending: PendingCommand;
  readonly journey: Journey;
  readonly since: number;
}

export class DebugSession {
  readonly #sources: SessionSources;
  readonly #recording: Recording;
  readonly #stops: Stops;
  readonly #throws: Throws;
  readonly #lastEvents: Int32Array;
  readonly #isWhole: boolean;
  readonly #moments: number;
  readonly #references = new References();
  /** Where the debugger is: -1 before the first event, their number after the last. */
  #event = -1;
  #underWay: UnderWay | undefined;
  #visits: number[] = [];
  #frames: StackFrame[] | undefined;

  /**
   * Records the operation.
   * @param setWatcher told who watches the engine
   * @throws SandboxError REPLAY_IMPOSSIBLE, REPLAY_DIFFERS
   */
  constructor(sources: SessionSources, setWatcher: (watcher: Watcher) => void) {
    this.#sources = sources;
    this.#setWatcher = setWatcher;
    const { originals, wanted } = sources;
    const { hash } = wanted.run.job;
    const throws = new Throws(originals.original);
    const recorder: Recorder = new Recorder(originals.original, {
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
    const state = this.#watchOf(recorder);
    const outcome = this.#run(recorder, state);
    if (outcome === undefined) {
      const reason = "the record of the answers that it got from outside is not complete";
      throw new SandboxError("REPLAY_IMPOSSIBLE", { hash, reason });
    }
    if (!isSameEnd(outcome, wanted.receipt, wanted.trace)) throw new SandboxError("REPLAY_DIFFERS", { hash });
    this.#recording = recorder.recording();
    this.#isWhole = !recorder.isFull;
    this.#moments = recorder.moment;
    this.#throws = throws;
    this.#stops = new Stops(this.#recording, throws, state.changes);
    this.#lastEvents = lastEventsOf(this.#recording);
    this.#failure = outcome.failure;
  }

  readonly #setWatcher: (watcher: Watcher) => void;
  readonly #failure: string | null;

  /** What the operation did. */
  summary() {
    const { job } = this.#sources.wanted.run;
    const isRun = job.kind === "operation" && job.content._type === "RunFunction";
    const request = isRun ? `${job.content.method} ${job.content.uri}` : job.kind;
    return {
      hash: job.hash,
      title: request,
      gas: totalGas(this.#recording),
      events: this.#recording.events.length,
      moments: this.#moments,
      isWhole: this.#isWhole,
      failure: this.#failure ?? this.#throws.fatal?.text ?? null,
      sources: this.#sourceNames(),
    };
  }

  /** Answers commands. Does not return: the thread is ended. */
  serve(): never {
    for (;;) {
      const goal = this.#goal(undefined);
      const { originals } = this.#sources;
      let left: Vm | undefined;
      const recorder: Recorder = new Recorder(originals.original, {
        isRecording: false,
        events: {
          reached: (vm, pc) => {
            const next = this.#goal({ recorder, state, vm, pc });
            if (next > recorder.moment) {
              recorder.goal = next;
              return;
            }
            left = vm;
            throw new Leave();
          },
        },
      });
      recorder.goal = goal;
      const state = this.#watchOf(recorder);
      this.#run(recorder, state, (guests) => leaving(guests, () => left));
      if (left !== undefined) continue;
      // A replay always comes to the same moments.
      this.#underWay?.pending.fail(
        new SandboxError("REPLAY_DIFFERS", { hash: this.#sources.wanted.run.job.hash }),
      );
      this.#underWay = undefined;
      this.#visits = [];
      this.#event = -1;
    }
  }

  #watchOf(recorder: Recorder): StateWatch {
    const { ledger, wanted } = this.#sources;
    const { job } = wanted.run;
    return new StateWatch(recorder, job.kind === "operation" ? [job.sender] : [], ledger);
  }

  #run(
    recorder: Recorder,
    state: StateWatch,
    around: (guests: GuestEngine) => GuestEngine = (guests) => guests,
  ): ReturnType<typeof replay> {
    const { engine, ledger, settings, realTime, wanted } = this.#sources;
    ledger.rewind();
    engine.forgetImages();
    this.#setWatcher(recorder);
    this.#frames = undefined;
    return replay(ledger, wanted.run, {
      engine,
      settings,
      realTime,
      observe: (guests) => around(recorder.observe(state.observe(guests))),
    });
  }

  /**
   * What comes next: answers commands until the program has to run.
   * @param paused undefined when nothing runs
   * @returns the moment to run to; one that is not later than the present asks for another run
   */
  #goal(paused: Paused | undefined): number {
    for (;;) {
      const underWay = this.#underWay;
      if (underWay === undefined) {
        const goal = this.#momentOf(this.#event);
        // Whoever looks needs the program to be there.
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
        const moment = this.#recording.events.moment[visited]!;
        if (moment !== paused?.recorder.moment) return moment;
        this.#visit(paused, visited);
        this.#visits.shift();
        continue;
      }
      this.#travel(underWay);
    }
  }

  #momentOf(event: number): number | undefined {
    const { events } = this.#recording;
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
    this.#frames = undefined;
    this.#references.clear();
    const moment = this.#momentOf(event) ?? this.#moments;
    const arrival: Arrival = {
      reason,
      moment,
      output,
      ...(description === undefined ? {} : { description }),
    };
    pending.answer(arrival);
  }

  #command(paused: Paused | undefined): void {
    const pending = this.#sources.receive();
    const { command } = pending;
    try {
      if (command.command === "go") {
        const journey = journeyOf(
          this.#recording,
          this.#stops,
          this.#event,
          command.motion,
          this.#throws.fatal?.event,
        );
        this.#underWay = { pending, journey, since: performance.now() };
      } else pending.answer(this.#answer(command, paused));
    } catch (error) {
      pending.fail(
        error instanceof SandboxError ? error : new SandboxError("INTERNAL", { reason: reasonOf(error) }),
      );
    }
  }

  #answer(command: Exclude<SessionCommand, { command: "go" }>, paused: Paused | undefined): object {
    switch (command.command) {
      case "breakpoints": {
        const { source } = command;
        const placed = command.breakpoints.map((each) => placeBreakpoint(this.#recording, source, each));
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
        return this.#dataBreakpointInfo(command.name);
      case "stack":
        return { frames: paused === undefined ? [] : this.#stack(paused).map(shownFrame) };
      case "scopes":
        return { scopes: this.#scopes(this.#need(paused), command.frame) };
      case "variables":
        this.#need(paused);
        return {
          variables: this.#references.children(command.ref, command.filter, command.start, command.count),
        };
      case "evaluate":
        return this.#look(this.#need(paused), command.frame).evaluate(
          command.expression,
          command.isWhole === true,
        );
      case "exception":
        return this.#exception();
      case "locations": {
        const { source, line, endLine = line } = command;
        return { locations: breakpointLocations(this.#recording, source, line, endLine) };
      }
      case "gotoTargets":
        return { targets: this.#gotoTargets(command.source, command.line) };
      case "sources":
        return { sources: this.#sourceNames() };
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

  #sourceNames(): string[] {
    return [...new Set(this.#recording.places.map(({ source }) => source))].filter((source) => source !== "");
  }

  #stack({ recorder, pc }: Paused): StackFrame[] {
    const { originals } = this.#sources;
    const from = { recording: this.#recording, originals, lastEvents: this.#lastEvents };
    return (this.#frames ??= framesAt(from, recorder, this.#event, pc));
  }

  #frame(paused: Paused, index: number): StackFrame {
    const stack = this.#stack(paused);
    const frame = stack[index];
    if (frame !== undefined) return frame;
    throw new SandboxError("BAD_REQUEST", { at: "frame", found: index, expected: `below ${stack.length}` });
  }

  #scopes(paused: Paused, index: number) {
    const frame = this.#frame(paused, index);
    const { ledger } = this.#sources;
    return scopesOf(frame, {
      references: this.#references,
      state: paused.state,
      keys: (address) => ledger.keys(address),
      before: ledger,
      lazily: (expression) => this.#look(paused, index).lazily(expression),
      gas: () => this.#gasOf(paused, frame),
    });
  }

  #gasOf({ state }: Paused, { call }: StackFrame): [string, number][] {
    const own = state.calls[call];
    const current = state.calls[callOf(this.#recording, this.#event)];
    const usedBy = (each = own): number => Number(each?.guest?.gasUsed() ?? 0n);
    const limit = state.calls[0]?.gasLimit ?? 0;
    const left = (current?.gasLimit ?? limit) - usedBy(current);
    return [
      ["used by the operation", limit - left],
      ["left to the operation", left],
      ["limit of the operation", limit],
      ["used by this call", usedBy()],
    ];
  }

  /** Looks from a frame, or with globals and state alone where no function runs. */
  #look(paused: Paused, index = 0): Looking {
    const frame = this.#stack(paused)[index];
    const call = paused.state.calls[frame?.call ?? callOf(this.#recording, this.#event)];
    const heap = frame?.live?.heap ?? paused.recorder.stack()[0]!.heap;
    return new Looking({
      vm: frame?.live?.vm ?? paused.vm,
      heap,
      references: this.#references,
      scope: {
        variables: frame?.live === undefined ? [] : heap.variables(frame.live.frame),
        surroundings: {
          address: call?.address ?? "",
          value: (key) => call?.view.value(call.address, key),
          balance: (address) => call?.view.account(address)?.amount ?? 0n,
          now: call?.guest?.time ?? FIXED_NOW,
        },
      },
    });
  }

  #exception() {
    const thrown = this.#throws.at(this.#event);
    if (thrown === undefined) throw new SandboxError("NOT_FOUND", { what: "exception here" });
    const isUncaught = this.#throws.isUncaught(this.#event);
    return {
      text: thrown.text,
      isUncaught,
      stack: thrown.stack ?? null,
    } satisfies SessionAnswers["exception"];
  }

  #gotoTargets(source: string, line: number) {
    const { places } = placeBreakpoint(this.#recording, source, { line });
    const wanted = new Set(places);
    const { events } = this.#recording;
    const all: number[] = [];
    for (let i = 0; i < events.length; i++)
      if (events.kind[i] === EVENT.line && wanted.has(events.place[i]!)) all.push(i);
    const near = all.findIndex((event) => event > this.#event);
    const from = Math.max(0, (near < 0 ? all.length : near) - MAX_TARGETS / 2);
    return all.slice(from, from + MAX_TARGETS).map((event, i) => {
      const place = this.#recording.places[events.place[event]!]!;
      const number = from + i + 1;
      const label = `time ${number} of ${all.length}${event === this.#event ? " (here)" : ""}`;
      return { moment: events.moment[event]!, label, line: place.line, column: place.column };
    });
  }

  /** @param name of a key or an account, or an identifier of data itself */
  #dataBreakpointInfo(name: string): SessionAnswers["dataBreakpointInfo"] {
    const { calls } = this.#recording;
    if (/^(?:kv|balance):/.test(name)) return { dataId: name, description: name };
    if (/^(?:tz[1-4]|KT1)\w{33}$/.test(name))
      return { dataId: balanceId(name), description: `the balance of ${name}` };
    const call =
      this.#event >= 0 && this.#event < this.#recording.events.length
        ? callOf(this.#recording, this.#event)
        : 0;
    const address = calls[call]?.address;
    if (address === undefined || name === "")
      return { dataId: null, description: "Nothing that can be watched." };
    return { dataId: valueId(address, name), description: `the key ${name} of ${address}` };
  }

  /** Looks at what the breakpoints of an event say. */
  #visit(paused: Paused, event: number): void {
    const here = this.#event;
    this.#event = event;
    this.#frames = undefined;
    for (const breakpoint of this.#stops.breakpointsAt(event))
      if (!this.#stops.isVisited(breakpoint, event)) this.#visitBreakpoint(paused, breakpoint, event);
    this.#event = here;
    this.#frames = undefined;
  }

  #visitBreakpoint(paused: Paused, breakpoint: Breakpoint, event: number): void {
    const { condition, logMessage } = breakpoint;
    let isTrue = true;
    let problem: string | undefined;
    if (condition !== undefined)
      try {
        isTrue = this.#look(paused).holds(condition);
      } catch (error) {
        isTrue = false;
        problem = reasonOf(error);
      }
    const log = logMessage === undefined || !isTrue ? undefined : this.#logText(paused, logMessage);
    this.#stops.keep(breakpoint, event, { isTrue, log, problem });
  }

  #logText(paused: Paused, message: string): string {
    return message.replace(/\{([^{}]+)\}/g, (_, expression: string) => {
      try {
        return this.#look(paused).text(expression);
      } catch (error) {
        return `{${reasonOf(error)}}`;
      }
    });
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

/**
 * The engine, whose calls end once the run is left: nothing goes on without the program that was cut off.
 * @param left the instance in which the run was left
 */
function leaving(guests: GuestEngine, left: () => Vm | undefined): GuestEngine {
  const leave = (vm: Vm): never => {
    // It was cut off between two bytecodes, as where gas ends: restoring it, with a check, makes it as good as new.
    vm.trust = "checked";
    throw new Leave();
  };
  const checked = (act: () => GuestStep): GuestStep => {
    const result = act();
    const vm = left();
    return vm === undefined ? result : leave(vm);
  };
  return {
    check: (code, specifier, gas) => guests.check(code, specifier, gas),
    liveBytes: () => guests.liveBytes(),
    open: (program) => {
      const guest = guests.open(program);
      const vm = left();
      if (vm !== undefined) {
        guest?.close();
        leave(vm);
      }
      return (
        guest && {
          time: guest.time,
          invoke: (request) => checked(() => guest.invoke(request)),
          deliver: (id, response) => checked(() => guest.deliver(id, response)),
          charge: (units) => guest.charge(units),
          gasUsed: () => guest.gasUsed(),
          close: () => guest.close(),
        }
      );
    },
  };
}
