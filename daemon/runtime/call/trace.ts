// Builds the record of what one operation did. Bounded, so that a function in a loop cannot fill the memory with its own
// history.
import type { CallTrace, KeyAccess } from "../../protocol/call-trace.ts";
import type { FunctionLogLevel } from "../../protocol/log-level.ts";

type Writable<T> = T extends readonly (infer Entry)[]
  ? Writable<Entry>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** A call while it is recorded. */
export type RecordedCall = Writable<CallTrace>;

interface Tickets {
  readonly amount: bigint;
  readonly ticketer: string;
}

const MAX_ENTRIES = 2000;
const MAX_TEXT = 1024;

/** Builds the trace of one operation within its bounds. */
export class TraceRecorder {
  root: RecordedCall | undefined;
  truncated = false;
  #entries = 0;
  /** Counts dropped entries too. */
  #seq = 0;

  call(
    parent: RecordedCall | undefined,
    start: { caller: string; address: string; method: string; path: string; amount: bigint },
  ): RecordedCall {
    const call: RecordedCall = {
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

  kv(
    call: RecordedCall,
    op: KeyAccess["op"],
    key: string,
    { value, before }: Pick<KeyAccess, "value" | "before"> = {},
  ): void {
    const seq = this.#seq++;
    if (!this.#room()) return;
    const access: Writable<KeyAccess> = { seq, op, key };
    if (value !== undefined) access.value = value && this.#cut(value);
    if (before !== undefined) access.before = before && this.#cut(before);
    call.kv.push(access);
  }

  transfer(call: RecordedCall, from: string, to: string, amount: bigint): void {
    const seq = this.#seq++;
    if (this.#room()) call.transfers.push({ seq, from, to, amount: amount.toString() });
  }

  tickets(call: RecordedCall, from: string, to: string, { amount, ticketer }: Tickets): void {
    const seq = this.#seq++;
    if (!this.#room()) return;
    call.tickets ??= [];
    call.tickets.push({ seq, from, to, amount: amount.toString(), ticketer });
  }

  log(call: RecordedCall, level: FunctionLogLevel, text: string): void {
    const seq = this.#seq++;
    if (this.#room()) call.logs.push({ seq, level, text: this.#cut(text) });
  }

  error(call: RecordedCall, errorClass: string, message: string): void {
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
