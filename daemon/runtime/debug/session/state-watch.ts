// Watches what the calls of an operation do to state: the view that each call has, the keys that were written, and each
// change of a key or a balance, with the event at which it happens. Balances also change between calls (attached tez,
// refunds, roll-backs): such a change belongs to the next line that runs.
import { balanceId, valueId } from "../../../protocol/debug-session-api.ts";
import type { GuestCall, GuestEngine } from "../../call/guest.ts";
import type { LedgerView } from "../../ledger/ledger.ts";
import type { Recorder } from "../recorder.ts";

export interface StateChange {
  /** Index of an event. */
  readonly event: number;
  readonly dataId: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A call in the order of the recording. */
export interface StateCall {
  readonly address: string;
  readonly view: LedgerView;
  readonly gasLimit: number;
  /** Undefined while its module is evaluated. */
  guest: GuestCall | undefined;
}

/** Changes that are kept. */
const MAX_CHANGES = 100_000;

export class StateWatch {
  readonly #recorder: Recorder;
  readonly #before: LedgerView;
  readonly calls: StateCall[] = [];
  /** In order. */
  changes: StateChange[] = [];
  /** Keys written so far, by function. */
  readonly written = new Map<string, Set<string>>();
  readonly accounts: Set<string>;
  readonly #balances = new Map<string, bigint>();
  #pending: Omit<StateChange, "event">[] = [];

  /** @param accounts known from the start: the sender @param before the state before the operation */
  constructor(recorder: Recorder, accounts: readonly string[], before: LedgerView) {
    this.#recorder = recorder;
    this.#before = before;
    this.accounts = new Set(accounts);
    for (const account of accounts) this.#balances.set(account, amountOf(before, account));
  }

  /** What was recorded from this event on will happen again. */
  undone(event: number): void {
    this.changes = this.changes.filter((change) => change.event < event);
  }

  /** A line runs for which changes wait. */
  line(event: number): void {
    for (const change of this.#pending) this.#keep({ ...change, event });
    this.#pending = [];
  }

  #keep(change: StateChange): void {
    if (change.event >= 0 && this.changes.length < MAX_CHANGES) this.changes.push(change);
  }

  observe(guests: GuestEngine): GuestEngine {
    return {
      check: (code, specifier, gas) => guests.check(code, specifier, gas),
      liveBytes: () => guests.liveBytes(),
      open: (program) => {
        const { address, effects, gas } = program;
        const { view } = effects;
        const call: StateCall = { address, view, gasLimit: Number(gas), guest: undefined };
        this.calls.push(call);
        this.#meet(address);
        this.#compare(view, false);
        const guest = guests.open({
          ...program,
          effects: {
            ...effects,
            kvSet: (key, json) => this.#write(address, view, key, () => effects.kvSet(key, json)),
            kvDelete: (key) => this.#write(address, view, key, () => effects.kvDelete(key)),
            transfer: (to, amount) => {
              this.#meet(to);
              effects.transfer(to, amount);
              this.#compare(view, true);
            },
            create: (code, credit) => {
              const created = effects.create(code, credit);
              this.#meet(created);
              this.#compare(view, true);
              return created;
            },
          },
        });
        if (guest === undefined) return undefined;
        call.guest = guest;
        return {
          time: guest.time,
          invoke: (request) => guest.invoke(request),
          deliver: (id, response) => {
            this.#compare(view, false);
            return guest.deliver(id, response);
          },
          charge: (units) => guest.charge(units),
          gasUsed: () => guest.gasUsed(),
          raisedBy: guest.raisedBy,
          close: () => guest.close(),
        };
      },
    };
  }

  #write(address: string, view: LedgerView, key: string, write: () => void): void {
    const before = view.value(address, key);
    write();
    const after = view.value(address, key);
    let keys = this.written.get(address);
    if (keys === undefined) this.written.set(address, (keys = new Set()));
    keys.add(key);
    if (before === after) return;
    const event = this.#recorder.change();
    this.#keep({ event, dataId: valueId(address, key), before, after });
  }

  /** An account that takes part from now on: nothing of the operation has changed its balance before. */
  #meet(account: string): void {
    if (this.accounts.has(account)) return;
    this.accounts.add(account);
    this.#balances.set(account, amountOf(this.#before, account));
  }

  #compare(view: LedgerView, isNow: boolean): void {
    let event: number | undefined;
    for (const account of this.accounts) {
      const before = this.#balances.get(account) ?? 0n;
      const after = amountOf(view, account);
      if (before === after) continue;
      this.#balances.set(account, after);
      const change = { dataId: balanceId(account), before: String(before), after: String(after) };
      if (isNow) this.#keep({ ...change, event: (event ??= this.#recorder.change()) });
      else {
        this.#pending.push(change);
        this.#recorder.afterwards();
      }
    }
  }
}

const amountOf = (view: LedgerView, account: string): bigint => view.account(account)?.amount ?? 0n;
