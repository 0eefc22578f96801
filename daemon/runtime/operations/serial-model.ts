// The ledger when operations run strictly one after another: plain maps, changed in place and undone by a journal. It
// replays the notes of an operation, and reports where they differ from what it would have seen alone.
import type { Note } from "./scripted-guest.ts";

export interface State {
  readonly balances: Map<string, bigint>;
  readonly values: Map<string, string>;
  readonly nonces: Map<string, bigint>;
  readonly functions: Set<string>;
}

export class SerialModel {
  #state: State = { balances: new Map(), values: new Map(), nonces: new Map(), functions: new Set() };
  /** Amounts sent to layer 1, in order. */
  withdrawals: readonly bigint[] = [];
  /** Differences from serial execution. */
  readonly differences: string[] = [];
  /** Undo steps, each with its call. */
  #journal: { call: number; readonly undo: () => void }[] = [];
  #call = 0;

  credit(address: string, amount: bigint): void {
    this.#set(this.#state.balances, address, this.balance(address) + amount);
  }

  balance(address: string): bigint {
    return this.#state.balances.get(address) ?? 0n;
  }

  bumpNonce(address: string): void {
    this.#state.nonces.set(address, (this.#state.nonces.get(address) ?? 0n) + 1n);
  }

  /** Moves tez. @returns false when there are not enough */
  transfer(from: string, to: string, amount: bigint): boolean {
    if (this.balance(from) < amount) return false;
    this.credit(from, -amount);
    this.credit(to, amount);
    return true;
  }

  withdraw(from: string, amount: bigint): boolean {
    if (this.balance(from) < amount) return false;
    this.credit(from, -amount);
    const before = this.withdrawals;
    this.withdrawals = [...before, amount];
    this.#note(() => (this.withdrawals = before));
    return true;
  }

  deploy(address: string): void {
    this.#state.functions.add(address);
    this.#note(() => this.#state.functions.delete(address));
  }

  snapshot(): State {
    const { balances, values, nonces, functions } = this.#state;
    return {
      balances: new Map(balances),
      values: new Map(values),
      nonces: new Map(nonces),
      functions: new Set(functions),
    };
  }

  restore(state: State): void {
    this.#state = state;
    this.#state = this.snapshot();
  }

  get state(): State {
    return this.#state;
  }

  /** Replays one operation. @returns the status of its top-level call, undefined when it opened none */
  replay(notes: readonly Note[], sender: string): number | undefined {
    this.#journal = [];
    const calls = new Map<number, { address: string; caller: string; parent: number; status?: number }>();
    const addressOf = (call: number): string => calls.get(call)?.address ?? sender;
    let top: number | undefined;
    for (const note of notes) {
      const { address } = calls.get(note.call) ?? { address: "" };
      this.#call = note.call;
      switch (note.what) {
        case "begin": {
          const caller = addressOf(note.parent);
          this.#expect(note, this.#state.functions.has(note.address), true);
          calls.set(note.call, { address: note.address, caller, parent: note.parent });
          break;
        }
        case "received":
          this.#expect(note, this.transfer(note.from, address, BigInt(note.amount)), true);
          break;
        case "get":
          this.#expect(note, this.#state.values.get(`${address}/${note.key}`), note.value);
          break;
        case "set":
          this.#set(this.#state.values, `${address}/${note.key}`, note.value);
          break;
        case "balance":
          this.#expect(note, this.balance(note.of), note.value);
          break;
        case "pay":
          this.#expect(note, this.transfer(address, note.to, BigInt(note.amount)), note.done);
          break;
        case "create": {
          const paid = this.balance(address) >= BigInt(note.credit);
          this.#expect(note, paid, note.created !== undefined);
          if (!paid || note.created === undefined) break;
          this.deploy(note.created);
          this.transfer(address, note.created, BigInt(note.credit));
          break;
        }
        case "withdraw":
          this.#expect(note, this.withdraw(address, BigInt(note.amount)), note.done);
          break;
        case "end": {
          const call = calls.get(note.call)!;
          call.status = note.end === "throw" ? 500 : note.end.status;
          if (note.end !== "throw" && call.status === 200 && note.end.amount > 0) {
            if (!this.transfer(address, call.caller, BigInt(note.end.amount))) call.status = 500;
          }
          this.#end(note, call.status === 200, call.parent);
          if (calls.keys().next().value === note.call) top = call.status;
          break;
        }
        case "answer": {
          if (note.child > 0) this.#expect(note, calls.get(note.child)?.status, note.status);
          else if (note.status === 404) this.#expect(note, this.#state.functions.has(note.to), false);
        }
      }
    }
    return top;
  }

  #note(undo: () => void): void {
    this.#journal.push({ call: this.#call, undo });
  }

  /** Changes of a call pass to its caller, or are undone. Nothing else may have changed in between. */
  #end(note: Note, commits: boolean, parent: number): void {
    const first = this.#journal.findIndex(({ call }) => call === note.call);
    if (first < 0) return;
    const own = this.#journal.splice(first);
    this.#expect(
      note,
      own.every(({ call }) => call === note.call),
      true,
    );
    for (const entry of own.reverse()) if (!commits) entry.undo();
    if (commits) this.#journal.push(...own.reverse().map(({ undo }) => ({ call: parent, undo })));
  }

  #set<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
    const before = map.get(key);
    if (value === undefined) map.delete(key);
    else map.set(key, value);
    this.#note(() => (before === undefined ? map.delete(key) : map.set(key, before)));
  }

  #expect(note: Note, alone: unknown, seen: unknown): void {
    if (alone !== seen)
      this.differences.push(
        `${note.what} of call ${note.call}: alone ${String(alone)}, seen ${String(seen)}`,
      );
  }
}
