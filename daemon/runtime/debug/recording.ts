// What a run left: each line that ran, in order, with its gas, as typed arrays. Recorded once; profile, lines and
// coverage, and every step of a debugger, are computed from it.

/** A place in the source of a function: of the original source where a map is known. */
export interface Place {
  /** Index in `functions`. */
  readonly fn: number;
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** A statement begins here in the middle of a line; known only to recorders that were asked for statements. */
  readonly isStatement?: true;
}

export interface RecordedFunction {
  readonly name: string;
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** Its places are those from this index of `places` on. */
  readonly firstPlace: number;
  readonly placeCount: number;
  /** False for one without a row in its table: its only place is its own. */
  readonly hasRows: boolean;
}

export interface RecordedCall {
  /** Address of the smart function. */
  readonly address: string;
  /** The activation that asked for it; -1 for the call of the operation itself. */
  readonly parent: number;
}

/** One time that a function ran: between its awaits it stays the same. */
export interface Activation {
  readonly fn: number;
  readonly call: number;
  /** The activation that called it; -1 for one that the runtime called. */
  readonly parent: number;
}

export const EVENT = {
  /** A line begins. */
  line: 0,
  /** A function goes on after another one. */
  resumed: 1,
  /** Something is thrown. */
  thrown: 2,
  /** State is about to change. */
  changed: 3,
} as const;

/** The runtime's own work in a call: reading the request, sending the answer. */
export const RUNTIME_PLACE = 0;

/** Gas of a place, and how often its line began. */
export interface Later {
  readonly gas: number;
  readonly count: number;
}

export interface Recording {
  readonly calls: readonly RecordedCall[];
  readonly functions: readonly RecordedFunction[];
  readonly places: readonly Place[];
  readonly activations: readonly Activation[];
  readonly events: Events;
  /** What came after the events became too many, by place. */
  readonly later: ReadonlyMap<number, Later>;
}

/** Events in the order in which they happened. */
export class Events {
  length = 0;
  /** Number of the bytecode, from 1 at the start of the operation: the coordinate of all navigation. */
  moment = new Float64Array(1024);
  kind = new Uint8Array(1024);
  /** Index in `places`; 0 for the runtime's own work. */
  place = new Uint32Array(1024);
  /** Index in `activations`, or, for the runtime's own work, -1 minus the index of the call. */
  activation = new Int32Array(1024);
  /** Until the next event. */
  gas = new Uint32Array(1024);

  add(moment: number, kind: number, place: number, activation: number): void {
    if (this.length === this.kind.length) this.#grow();
    const at = this.length++;
    this.moment[at] = moment;
    this.kind[at] = kind;
    this.place[at] = place;
    this.activation[at] = activation;
    this.gas[at] = 0;
  }

  #grow(): void {
    const size = 2 * this.length;
    const copyInto = <T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
      into: T,
      from: T,
    ): T => {
      into.set(from);
      return into;
    };
    this.moment = copyInto(new Float64Array(size), this.moment);
    this.kind = copyInto(new Uint8Array(size), this.kind);
    this.place = copyInto(new Uint32Array(size), this.place);
    this.activation = copyInto(new Int32Array(size), this.activation);
    this.gas = copyInto(new Uint32Array(size), this.gas);
  }
}

export function totalGas({ events, later }: Recording): number {
  let sum = 0;
  for (const { gas } of later.values()) sum += gas;
  for (let i = 0; i < events.length; i++) sum += events.gas[i]!;
  return sum;
}
