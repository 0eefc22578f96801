import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adaptEngine } from "../call/engine-adapter.ts";
import { testEngine } from "../engine/test-engine.ts";
import { Bench } from "./executor-bench.ts";

/**
 * A function that follows its request: writes a key with the mark of this call, pays, calls another, and succeeds or
 * fails.
 */
const ACTOR = `export default async (request) => {
  const { mark, write, pay, call, answer, end, chain } = await request.json();
  if (write) { Kv.set("pending/" + mark, chain); Kv.set("last", mark); }
  if (pay) { try { Ledger.transfer(pay.to, pay.amount); } catch {} }
  if (call) await fetch("jstz://" + call.to + "/", {
    method: "POST", body: JSON.stringify(call.plan), headers: call.amount ? { "x-jstz-transfer": String(call.amount) } : {} });
  switch (end) {
    case "throw": throw new Error("no");
    case "status": return new Response(null, { status: 418 });
    case "nonsense": return 5;
    case "never": return new Promise(() => {});
    case "overpay": return new Response(null, { headers: { "x-jstz-transfer": "999999999999" } });
    case "withdraw": {
      const r = await fetch("jstz://jstz/withdraw", { method: "POST",
        body: JSON.stringify({ amount: 3, receiver: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg" }) });
      return new Response(null, { status: r.status });
    }
    default: return new Response(null, answer ? { headers: { "x-jstz-transfer": String(answer) } } : {});
  }
};`;

const ENDS = ["ok", "ok", "throw", "status", "nonsense", "never", "overpay", "withdraw"] as const;
const AMOUNT = fc.constantFrom(0, 1, 2, 5, 50, 100_000);

interface Plan {
  mark: string;
  write: boolean;
  pay: { to: number; amount: number } | undefined;
  call: { to: number; amount: number; plan: Plan } | undefined;
  answer: number;
  end: (typeof ENDS)[number];
}

let marks = 0;
const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    mark: fc.constant("").map(() => `m${marks++}`),
    write: fc.boolean(),
    pay: fc.option(fc.record({ to: fc.nat(4), amount: AMOUNT }), { nil: undefined }),
    call: fc.option(fc.record({ to: fc.nat(2), amount: AMOUNT, plan: tie("plan") }), {
      nil: undefined,
      maxDepth: 3,
    }),
    answer: AMOUNT,
    end: fc.constantFrom(...ENDS),
  }),
}));

const anyStep = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("deposit" as const), to: fc.nat(4), amount: fc.nat(100) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("run" as const),
      from: fc.nat(1),
      to: fc.nat(2),
      amount: AMOUNT,
      plan,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("deploy" as const), from: fc.nat(1), credit: AMOUNT }),
  },
);

describe("after any sequence of operations", () => {
  it("the sum of all tez is deposits minus withdrawals, and no write of a failed call remains", async () => {
    const engine = adaptEngine(await testEngine(), { realTime: false });
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 12 }), (steps) => {
        const bench = new Bench(engine);
        const users = ["alice", "bob"];
        const actors = users.concat("carol").map((name) => bench.deploy(name, ACTOR));
        const accounts = [...actors, ...users.map((name) => bench.address(name))];
        /** The plan with addresses, and with the endings of its callers and its own. */
        const withNames = (step: Plan, callers: readonly string[] = []): unknown => {
          const { pay, call } = step;
          const chain = [...callers, step.end];
          return {
            ...step,
            chain,
            pay: pay && { to: accounts[pay.to], amount: pay.amount },
            call: call && { to: actors[call.to], amount: call.amount, plan: withNames(call.plan, chain) },
          };
        };
        let deposited = 0n;
        for (const each of steps) {
          if (each.kind === "deposit") {
            bench.deposit(accounts[each.to]!, BigInt(each.amount));
            deposited += BigInt(each.amount);
          } else if (each.kind === "deploy") {
            const code = `export default () => new Response("${marks++}")`;
            bench.submit(users[each.from]!, { code, credit: BigInt(each.credit) });
          } else {
            const headers: Record<string, string> = each.amount
              ? { "x-jstz-transfer": `${each.amount}` }
              : {};
            const body = JSON.stringify(withNames(each.plan));
            bench.run(users[each.from]!, `jstz://${actors[each.to]}/`, { method: "POST", headers, body });
          }
        }
        const withdrawn = 3n * BigInt(bench.outcomes.reduce((sum, { outbox }) => sum + outbox.length, 0));
        expect(bench.ledger.total()).toBe(deposited - withdrawn);
        for (const actor of actors) {
          for (const key of bench.ledger.keys(actor)) {
            if (!key.startsWith("pending/")) continue;
            // The mark of a call that failed, or whose caller failed, must be gone.
            const chain = JSON.parse(bench.ledger.value(actor, key) ?? "") as string[];
            expect(chain.every((end) => end === "ok" || end === "withdraw")).toBe(true);
          }
        }
        expect(bench.faults).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
