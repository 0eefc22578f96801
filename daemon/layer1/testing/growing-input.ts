// Input of any size for every parser in layer 1 that reads untrusted data, by what it parses.
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { fromHex } from "../../tezos/hex.ts";
import { decodeMicheline, encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText, parseMichelsonText } from "../../tezos/micheline-text.ts";
import { type Micheline, extentOf, parseMicheline } from "../../tezos/micheline.ts";
import { decodeUnsigned, forgeOperation } from "../../tezos/operation-codec.ts";
import { parseOperationJson } from "../../tezos/operation-json.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { MichelsonError } from "../michelson/michelson-error.ts";
import { parseType } from "../michelson/parse-type.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { lambdaInData, parseScript } from "../michelson/script.ts";
import { unparseValue } from "../michelson/unparse-value.ts";

/** Prepares input of about that many bytes. @returns a function that reads it */
type Reader = (bytes: number) => () => unknown;

const ADDRESS = BOOTSTRAP_ACCOUNTS[1].address;
const BRANCH = "BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2";
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: Math.ceil(count) }, (_, i) => make(i));
const text = (code: string): Micheline => parseMichelineText(code);
const prim = (name: string, ...args: readonly Micheline[]): Micheline =>
  args.length > 0 ? { prim: name, args } : { prim: name };

/** Reads input that must be refused. */
function expectRefusal(read: () => unknown): void {
  try {
    read();
  } catch {
    return; // as expected
  }
  throw new Error("accepted");
}

const scriptOf = (code: readonly Micheline[], parameter: Micheline = prim("unit")): Micheline => [
  prim("parameter", parameter),
  prim("storage", prim("unit")),
  prim("code", [prim("CDR"), ...code, prim("NIL", prim("operation")), prim("PAIR")]),
];

/** Reads data of a type: from JSON to a value, and back to an expression and to bytes. */
const data =
  (type: string, element: (i: number) => Micheline, elementBytes: number): Reader =>
  (bytes) => {
    const json = JSON.stringify(times(bytes / elementBytes, element));
    const t = parseType(text(type));
    const scope = {
      gas: noGasLimit(),
      compileLambda: (from: never, to: never, code: Micheline, recursive: boolean) =>
        lambdaInData(from, to, code, recursive, noGasLimit()),
      hasEntrypoint: () => true,
      bigMapTypes: () => undefined,
      allowTickets: true,
      allowBigMapIds: false,
    };
    return () => {
      const expression = parseMicheline(JSON.parse(json))!;
      const value = parseValue(t, expression, scope);
      return encodeMicheline(unparseValue(t, value, "optimized"));
    };
  };

/** Checks a script: from JSON to runnable code. */
const script =
  (instructions: (count: number) => readonly Micheline[], bytesEach: number, parameter?: Micheline): Reader =>
  (bytes) => {
    const json = JSON.stringify(scriptOf(instructions(Math.ceil(bytes / bytesEach)), parameter));
    return () => parseScript(parseMicheline(JSON.parse(json))!);
  };

const contentOf = (bytes: number): object => ({
  kind: "transaction",
  source: ADDRESS,
  fee: "1",
  counter: "1",
  gas_limit: "1",
  storage_limit: "1",
  amount: "1",
  destination: ADDRESS,
  parameters: { entrypoint: "default", value: { bytes: "ab".repeat(bytes) } },
});

const unitNamed = (name: string): Micheline => ({ prim: "unit", annots: [name] });
const entrypoints = (count: number): Micheline =>
  count === 1 ? unitNamed("%last") : prim("or", unitNamed(`%e${count}`), entrypoints(count - 1));

export const READERS: Readonly<Record<string, Reader>> = {
  "a list of numbers": data("list int", (i) => ({ int: String(i) }), 16),
  "long numbers": data("list int", () => ({ int: "7".repeat(20_000) }), 20_010),
  "a set": data("set int", (i) => ({ int: String(i) }), 16),
  "a map": data("map int string", (i) => prim("Elt", { int: String(i) }, { string: "x" }), 60),
  "a big map": data("big_map int int", (i) => prim("Elt", { int: String(i) }, { int: "1" }), 60),
  addresses: data("list address", () => ({ string: ADDRESS }), 50),
  "texts that are no addresses": (bytes) => {
    const long = "tz1" + "x".repeat(bytes);
    return () => expectRefusal(() => parseValue(parseType(text("address")), { string: long }, {} as never));
  },
  "one text": (bytes) => data("list string", () => ({ string: "x".repeat(bytes) }), bytes)(bytes),
  "one byte string": (bytes) => data("list bytes", () => ({ bytes: "ab".repeat(bytes / 2) }), bytes)(bytes),
  combs: data(
    `list (pair ${"nat ".repeat(900)})`,
    () => prim("Pair", ...times(900, () => ({ int: "1" }))),
    900 * 12,
  ),
  lambdas: data("list (lambda unit unit)", () => [prim("UNIT"), prim("DROP")], 36),
  code: script((count) => times(count, () => [prim("UNIT"), prim("DROP")]), 36),
  "code on a deep stack": script(
    (count) => [...times(count, () => prim("UNIT")), ...times(count, () => prim("DROP"))],
    32,
  ),
  "branches on a deep stack": script(
    (count) => [
      ...times(count, () => prim("UNIT")),
      ...times(count, () => [prim("PUSH", prim("bool"), prim("True")), prim("IF", [], [])]),
      ...times(count, () => prim("DROP")),
    ],
    130,
  ),
  "pairs of copies of a large type": script(
    (count) => [
      prim("UNIT"),
      ...times(9, () => [prim("DUP"), prim("PAIR")]),
      ...times(count, () => [prim("DUP"), prim("SOME"), prim("DROP")]),
      prim("DROP"),
    ],
    54,
  ),
  "lambdas in code": script(
    (count) =>
      times(count, () => [
        prim("LAMBDA", prim("unit"), prim("unit"), [prim("UNIT"), prim("DROP")]),
        prim("DROP"),
      ]),
    110,
  ),
  "SELF of many entrypoints": script(
    (count) => times(count, () => [{ prim: "SELF", annots: ["%last"] }, prim("DROP")]),
    52,
    entrypoints(400),
  ),
  annotations: (bytes) => {
    const json = { prim: "unit", annots: times(bytes / 10, (i) => `%a${i}`) };
    const read = (): unknown => parseType(parseMicheline(json)!);
    return () => {
      try {
        return read();
      } catch (error) {
        if (error instanceof MichelsonError) return error; // a type has at most one name
        throw error;
      }
    };
  },
  "the depth of an expression": (bytes) => {
    const wide = times(bytes / 40, () => prim("Pair", prim("Unit"), prim("Unit")));
    return () => extentOf([...wide]);
  },
  "binary Micheline": (bytes) => {
    const encoded = encodeMicheline(times(bytes / 3, (i) => ({ int: String(i % 64) })));
    return () => encodeMicheline(decodeMicheline(encoded));
  },
  "binary numbers": (bytes) => {
    const encoded = encodeMicheline(times(bytes / 8_000, () => ({ int: String(1n << 60_000n) })));
    return () => encodeMicheline(decodeMicheline(encoded));
  },
  "Micheline as text": (bytes) => {
    const written = `{ ${'Pair 1 "abc" # x\n; '.repeat(bytes / 20)} }`;
    return () => parseMichelineText(written);
  },
  "Micheline comments that do not end": (bytes) => {
    const written = `{ /* ${"* / ".repeat(bytes / 4)}`;
    return () => expectRefusal(() => parseMichelineText(written));
  },
  "Michelson with macros": (bytes) => {
    const written = `{ ${"SET_CADAR; IFCMPEQ {} { FAIL }; ".repeat(bytes / 32)} }`;
    return () => parseMichelsonText(written);
  },
  hex: (bytes) => {
    const hex = "ab".repeat(bytes / 2);
    return () => fromHex(hex);
  },
  "hex that ends badly": (bytes) => {
    const hex = `${"ab".repeat(bytes / 2)}x`;
    return () => fromHex(hex);
  },
  "contents of an operation": (bytes) => {
    const operation = { branch: BRANCH, contents: times(Math.min(1_000, bytes / 300), () => contentOf(20)) };
    return () => forgeOperation(BRANCH, parseOperationJson(operation).contents);
  },
  "one large content": (bytes) => {
    const operation = { branch: BRANCH, contents: [contentOf(bytes / 2)] };
    return () => decodeUnsigned(forgeOperation(BRANCH, parseOperationJson(operation).contents));
  },
};
