// The unit tests of Michelson, file by file: code on a stack, and the result.
import { beforeAll, describe, expect, it } from "vitest";
import { type Address, addressOf, NULL_ADDRESS } from "../../tezos/address.ts";
import { loadBls } from "../../tezos/curves.ts";
import type { Micheline, MichelinePrim } from "../../tezos/micheline.ts";
import { type Job, finish } from "../job.ts";
import { canonical } from "../testing/recorded-runs.ts";
import { filesIn, suiteFolder, textOf } from "../testing/suites.ts";
import { type StackElement, type TztTest, matches, parseTzt } from "../testing/tzt.ts";
import { checkCode } from "./check.ts";
import type { DataScope } from "./data-scope.ts";
import { entrypointsOf, findEntrypoint } from "./entrypoints.ts";
import { GasMeter, noGasLimit } from "./gas.ts";
import { type Frame, type Scope, type World, stackOf } from "./instruction.ts";
import type { InternalOperation } from "./internal-operation.ts";
import { Machine } from "./machine.ts";
import { MichelsonError, ScriptRejected } from "./michelson-error.ts";
import { hashKey } from "./pack.ts";
import { TYPE_RULES, parseType } from "./parse-type.ts";
import { parseValue } from "./parse-value.ts";
import { lambdaInData, looseScope, parseScript } from "./script.ts";
import { StackType } from "./stack-type.ts";
import { type Type, plainType, sameType } from "./type.ts";
import { unparseValue } from "./unparse-value.ts";
import type { OperationValue, Value } from "./value.ts";

const suite = suiteFolder("octez", "tzt");
const SELF = addressOf("KT1BEqzn5Wx8uJrZNvuS9DVHmLvG9td3fDLi");

interface StoredMap {
  readonly key: Type;
  readonly value: Type;
  readonly entries: ReadonlyMap<string, Value>;
}

function* resolve(value: Value | undefined): Job<Value | undefined> {
  return value;
}

class Surroundings {
  readonly #sections: TztTest["sections"];
  readonly bigMaps = new Map<bigint, StoredMap>();
  readonly #contracts = new Map<string, Type>();
  readonly #indexes = new Map<string, bigint>([[NULL_ADDRESS, 0n]]);

  constructor({ sections }: TztTest) {
    this.#sections = sections;
    for (const contract of this.#list("other_contracts")) {
      const [address, parameter] = contract.args!;
      this.#contracts.set(text(address!), parseType(parameter!, { rules: TYPE_RULES.parameter }));
    }
    for (const map of this.#list("big_maps")) {
      const [id, key, value, entries] = map.args!;
      const [keyType, valueType] = [parseType(key!), parseType(value!)];
      const stored = new Map<string, Value>();
      for (const entry of entries as readonly MichelinePrim[])
        stored.set(
          hashKey(keyType, parseValue(keyType, entry.args![0]!, this.data)),
          parseValue(valueType, entry.args![1]!, this.data),
        );
      this.bigMaps.set(BigInt((id as { int: string }).int), {
        key: keyType,
        value: valueType,
        entries: stored,
      });
    }
  }

  #list(name: string): readonly MichelinePrim[] {
    return (this.#sections.get(name) ?? []) as readonly MichelinePrim[];
  }

  value(name: string, type: "address" | "chain_id" | "mutez" | "nat" | "timestamp", fallback: Value): Value {
    const given = this.#sections.get(name);
    return given === undefined ? fallback : parseValue({ prim: type, args: [] }, given, this.data);
  }

  get parameter(): Type | undefined {
    const given = this.#sections.get("parameter");
    return given && parseType(given, { rules: TYPE_RULES.parameter });
  }

  get data(): DataScope {
    const gas = noGasLimit();
    return {
      gas,
      compileLambda: (argument, result, code, recursive) =>
        lambdaInData(argument, result, code, recursive, gas),
      hasEntrypoint: (address, entrypoint, argument) => this.#hasEntrypoint(address, entrypoint, argument),
      bigMapTypes: (id) => this.bigMaps.get(id),
      allowTickets: true,
      allowBigMapIds: true,
    };
  }

  #hasEntrypoint(address: string, entrypoint: string, argument: Type): boolean {
    if (address.startsWith("tz"))
      return entrypoint === "default" && (argument.prim === "unit" || argument.prim === "ticket");
    const parameter =
      address === this.value("self", "address", SELF)
        ? (this.parameter ?? { prim: "unit", args: [] })
        : this.#contracts.get(address);
    if (!parameter) return false;
    const found = findEntrypoint(parameter, entrypointsOf(parameter), entrypoint);
    return found !== undefined && sameType(found.type, argument);
  }

  /** Power of a delegate, and of all of them. */
  #powers(): ReadonlyMap<string, bigint> {
    return new Map(
      this.#list("voting_power").map(({ args }) => [
        text(args![0]!),
        BigInt((args![1] as { int: string }).int),
      ]),
    );
  }

  #view(address: string, name: string): ReturnType<World["findView"]> {
    const views = this.#list("views").find(({ args }) => text(args![0]!) === address);
    const storage = this.#list("storages").find(({ args }) => text(args![0]!) === address);
    if (!views || !storage) return undefined;
    const [, storageType, given] = storage.args!;
    const script = parseScript([
      { prim: "parameter", args: [{ prim: "unit" }] },
      { prim: "storage", args: [storageType!] },
      { prim: "code", args: [[{ prim: "FAILWITH" }]] },
      ...(views.args![1] as readonly MichelinePrim[]).map((view) => ({ ...view, prim: "view" })),
    ]);
    const view = script.views.get(name);
    return view && { code: view.run, storage: parseValue(script.storage, given!, this.data), balance: 0n };
  }

  get world(): World {
    let nonce = 0;
    return {
      now: this.value("now", "timestamp", 0n) as bigint,
      level: this.value("level", "nat", 1n) as bigint,
      chainId: this.value("chain_id", "chain_id", "NetXynUjJNZm7wi") as string,
      minBlockTime: this.value("min_block_time", "nat", 1n) as bigint,
      hasEntrypoint: (address, entrypoint, argument) => this.#hasEntrypoint(address, entrypoint, argument),
      bigMapTypes: (id) => this.bigMaps.get(id),
      bigMapValue: (id, hash) => resolve(this.bigMaps.get(id)?.entries.get(hash)),
      hasBigMapEntry: (id, hash) => this.bigMaps.get(id)?.entries.has(hash) === true,
      findView: (address, name, input, output) => {
        const found = this.#view(address, name);
        return found && sameTypes(this.#viewTypes(address, name), input, output) ? found : undefined;
      },
      *carry(_type, value) {
        return { value, diffs: [] };
      },
      votingPower: (hash) => this.#powers().get(hash) ?? 0n,
      totalVotingPower: () => this.value("total_voting_power", "nat", 0n) as bigint,
      addressIndex: (address, add) => {
        const known = this.#indexes.get(address);
        if (known !== undefined || !add) return known;
        const next = BigInt(this.#indexes.size);
        this.#indexes.set(address, next);
        return next;
      },
      nextNonce: () => nonce++,
      nextContract: () => SELF,
      countInReceipt: () => {},
    };
  }

  #viewTypes(address: string, name: string): readonly Micheline[] {
    const views = this.#list("views").find(({ args }) => text(args![0]!) === address)!;
    const view = (views.args![1] as readonly MichelinePrim[]).find(({ args }) => text(args![0]!) === name)!;
    return view.args!.slice(1, 3);
  }
}

const text = (node: Micheline): string => (node as { string: string }).string;

const sameTypes = ([input, output]: readonly Micheline[], wantedInput: Type, wantedOutput: Type): boolean =>
  sameType(parseType(input!), wantedInput) && sameType(parseType(output!), wantedOutput);

/** The outcome of a test: a stack, or a failure. */
type End =
  | { readonly stack: readonly StackElement[] }
  | { readonly rejectedWith: Micheline }
  | { readonly errors: readonly string[] };

function run(test: TztTest): End {
  try {
    return { stack: stackAfter(test) };
  } catch (error) {
    if (error instanceof ScriptRejected) return { rejectedWith: error.with };
    if (error instanceof MichelsonError) return { errors: error.errors.map(({ id }) => id) };
    throw error;
  }
}

function stackAfter(test: TztTest): readonly StackElement[] {
  const around = new Surroundings(test);
  const types = test.input.map(({ type }) => parseType(type));
  const values = test.input.map(({ value }, i) => parseValue(types[i]!, value, around.data));
  const scope: Scope = {
    ...looseScope(test.code),
    place: "contract",
    parameter: around.parameter ?? { prim: "unit", args: [] },
    isStandalone: false,
  };
  const checked = finish(checkCode(test.code, StackType.of(...types), scope));
  const stack = stackOf(...values.toReversed());
  const sender = around.value("sender", "address", NULL_ADDRESS) as Address;
  const frame: Frame = {
    gas: new GasMeter(1_040_000_000),
    self: around.value("self", "address", SELF) as Address,
    sender,
    source: around.value("source", "address", sender) as Address,
    amount: around.value("amount", "mutez", 0n) as bigint,
    balance: around.value("balance", "mutez", 4_000_000_000_000n) as bigint,
    world: around.world,
  };
  new Machine(frame, checked.code, stack).run(Infinity);
  const after = checked.after!.head(stack.length);
  return after.map((t, i) => ({
    type: plainType(t),
    value: write(t, stack[stack.length - 1 - i]!),
  }));
}

/** A value in the notation of the tests: operations by their effects. */
function write(t: Type, value: Value): Micheline {
  if (t.prim !== "operation") return unparseValue(t, value, "readable");
  const operation = (value as OperationValue).operation as InternalOperation;
  const any: Micheline = { prim: "ANYTHING" };
  const delegate = (address: string | undefined): Micheline =>
    address === undefined ? { prim: "None" } : { prim: "Some", args: [{ string: address }] };
  switch (operation.kind) {
    case "transaction":
      return {
        prim: "Transfer_tokens",
        args: [
          unparseValue(operation.type, operation.argument, "readable"),
          { int: operation.amount.toString() },
          { string: operation.destination },
          any,
        ],
      };
    case "origination":
      return {
        prim: "Create_contract",
        args: [
          operation.code,
          delegate(operation.delegate),
          { int: operation.balance.toString() },
          unparseValue(operation.storageType, operation.storage, "readable"),
          any,
        ],
      };
    case "delegation":
      return { prim: "Set_delegate", args: [delegate(operation.delegate), any] };
    case "event":
      return { prim: "Emit", args: [operation.type, operation.written] };
  }
}

/** The expected stack, in our notation of values. */
function expectedStack(elements: readonly StackElement[], around: Surroundings): readonly StackElement[] {
  return elements.map(({ type, value }) => {
    const t = parseType(type);
    const isPlain = t.prim !== "operation" && !JSON.stringify(value).includes("ANYTHING");
    if (!isPlain) return { type: plainType(t), value };
    return { type: plainType(t), value: unparseValue(t, parseValue(t, value, around.data), "readable") };
  });
}

function judge(test: TztTest): void {
  const end = run(test);
  const { output } = test;
  if (Array.isArray(output)) {
    const wanted = expectedStack(output as readonly StackElement[], new Surroundings(test));
    const found = "stack" in end ? end.stack : end;
    const isFound =
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every(
        ({ type, value }, i) =>
          matches(canonical(type), canonical((found[i] as StackElement).type)) &&
          matches(canonical(value), canonical((found[i] as StackElement).value)),
      );
    if (!isFound) expect(found).toEqual(wanted);
    return;
  }
  const { prim, args = [] } = output as MichelinePrim;
  switch (prim) {
    case "Failed":
      expect(end).toMatchObject({ rejectedWith: expect.anything() });
      expect(matches(canonical(args[0]!), canonical((end as { rejectedWith: Micheline }).rejectedWith))).toBe(
        true,
      );
      return;
    case "Overflow":
      expect(end).toEqual({ errors: [expect.stringMatching(/overflow|underflow/)] });
      return;
    case "Gas_exhaustion":
      expect(end).toEqual({ errors: ["gas_exhausted.operation"] });
      return;
    case "StaticError":
      expect(end).toMatchObject({ errors: expect.anything() });
      return;
    default:
      expect.unreachable(`unknown output ${prim}`);
  }
}

/** Differences from the protocol, described in docs/real-network.md. */
const NOT_EQUAL = new Set([
  // The protocol rejects literals of signatures whose bytes are not points of BLS12-381. Checking takes a millisecond or
  // more, for which it charges a few gas units.
  "signature_literal_03.tc.tzt",
  "signature_literal_04.tc.tzt",
]);

describe.skipIf(!suite)("the unit suite of Michelson", () => {
  beforeAll(loadBls);
  for (const file of suite ? filesIn(suite, ".tzt") : [])
    it.skipIf(NOT_EQUAL.has(file))(file, () => judge(parseTzt(textOf(suite!, file))));
});
