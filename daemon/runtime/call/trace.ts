// The record of what one operation did: a tree of calls with their key-value accesses, transfers and logs.
// Bounded, so that a function in a loop cannot fill the memory with its own history.
import type { LogLevel } from "./guest.ts";

/** Position among all entries and calls of the operation, from 0: entries are grouped by kind and lose their order. */
interface Placed {
  readonly seq: number;
}

type KeyOperation = "get" | "set" | "delete" | "has";

interface KeyAccess extends Placed {
  readonly op: KeyOperation;
  readonly key: string;
  /** JSON text that was read or written; null for a missing key. */
  value?: string | null;
  /** JSON text that a change replaced; null for a missing key. */
  before?: string | null;
}

/** Values of a key at an access; null for a missing one. */
type AccessedValues = Pick<KeyAccess, "value" | "before">;

export interface CallTrace extends Placed {
  readonly caller: string;
  /** Account that was called; `jstz` for host functions, the host name for outside HTTP. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  /** Mutez sent with the request, decimal. */
  readonly amount: string;
  status: number;
  /** Engine gas of this call alone. */
  gas: number;
  durationMs: number;
  /** False when the effects of this call were rolled back. */
  committed: boolean;
  error?: { class: string; message: string };
  readonly kv: KeyAccess[];
  readonly transfers: (Placed & { from: string; to: string; amount: string })[];
  readonly logs: (Placed & { level: LogLevel; text: string })[];
  readonly calls: CallTrace[];
}

const MAX_ENTRIES = 2000;
const MAX_TEXT = 1024;

/** Builds the trace of one operation within its bounds. */
export class TraceRecorder {
  root: CallTrace | undefined;
  truncated = false;
  #entries = 0;
  /** Counts dropped entries too. */
  #seq = 0;

  call(
    parent: CallTrace | undefined,
    start: { caller: string; address: string; method: string; path: string; amount: bigint },
  ): CallTrace {
    const call: CallTrace = {
      seq: this.#seq++,
      caller: start.caller,
      address: this.#cut(start.address),
      method: this.#cut(start.method),
      path: this.#cut(start.path),
      amount: start.amount.toString(),
      status: 0,
      gas: 0,
      durationMs: 0,
      committed: false,
      kv: [],
      transfers: [],
      logs: [],
      calls: [],
    };
    if (parent === undefined) this.root = call;
    else if (this.#room()) parent.calls.push(call);
    return call;
  }

  kv(call: CallTrace, op: KeyOperation, key: string, { value, before }: AccessedValues = {}): void {
    const seq = this.#seq++;
    if (!this.#room()) return;
    const access: KeyAccess = { seq, op, key };
    if (value !== undefined) access.value = value && this.#cut(value);
    if (before !== undefined) access.before = before && this.#cut(before);
    call.kv.push(access);
  }

  transfer(call: CallTrace, from: string, to: string, amount: bigint): void {
    const seq = this.#seq++;
    if (this.#room()) call.transfers.push({ seq, from, to, amount: amount.toString() });
  }

  log(call: CallTrace, level: LogLevel, text: string): void {
    const seq = this.#seq++;
    if (this.#room()) call.logs.push({ seq, level, text: this.#cut(text) });
  }

  error(call: CallTrace, errorClass: string, message: string): void {
    call.error = { class: errorClass, message: this.#cut(message) };
  }

  #room(): boolean {
    if (this.#entries < MAX_ENTRIES) {
      this.#entries++;
      return true;
    }
    this.truncated = true;
    return false;
  }

  #cut(text: string): string {
    if (text.length <= MAX_TEXT) return text;
    this.truncated = true;
    return `${text.slice(0, MAX_TEXT)}…`;
  }
}
