// New contracts, originated by a user or by another contract.
import { isImplicit } from "../../tezos/address.ts";
import { CHECK_DATUM } from "../michelson/costs.ts";
import { type Micheline, countNodes, extentOf } from "../../tezos/micheline.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { type Script, parseScript } from "../michelson/script.ts";
import { unparseType } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { credit, debit, payStorage } from "./balance.ts";
import { ORIGINATION_SIZE } from "../../tezos/parameters.ts";
import { keepBigMaps } from "./big-map-storage.ts";
import type { Execution } from "./execution.ts";
import { type AppliedParts, transferUpdates, unlessEmpty } from "./receipt.ts";
import { dataScope } from "./world.ts";

const ORIGINATION_GAS = 500_000;
/** Milligas per byte of code, for checking it. */
const CODE_GAS = 100;

export interface NewContract {
  readonly sender: string;
  readonly address: string;
  readonly balance: bigint;
  readonly delegate: string | undefined;
  readonly code: Micheline;
  /** The initial storage: an expression from a user, a value from a script. */
  readonly storage: { readonly expression: Micheline } | { readonly value: Value };
}

/** Creates the contract. @throws MichelsonError */
export function applyOrigination(
  execution: Execution,
  made: NewContract,
): Omit<AppliedParts, "consumed_milligas"> {
  const { context, gas } = execution;
  gas.spend(ORIGINATION_GAS + CODE_GAS * extentOf(made.code).bytes);
  const script = parseScript(made.code);
  const initial =
    "value" in made.storage ? made.storage.value : initialStorage(execution, script, made.storage.expression);
  if (made.delegate !== undefined) requireDelegate(execution, made.delegate);

  const kept = keepBigMaps(execution, script.storage, undefined, initial);
  const storage = unparseValue(script.storage, kept.storage, "optimized", gas);
  const used = script.size + encodeMicheline(storage).length + kept.bytes;
  const burned = payStorage(execution, BigInt(used) + ORIGINATION_SIZE);
  debit(context, made.sender, made.balance);
  context.setAccount(made.address, {
    balance: 0n,
    counter: 0n,
    delegate: made.delegate,
    contract: { code: made.code, storage: kept.storage, bigMapBytes: kept.bytes, used, paid: used },
  });
  credit(context, made.address, made.balance);
  return {
    ...unlessEmpty("lazy_storage_diff", kept.diff),
    ...unlessEmpty("balance_updates", [
      ...burned,
      ...transferUpdates(made.sender, made.address, made.balance),
    ]),
    originated_contracts: [made.address],
    storage_size: used.toString(),
    paid_storage_size_diff: used.toString(),
  };
}

function initialStorage(execution: Execution, script: Script, expression: Micheline): Value {
  execution.gas.spend(CHECK_DATUM * countNodes(expression));
  try {
    return parseValue(script.storage, expression, dataScope(execution));
  } catch (error) {
    if (!(error instanceof MichelsonError)) throw error;
    throw new MichelsonError(
      permanent("michelson_v1.ill_typed_data", {
        expected_type: unparseType(script.storage),
        ill_typed_expression: expression,
      }),
      ...error.errors,
    );
  }
}

/** A delegate must be an account that has registered by delegating to itself. */
export function requireDelegate(execution: Execution, delegate: string): void {
  const account = execution.context.account(delegate);
  if (!isImplicit(delegate) || account?.delegate !== delegate) {
    throw new MichelsonError(permanent("delegate.unregistered_delegate", { hash: delegate }));
  }
}
