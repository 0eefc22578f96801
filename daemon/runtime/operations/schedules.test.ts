// Operations that wait for the outside while others commit, in many random schedules: in any order, the ledger equals
// that of running the operations one after another in the order of their receipts.
import fc from "fast-check";
import { expect, it } from "vitest";
import { amount, SEED } from "../../../test/support/long-run.ts";
import { EXCHANGER_ADDRESS, INJECTOR } from "../../protocol/constants.ts";
import { parseExact } from "../../protocol/exact-json.ts";
import { smartFunctionAddress } from "../../protocol/runtime-operation.ts";
import { addressOf } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { mutez } from "../../tezos/mutez.ts";
import { ticketReturnMessage } from "../inbox/ticket-return.ts";
import { ticketHash } from "../inbox/ticket.ts";
import { accountText } from "../ledger/ledger.ts";
import { Bench } from "./executor-bench.ts";
import type { Outcome } from "./jobs.ts";
import { type Action, type Script, ScriptedEngine } from "./scripted-guest.ts";
import { SerialModel, type State } from "./serial-model.ts";

const USERS = ["alice", "bob", "carol"];
const PAID_TO = addressOf("tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg");
const TICKET = ticketHash({ ticketer: EXCHANGER_ADDRESS, id: 1n, content: null });
const OK = { status: 200, amount: 0 } as const;
/** Behaviour of a function called by a deposit. */
const PROXY: Script = {
  actions: [
    { do: "outside", wait: true },
    { do: "get", key: "a" },
    { do: "set", key: "a" },
  ],
  end: OK,
};

// Numbers stand for addresses: users, existing functions, and two that are deployed later.
const place = fc.nat(7);
const functionPlace = fc.constantFrom(3, 3, 3, 4, 4, 4, 5, 5, 6, 7);
const someMutez = fc.constantFrom(0, 0, 1, 2, 5, 20, 1_000);
const key = fc.constantFrom("a", "b");

type Placed = Omit<Script, "actions"> & { readonly actions: readonly PlacedAction[] };
type PlacedAction =
  | Extract<Action, { do: "get" | "delete" | "set" | "outside" | "withdraw" | "create" | "all" | "next" }>
  | { do: "balance"; of: number }
  | { do: "pay"; to: number; amount: number }
  | { do: "call"; to: number; amount: number; wait: boolean; script: Placed };

const outside = fc.record({ do: fc.constant("outside" as const), wait: fc.boolean() });
const { script } = fc.letrec<{
  script: Placed;
  action: PlacedAction;
  started: PlacedAction;
  call: PlacedAction;
}>((tie) => ({
  started: fc.oneof(
    { maxDepth: 2, depthIdentifier: "script" },
    { weight: 2, arbitrary: outside },
    tie("call"),
  ),
  action: fc.oneof(
    { maxDepth: 2, depthIdentifier: "script" },
    { weight: 2, arbitrary: outside },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("all" as const, "next" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("get" as const, "delete" as const), key }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("set" as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("balance" as const), of: place }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("pay" as const), to: place, amount: someMutez }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("withdraw" as const), amount: fc.constantFrom(1, 3, 500) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("create" as const), credit: someMutez }) },
    { weight: 3, arbitrary: tie("call") },
  ),
  call: fc.record({
    do: fc.constant("call" as const),
    to: functionPlace,
    amount: someMutez,
    wait: fc.boolean(),
    script: tie("script"),
  }),
  script: fc.record({
    // First actions that may wait, without awaiting them; then any.
    actions: fc
      .tuple(
        fc.array(tie("started"), { maxLength: 3, size: "max" }),
        fc.array(tie("action"), { maxLength: 5, size: "max" }),
      )
      .map(([first, then]) => [...first, ...then]),
    end: fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ status: fc.constantFrom(200, 200, 200, 418), amount: someMutez }),
      },
      { weight: 1, arbitrary: fc.constant("throw" as const) },
    ),
  }),
}));

const user = fc.nat(2);
const anyStep = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("run" as const),
      user,
      to: functionPlace,
      amount: fc.constantFrom(0, 0, 0, 0, 0, 5),
      script,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      which: fc.nat(99),
      late: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pay" as const), user, to: place, amount: someMutez }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), user, amount: someMutez }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("deposit" as const), to: place, amount: fc.nat(50) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("tickets" as const), amount: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deploy" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("snapshot" as const, "restore" as const) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

const hashOf = ({ receipt }: Outcome): string =>
  toHex(Uint8Array.from((parseExact(receipt) as { hash: number[] }).hash));

/** One schedule, run by the executor and by the serial model. */
class Schedule {
  readonly #engine = new ScriptedEngine();
  readonly #bench = new Bench(this.#engine);
  readonly #model = new SerialModel();
  readonly #places: string[];
  readonly #pending = new Map<string, (outcome: Outcome) => number | null | undefined>();
  readonly #later: string[];
  #deployed = 0;
  #taken = 0;
  #deposited = 0n;
  #tickets = 0n;
  #saved:
    | { ledger: Bench["ledger"]; state: State; deposited: bigint; tickets: bigint; deployed: number }
    | undefined;

  constructor() {
    const code = JSON.stringify(PROXY);
    const functions = USERS.map((name) => {
      const address = this.#bench.deploy(name, code);
      this.#model.bumpNonce(this.#bench.address(name));
      this.#model.deploy(address);
      return address;
    });
    const later = this.#bench.address("dave");
    this.#later = [1n, 2n].map((nonce) => smartFunctionAddress(later, code, nonce));
    this.#places = [...USERS.map((name) => this.#bench.address(name)), ...functions, ...this.#later];
    this.#taken = this.#bench.outcomes.length;
    for (const to of [0, 1, 2, 3, 4, 5]) this.take({ kind: "deposit", to, amount: 40 });
  }

  take(step: Step): void {
    const bench = this.#bench;
    switch (step.kind) {
      case "run": {
        const body = JSON.stringify({ script: this.#placed(step.script) });
        const headers: Record<string, string> =
          step.amount > 0 ? { "x-jstz-transfer": `${step.amount}` } : {};
        this.#operate(
          USERS[step.user]!,
          `jstz://${this.#places[step.to]}/`,
          { headers, body },
          (outcome, sender) => {
            const notes = this.#engine.notes.get(hashOf(outcome)) ?? [];
            if (notes.length > 0) return this.#model.replay(notes, sender);
            return outcome.statusCode === 404 && this.#model.state.functions.has(this.#places[step.to]!)
              ? undefined // impossible: it would exist
              : outcome.statusCode;
          },
        );
        break;
      }
      case "pay": {
        const to = this.#places[step.to]!;
        const headers: Record<string, string> =
          step.amount > 0 ? { "x-jstz-transfer": `${step.amount}` } : {};
        this.#operate(USERS[step.user]!, `jstz://${to}/-/noop`, { headers }, (_, sender) =>
          step.amount === 0 || this.#model.transfer(sender, to, BigInt(step.amount)) ? 200 : 500,
        );
        break;
      }
      case "withdraw": {
        const body = JSON.stringify({ amount: step.amount, receiver: PAID_TO });
        this.#operate(USERS[step.user]!, "jstz://jstz/withdraw", { body }, (_, sender) => {
          if (step.amount === 0) return 400;
          return this.#model.withdraw(sender, BigInt(step.amount)) ? 200 : null;
        });
        break;
      }
      case "deposit": {
        const to = this.#places[step.to]!;
        bench.deposit(to, BigInt(step.amount));
        this.#deposited += BigInt(step.amount);
        this.#pending.set(hashOf(bench.last), () => {
          this.#model.credit(to, BigInt(step.amount));
          return null;
        });
        break;
      }
      case "tickets": {
        const [receiver, proxy, total] = [this.#places[0]!, this.#places[3]!, BigInt(step.amount)];
        const hash = bench.depositTicket({
          receiver: addressOf(receiver),
          proxy: addressOf(proxy),
          amount: total,
          ticketHash: TICKET,
          source: addressOf(receiver),
        });
        this.#pending.set(hash, () => {
          this.#tickets += total;
          expect(this.#model.replay(this.#engine.notes.get(hash)!, INJECTOR.address)).toBe(200);
          return null;
        });
        break;
      }
      case "deploy": {
        if (this.#deployed >= this.#later.length) break;
        this.#model.bumpNonce(bench.address("dave"));
        const address = this.#later[this.#deployed++]!;
        const outcome = bench.submit("dave", { code: JSON.stringify(PROXY) });
        this.#pending.set(hashOf(outcome), ({ deployed }) => {
          const isTaken = this.#model.state.balances.has(address); // it may have received tez before
          expect(deployed).toBe(isTaken ? null : address);
          if (!isTaken) this.#model.deploy(address);
          return null;
        });
        break;
      }
      case "answer":
        // Mostly a pending request, now and then a stale one.
        if (step.late && bench.asked.length > 0) this.#answer(step.which % bench.asked.length);
        else if (bench.open.length > 0) this.#answer(bench.open[step.which % bench.open.length]!);
        break;
      case "snapshot":
        if (bench.waiting > 0) break;
        this.#saved = {
          ledger: bench.ledger.copy(),
          state: this.#model.snapshot(),
          deposited: this.#deposited - this.#paid(),
          tickets: this.#tickets,
          deployed: this.#deployed,
        };
        break;
      case "restore":
        this.#restore();
    }
    this.#compare();
  }

  /** Answers all pending requests. */
  finish(): void {
    for (let [next] = this.#bench.open; next !== undefined; [next] = this.#bench.open) {
      this.#answer(next);
      this.#compare();
    }
    expect([this.#bench.waiting, this.#pending.size]).toEqual([0, 0]);
  }

  #answer(index: number): void {
    this.#bench.answer(index, { status: 200, statusText: "OK", headers: [], body: `answer ${index}` });
  }

  #operate(
    name: string,
    uri: string,
    options: { headers?: Record<string, string>; body?: string },
    replay: (outcome: Outcome, sender: string) => number | null | undefined,
  ): void {
    const sender = this.#bench.address(name);
    this.#model.bumpNonce(sender);
    this.#bench.submitRun(name, uri, { method: "POST", ...options }, { unfinished: true });
    this.#pending.set(this.#bench.lastHash, (outcome) => replay(outcome, sender));
  }

  #restore(): void {
    const saved = this.#saved;
    if (saved === undefined) return;
    const difference = this.#bench.ledger.differenceTo(saved.ledger);
    if (this.#bench.waiting > 0) {
      // Waiting operations must not resume on a replaced ledger.
      expect(() => this.#bench.executor.accept({ kind: "amend", difference })).toThrow();
      return;
    }
    this.#bench.executor.accept({ kind: "amend", difference });
    this.#bench.ledger.amend(difference);
    this.#model.restore(saved.state);
    this.#deposited = saved.deposited + this.#paid();
    this.#tickets = saved.tickets;
    this.#deployed = saved.deployed;
  }

  #paid(): bigint {
    return this.#model.withdrawals.reduce((sum, each) => sum + each, 0n);
  }

  /** Replays the finished operations in the model, in the order of their receipts, and compares. */
  #compare(): void {
    const { ledger, outcomes, faults } = this.#bench;
    for (; this.#taken < outcomes.length; this.#taken++) {
      const outcome = outcomes[this.#taken]!;
      const hash = hashOf(outcome);
      const before = this.#model.withdrawals.length;
      expect(outcome.statusCode).toBe(this.#pending.get(hash)!(outcome));
      this.#pending.delete(hash);
      const sent = this.#model.withdrawals.slice(before).map(withdrawalHex);
      expect(outcome.outbox.map((bytes) => toHex(bytes))).toEqual(sent);
    }
    expect(this.#model.differences).toEqual([]);
    expect(faults).toEqual([]);
    const { balances, values, nonces } = this.#model.state;
    const accounts = new Map<string, string>();
    for (const address of new Set([...balances.keys(), ...nonces.keys()])) {
      const account = { amount: mutez(balances.get(address) ?? 0n), nonce: nonces.get(address) ?? 0n };
      accounts.set(address, accountText(account));
    }
    const stored = new Map<string, string>();
    for (const write of ledger.writes()) {
      if (write[0] === "value") stored.set(`${write[1]}/${write[2]}`, write[3]!);
      // Nonces of functions count their deploys, which the model tracks by the new addresses.
      if (write[0] === "account" && write[1].startsWith("KT1"))
        expect(balances.get(write[1]) ?? 0n).toBe(BigInt(write[2].split(":")[0]!));
      else if (write[0] === "account") expect(accounts.get(write[1]) ?? "0:0", write[1]).toEqual(write[2]);
    }
    expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(values));
    expect(ledger.total()).toBe(this.#deposited - this.#paid());
    expect(ledger.ticket(TICKET, this.#places[0]!) + ledger.ticket(TICKET, this.#places[3]!)).toBe(
      this.#tickets,
    );
  }

  #placed({ actions, end }: Placed): Script {
    const address = (index: number): string => this.#places[index]!;
    return {
      end,
      actions: actions.map((action): Action => {
        if (action.do === "balance") return { ...action, of: address(action.of) };
        if (action.do === "pay") return { ...action, to: address(action.to) };
        if (action.do === "call")
          return { ...action, to: address(action.to), script: this.#placed(action.script) };
        return action;
      }),
    };
  }
}

function withdrawalHex(total: bigint): string {
  const ticket = { ticketer: EXCHANGER_ADDRESS, id: 0n, content: null, amount: total };
  const message = { destination: EXCHANGER_ADDRESS, entrypoint: "burn", receiver: PAID_TO, ticket };
  return toHex(ticketReturnMessage(message));
}

it("any schedule of waiting operations, deposits and restores equals their serial order", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 8, maxLength: 20, size: "max" }), (steps) => {
      const schedule = new Schedule();
      for (const step of steps) schedule.take(step);
      schedule.finish();
    }),
    { numRuns: amount(400, 30_000), seed: SEED, unbiased: true },
  );
}, 900_000);
