// New contracts, originated by a user or by another contract.
import type { Address } from "../../tezos/address.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { type Micheline, expressionSize } from "../../tezos/micheline.ts";
import { type Mutez, NO_TEZ } from "../../tezos/mutez.ts";
import type { Job } from "../job.ts";
import { bigMapDiffJson } from "../michelson/big-map-diff.ts";
import { deserializeCost, serializeCost, stripCost } from "../michelson/check-costs.ts";
import { readLiteralPoints } from "../michelson/literal-points.ts";
import { permanent, traceJobErrors } from "../michelson/michelson-error.ts";
import { readValue } from "../michelson/parse-value.ts";
import { rewriteCode } from "../michelson/rewrite-code.ts";
import { type Script, checkedScript, lambdaInData } from "../michelson/script.ts";
import { plainType } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import type { Applied } from "./apply-transaction.ts";
import { move } from "./balance.ts";
import { writeBigMaps } from "./big-map-storage.ts";
import { requireDelegate } from "./delegates.ts";
import type { Execution } from "./execution.ts";
import { extractBigMaps } from "./extract-big-maps.ts";
import { expandConstants } from "./global-constants.ts";
import { payForCollecting } from "./lazy-storage.ts";
import { dataScope } from "./read-data.ts";
import { transferUpdates, unlessEmpty } from "./receipt.ts";
import { writeScriptCost } from "./storage-costs.ts";

export interface NewContract {
  readonly sender: Address;
  readonly address: Address;
  readonly balance: Mutez;
  readonly delegate: Address | undefined;
  readonly code: Micheline;
  /** The initial storage: an expression from a user, a value from a script. */
  readonly storage: { readonly expression: Micheline } | { readonly value: Value };
}

/** Creates the contract. @throws MichelsonError */
export function* applyOrigination(execution: Execution, made: NewContract): Job<Applied> {
  const { context, gas } = execution;
  const { script, value } = yield* checkedContract(execution, made);
  yield* payForCollecting(script.storage, value, gas);
  const kept = yield* extractBigMaps(execution, script.storage, value, { for: "storage" });
  const storage = yield* unparseWithRests(script.storage, kept.value, "optimized", gas);
  const code = yield* keptCode(execution, made.code);
  const codeBytes = encodedLength(code);
  const storageBytes = encodedLength(storage);
  for (const [expression, bytes] of [
    [code, codeBytes],
    [storage, storageBytes],
  ] as const)
    gas.spend(serializeCost(expressionSize(expression)) + writeScriptCost(bytes));
  const bigMapBytes = yield* writeBigMaps(execution, kept.diffs);
  if (made.delegate !== undefined) requireDelegate(execution.context, made.delegate);
  const used = 4 + codeBytes + 4 + storageBytes + bigMapBytes;
  context.setAccount(made.address, {
    balance: NO_TEZ,
    counter: 0n,
    delegate: made.delegate,
    contract: {
      code,
      storage: kept.value,
      bigMapBytes,
      codeBytes,
      storageBytes,
      isCached: false,
      used,
      paid: used,
    },
  });
  move(context, made.sender, made.address, made.balance);
  return {
    parts: {
      ...unlessEmpty("lazy_storage_diff", kept.diffs.map(bigMapDiffJson)),
      ...unlessEmpty("balance_updates", transferUpdates(made.sender, made.address, made.balance)),
      originated_contracts: [made.address],
      storage_size: used.toString(),
      paid_storage_size_diff: used.toString(),
    },
    emitted: [],
    owed: { bytes: BigInt(used), isNew: true, order: ["bytes", "new", "moved"] },
  };
}

/** Script and first storage. What a script originates was checked with the script itself. */
function* checkedContract(
  execution: Execution,
  { code, storage }: NewContract,
): Job<{ readonly script: Script; readonly value: Value }> {
  const { context, gas } = execution;
  if ("value" in storage) return { script: yield* checkedScript(code), value: storage.value };
  gas.spend(deserializeCost(encodedLength(storage.expression)));
  gas.spend(deserializeCost(encodedLength(code)));
  const expanded = expandConstants(context, gas, code);
  yield* readLiteralPoints(expanded, gas);
  const script = yield* checkedScript(expanded, gas, { legacy: false, isExpanded: true });
  return { script, value: yield* initialStorage(execution, script, storage.expression) };
}

/** The code as the chain keeps it: with its constants in their places, and the data in it in optimized form. */
function* keptCode({ context, gas }: Execution, code: Micheline): Job<Micheline> {
  const kept = yield* rewriteCode(expandConstants(context, gas, code), "optimized", gas, lambdaInData);
  const size = expressionSize(kept);
  gas.spend(stripCost(size.nodes - size.annotations) + serializeCost(size));
  return kept;
}

function* initialStorage(execution: Execution, script: Script, expression: Micheline): Job<Value> {
  return yield* traceJobErrors(
    () =>
      permanent("michelson_v1.ill_typed_data", {
        expected_type: plainType(script.storage),
        ill_typed_expression: expression,
      }),
    readValue(script.storage, expression, dataScope(execution)),
  );
}
