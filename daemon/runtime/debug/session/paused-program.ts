// The program where it is paused: its stack, the scopes of its frames, and expressions in them.
import type { SessionScope } from "../../../protocol/debug-session-api.ts";
import { SandboxError } from "../../../protocol/errors.ts";
import { FIXED_NOW } from "../../engine/engine.ts";
import type { Vm } from "../../engine/vm.ts";
import type { Recorder } from "../recorder.ts";
import { callOf, framesAt, type StackFrame, type StackSources } from "./frames.ts";
import { Looking } from "./looking.ts";
import type { References } from "./references.ts";
import type { RewindableLedger } from "./rewindable-ledger.ts";
import { scopesOf } from "./scopes.ts";
import type { StateWatch } from "./state-watch.ts";

/** A run that is blocked before a bytecode. */
export interface Paused {
  readonly recorder: Recorder;
  readonly state: StateWatch;
  readonly vm: Vm;
  readonly pc: number;
}

export interface PausedSources extends StackSources {
  readonly references: References;
  readonly ledger: RewindableLedger;
}

export class PausedProgram {
  readonly #paused: Paused;
  readonly #event: number;
  readonly #sources: PausedSources;
  #frames: StackFrame[] | undefined;

  /** @param event that comes next in the run */
  constructor(paused: Paused, event: number, sources: PausedSources) {
    this.#paused = paused;
    this.#event = event;
    this.#sources = sources;
  }

  /** The innermost frame first. */
  stack(): readonly StackFrame[] {
    const { recorder, pc } = this.#paused;
    return (this.#frames ??= framesAt(this.#sources, recorder, this.#event, pc));
  }

  /** @param index of a frame @throws SandboxError BAD_REQUEST */
  scopes(index: number): SessionScope[] {
    const frame = this.#frame(index);
    const { ledger, references } = this.#sources;
    return scopesOf(frame, {
      references,
      state: this.#paused.state,
      keys: (address) => ledger.keys(address),
      before: ledger,
      lazily: (expression) => this.look(index).lazily(expression),
      gas: () => this.#gasOf(frame),
    });
  }

  #frame(index: number): StackFrame {
    const stack = this.stack();
    const frame = stack[index];
    if (frame !== undefined) return frame;
    throw new SandboxError("BAD_REQUEST", { at: "frame", found: index, expected: `below ${stack.length}` });
  }

  #gasOf({ call }: StackFrame): [string, number][] {
    const { state } = this.#paused;
    const own = state.calls[call];
    const current = state.calls[callOf(this.#sources.recording, this.#event)];
    const usedBy = (each = own): number => Number(each?.guest?.gasUsed() ?? 0n);
    const raisedBy = (each = own): number => Number(each?.guest?.raisedBy ?? 0n);
    const limit =
      (state.calls[0]?.gasLimit ?? 0) + state.calls.reduce((sum, each) => sum + raisedBy(each), 0);
    const left = current === undefined ? limit : current.gasLimit + raisedBy(current) - usedBy(current);
    return [
      ["used by the operation", limit - left],
      ["left to the operation", left],
      ["limit of the operation", limit],
      ["used by this call", usedBy()],
    ];
  }

  /** Looks from a frame, or with globals and state alone where no function runs. */
  look(index = 0): Looking {
    const { recorder, state, vm } = this.#paused;
    const frame = this.stack()[index];
    const call = state.calls[frame?.call ?? callOf(this.#sources.recording, this.#event)];
    const heap = frame?.live?.heap ?? recorder.stack()[0]!.heap;
    return new Looking({
      vm: frame?.live?.vm ?? vm,
      heap,
      references: this.#sources.references,
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
}
