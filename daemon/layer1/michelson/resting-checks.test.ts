// Code that takes long to check: whoever checks it rests in between, pays as without rests, and takes bounded room.
import { describe, expect, it } from "vitest";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { finish } from "../job.ts";
import { stretchesOf } from "../testing/job-stretches.ts";
import { noGasLimit } from "./gas.ts";
import { MichelsonError } from "./michelson-error.ts";
import { checkedScript, lambdaInData, parseStorageType, typecheckScript } from "./script.ts";
import { TypeMap } from "./type-map.ts";
import { UNIT } from "./type.ts";

const WIDTH = 1_000;
const wide = (rest: string): string => `{ ${"DUP; ".repeat(WIDTH)} ${rest} UNIT; FAILWITH }`;
const script = (code: string): Micheline =>
  parseMichelineText(`{ parameter unit; storage nat; code ${code} }`);

/** Code that goes on for long, by what is done again and again on a stack of a thousand. */
const LONG: Readonly<Record<string, string>> = {
  "DIG 900": wide("DIG 900; ".repeat(3_000)),
  "DUG 900": wide("DUG 900; ".repeat(3_000)),
  "DIP 900": wide("DIP 900 { DUP; DROP }; ".repeat(1_500)),
  "branches within branches": wide(`${"PUSH bool True; IF { ".repeat(200)} ${"} {}; ".repeat(200)}`),
  "bodies of loops": wide("NIL nat; ITER { DROP }; ".repeat(2_000)),
  lambdas: wide("LAMBDA unit unit { DUP; DROP }; DROP; ".repeat(2_000)),
  "lambdas in data": wide("PUSH (lambda unit unit) { DUP; DROP }; DROP; ".repeat(2_000)),
};

function idOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof MichelsonError) return error.errors.at(-1)!.id;
    throw error;
  }
  return undefined;
}

describe("checking code", () => {
  it.each(Object.keys(LONG))("rests after a little gas: %s", (name) => {
    const code = script(LONG[name]!);
    const [gas, atOnce] = [noGasLimit(), noGasLimit()];
    const stretches = stretchesOf(typecheckScript(code, gas, true), gas);
    // The last stretch may compare stacks of a thousand.
    expect(stretches.length).toBeGreaterThan(5);
    expect(Math.max(...stretches)).toBeLessThan(400_000);
    finish(typecheckScript(code, atOnce, true));
    expect(gas.used).toBe(atOnce.used);
  });

  it("rests in the lambdas of data, and in views", () => {
    const body = parseMichelineText(LONG["DIG 900"]!);
    const gas = noGasLimit();
    expect(stretchesOf(lambdaInData(UNIT, UNIT, body, false, gas), gas).length).toBeGreaterThan(5);
    const views = parseMichelineText(
      `{ parameter unit; storage nat; code { FAILWITH }; view "v" unit unit ${LONG["DIG 900"]!} }`,
    );
    const ofView = noGasLimit();
    expect(stretchesOf(checkedScript(views, ofView, { legacy: false }), ofView).length).toBeGreaterThan(5);
  });

  it("can be left where it rests", () => {
    const job = typecheckScript(script(LONG["DIG 900"]!), noGasLimit(), true);
    expect(job.next().done).toBe(false);
    job.return();
    expect(job.next().done).toBe(true);
  });

  it("keeps the types of each step where it is to be traced, and only there", () => {
    const code = script("{ CDR; NIL operation; PAIR }");
    const run = (isTraced: boolean) => finish(checkedScript(code, undefined, { isTraced })).run;
    expect(run(false).types).toEqual([]);
    expect(run(true).types.map((stack) => stack?.size)).toEqual([1, 1, 2, 1]);
    expect(run(false).types).toEqual([]);
  });

  it("ends code that makes large types without end by the room they take", () => {
    const code = `{ ${"UNIT; ".repeat(900)} PAIR 901; ${"DUP; UNIT; UPDATE 1799; ".repeat(400)} FAILWITH }`;
    expect(idOf(() => finish(typecheckScript(script(code), noGasLimit(), true)))).toBe(
      "sandbox.memory_exhausted",
    );
  });
});

describe("a map of types", () => {
  const mapOf = (code: string) => {
    const map = new TypeMap();
    finish(typecheckScript(script(code), noGasLimit(), true, map.log));
    return map.newestFirst();
  };

  it("shows the types around each instruction, the newest first", () => {
    const [pair, nil, cdr] = mapOf("{ CDR; NIL operation; PAIR }");
    expect(cdr!.stack_after).toEqual([{ prim: "nat" }]);
    expect(nil!.stack_after).toEqual([{ prim: "list", args: [{ prim: "operation" }] }, { prim: "nat" }]);
    expect(pair!.stack_before).toEqual(nil!.stack_after);
  });

  it("is refused where wide stacks make it too long", () => {
    expect(idOf(() => mapOf(wide("DUP; DROP; ".repeat(1_000))))).toBe("sandbox.type_map_too_large");
  });
});

it("the type of a storage is read without checking the code", () => {
  expect(parseStorageType(script("{ DUG 7 }"))).toMatchObject({ prim: "nat" });
});
