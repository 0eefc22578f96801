// Values with slow components: the reader pauses in between, however they are nested.
import { beforeAll, describe, expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { addressOf } from "../../tezos/address.ts";
import { loadBls } from "../../tezos/curves.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { type Job, finish } from "../job.ts";
import { G1_POINT, G2_POINT } from "../testing/hostile-scripts.ts";
import { stretchesOf } from "../testing/job-stretches.ts";
import { loneFrame } from "../testing/lone-contract.ts";
import { writePoint } from "./bls.ts";
import { READ_COSTS } from "./check-costs.ts";
import type { DataScope } from "./data-scope.ts";
import { GasMeter, noGasLimit } from "./gas.ts";
import { knownPoint, readLiteralPoints } from "./literal-points.ts";
import { MichelsonError, outOfTime } from "./michelson-error.ts";
import { parseType } from "./parse-type.ts";
import { parseValue, readValue } from "./parse-value.ts";
import { runScript } from "./run-script.ts";
import { lambdaInData, parseScript } from "./script.ts";
import { type Type, type } from "./type.ts";
import { unparseWithRests } from "./unparse-value.ts";
import { type PointValue, type Value, listOf as listValue } from "./value.ts";

beforeAll(loadBls);

const scopeOf = (gas: GasMeter): DataScope => ({
  gas,
  compileLambda: (argument, result, code, recursive) => lambdaInData(argument, result, code, recursive, gas),
  hasEntrypoint: () => false,
  bigMapTypes: () => undefined,
  allowTickets: true,
  allowBigMapIds: true,
});

const COUNT = 40;
const g1 = (): Micheline => ({ bytes: G1_POINT });
const g2 = (): Micheline => ({ bytes: G2_POINT });
const listOf = <T>(make: (i: number) => T): readonly T[] => Array.from({ length: COUNT }, (_, i) => make(i));
const elements = (): Micheline => listOf((i) => ({ prim: "Elt", args: [{ int: `${i}` }, g1()] }));
const pushes = (prim: string, point: () => Micheline): Micheline =>
  listOf(() => [{ prim: "PUSH", args: [{ prim }, point()] }, { prim: "DROP" }]).flat();
const KEY = "edpkuBknW28nW72KG6RoHtYW7p12T6GKc7nAbwYX5m8Wd9sDVC9yav";
const KT1 = addressOf("KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ");

describe("reading a value", () => {
  const comb = Array(COUNT).fill("bls12_381_g1").join(" ");
  it.each<readonly [string, Micheline]>([
    ["list bls12_381_g1", listOf(g1)],
    ["list bls12_381_g2", listOf(g2)],
    ["list (option bls12_381_g1)", listOf(() => ({ prim: "Some", args: [g1()] }))],
    ["list (or bls12_381_g1 unit)", listOf(() => ({ prim: "Left", args: [g1()] }))],
    ["list (pair bls12_381_g1 int)", listOf(() => ({ prim: "Pair", args: [g1(), { int: "1" }] }))],
    ["option (or unit (list bls12_381_g1))", { prim: "Some", args: [{ prim: "Right", args: [listOf(g1)] }] }],
    [`pair ${comb}`, listOf(g1)],
    ["map int bls12_381_g1", elements()],
    ["big_map int bls12_381_g1", elements()],
    ["set (pair int key)", listOf((i) => ({ prim: "Pair", args: [{ int: `${i}` }, { string: KEY }] }))],
    [
      "list (ticket key)",
      listOf(() => ({ prim: "Pair", args: [{ string: KT1 }, { string: KEY }, { int: "1" }] })),
    ],
  ])("pauses after a few components: %s", (typeText, node) => {
    const t = parseType(parseMichelineText(typeText));
    const gas = noGasLimit();
    const stretches = stretchesOf(readValue(t, node, scopeOf(gas)), gas);
    expect(stretches.length).toBeGreaterThan(Array.isArray(node) ? node.length / 6 : COUNT / 6);
    expect(Math.max(...stretches)).toBeLessThan(300_000);
    // The value and the gas are the same as in one go.
    const atOnce = noGasLimit();
    parseValue(t, node, scopeOf(atOnce));
    expect(gas.used).toBe(atOnce.used);
  });

  it("rests while it reads the points within a lambda, and does not read them again", () => {
    const t = parseType(parseMichelineText("lambda unit unit"));
    const gas = noGasLimit();
    const code = pushes("bls12_381_g2", g2);
    const first = stretchesOf(readValue(t, code, scopeOf(gas)), gas);
    expect(first.filter((spent) => spent === 0).length).toBeGreaterThan(COUNT / 5);
    const second = stretchesOf(readValue(t, code, scopeOf(gas)), gas);
    expect(second.filter((spent) => spent === 0)).toEqual([]);
  });
});

describe("reading the points of code", () => {
  const read = (code: Micheline, gas: GasMeter): number => {
    finish(readLiteralPoints(code, gas));
    const nodes = (code as readonly { args?: readonly Micheline[] }[]).map(({ args }) => args?.[1]);
    return nodes.filter((node) => node && knownPoint("g1", node as { bytes: string })).length;
  };

  it("pauses after a few of them, and parses all in the end", () => {
    const code = pushes("bls12_381_g1", g1);
    const gas = noGasLimit();
    expect(stretchesOf(readLiteralPoints(code, gas), gas).length).toBeGreaterThan(COUNT / 5);
    expect(read(code, gas)).toBe(COUNT);
    expect(gas.used).toBe(0);
  });

  it("reads no more than gas can pay for", () => {
    expect(read(pushes("bls12_381_g1", g1), new GasMeter(3.5 * READ_COSTS.g1))).toBe(3);
  });

  it("skips invalid points, and code without points", () => {
    expect(read(pushes("bytes", g1), noGasLimit())).toBe(0);
    const wrong = pushes("bls12_381_g1", () => ({ bytes: "01".repeat(96) }));
    expect(read(wrong, noGasLimit())).toBe(0);
  });
});

describe("UNPACK", () => {
  it("fails at a pause when time is up, and does not mistake that for bytes of another type", () => {
    const code = `{ parameter bytes; storage unit; code { CAR; UNPACK (list bls12_381_g1); DROP; UNIT; NIL operation; PAIR } }`;
    const gas = new GasMeter(1_040_000_000);
    const frame = loneFrame(gas);
    const item = `0a00000060${G1_POINT}`.repeat(COUNT);
    const length = (item.length / 2).toString(16).padStart(8, "0");
    const bytes = Buffer.from(`0502${length}${item}`, "hex").toString("latin1");
    const start = (): Job<unknown> => runScript(parseScript(parseMichelineText(code)), frame, bytes, true);
    expect(stretchesOf(start(), gas).length).toBeGreaterThan(COUNT / 5);
    const job = start();
    job.next();
    let failure: unknown;
    try {
      job.throw(outOfTime());
    } catch (error) {
      failure = error;
    }
    expect((failure as MichelsonError).errors.at(-1)!.id).toBe("sandbox.processor_time_exhausted");
  });
});

describe("reading what the state holds", () => {
  const INFINITY = `40${"00".repeat(95)}`;
  it.each([
    ["bls12_381_g1", G1_POINT],
    ["bls12_381_g2", G2_POINT],
    ["bls12_381_g1", INFINITY],
    ["bls12_381_g2", INFINITY + "00".repeat(96)],
  ])("yields the same points for the same gas: %s 0x%s", (typeText, hex) => {
    const t = parseType(parseMichelineText(typeText));
    const [given, stored] = [noGasLimit(), noGasLimit()];
    const value = parseValue(t, { bytes: hex }, scopeOf(given));
    const again = parseValue(t, { bytes: hex }, { ...scopeOf(stored), isStored: true });
    expect(writePoint(again as PointValue)).toBe(writePoint(value as PointValue));
    expect(stored.used).toBe(given.used);
  });

  it("takes a fraction of the time", () => {
    const t = parseType(parseMichelineText("list bls12_381_g1"));
    // The best of some tries: other processes use the processor as well.
    const msOf = (isStored: boolean): number => {
      const tries = Array.from({ length: 5 }, () => {
        const start = processorTime();
        parseValue(t, listOf(g1), { ...scopeOf(noGasLimit()), isStored });
        return processorTime() - start;
      });
      return Math.min(...tries);
    };
    expect(msOf(true)).toBeLessThan(msOf(false) / 3);
  });
});

describe("writing a value", () => {
  /** A list of lists, each of two copies of the next one: little memory, and 2^depth leaves. */
  function doubleUp(depth: number): { t: Type; value: Value } {
    let [t, value]: [Type, Value] = [type("nat"), 5n];
    for (let i = 0; i < depth; i++) [t, value] = [type("list", t), listValue([value, value])];
    return { t, value };
  }

  it.each(["readable", "optimized", "packed"] as const)("pauses after some thousand nodes: %s", (form) => {
    const { t, value } = doubleUp(16);
    const gas = noGasLimit();
    const stretches = stretchesOf(unparseWithRests(t, value, form, gas), gas);
    expect(stretches.length).toBeGreaterThan(60); // of 131,071 nodes
    // All but the last, which charges for the bytes of the whole.
    expect(Math.max(...stretches.slice(0, -1))).toBeLessThan(2_100 * 65);
  });

  it.each<readonly [string, string]>([
    ["set nat", listOf((i) => `${i}`).join("; ")],
    ["map nat (list nat)", listOf((i) => `Elt ${i} { 1; 2 }`).join("; ")],
    ["list (pair nat (option nat))", listOf(() => "Pair 1 (Some 2)").join("; ")],
  ])("of type %s yields what was read", (typeText, items) => {
    const t = parseType(parseMichelineText(typeText));
    const node = parseMichelineText(`{ ${items} }`);
    const gas = noGasLimit();
    const value = parseValue(t, node, scopeOf(gas));
    expect(finish(unparseWithRests(t, value, "readable"))).toEqual(node);
  });

  it("pauses in PACK and FAILWITH as well", () => {
    let code = "PUSH nat 1;";
    for (let depth = 0; depth < 14; depth++)
      code += ` NIL ${"(list ".repeat(depth)}nat${")".repeat(depth)}; DUP 2; CONS; DUP 2; CONS; DIP { DROP };`;
    for (const end of ["PACK; DROP; UNIT; NIL operation; PAIR", "FAILWITH"]) {
      const gas = new GasMeter(1_040_000_000);
      const script = parseMichelineText(`{ parameter unit; storage unit; code { DROP; ${code} ${end} } }`);
      const frame = loneFrame(gas);
      const job = runScript(parseScript(script), frame, true, true);
      const stretches: number[] = [];
      const before = gas.used;
      try {
        for (let used = before; !job.next().done; used = gas.used) stretches.push(gas.used - used);
      } catch (error) {
        expect(error).toBeInstanceOf(MichelsonError);
      }
      expect(stretches.length).toBeGreaterThan(5); // of 32,767 nodes
    }
  });
});
