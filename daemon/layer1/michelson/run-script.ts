// Runs a contract: argument and storage in, operations and new storage out.
import type { InternalOperation } from "./internal-operation.ts";
import { SCRIPT_GAS } from "./gas.ts";
import type { Frame, Stack } from "./instruction.ts";
import { MichelsonError, ScriptRejected, permanent, temporary } from "./michelson-error.ts";
import type { Script, View } from "./script.ts";
import { type ListValue, type OperationValue, type PairValue, type Value, itemsOf, pair } from "./value.ts";

export interface ScriptResult {
  readonly storage: Value;
  readonly operations: readonly InternalOperation[];
}

/** @throws MichelsonError runtime_error and script_rejected, or gas_exhausted.operation */
export function runScript(script: Script, frame: Frame, parameter: Value, storage: Value): ScriptResult {
  frame.gas.spend(SCRIPT_GAS + 20 * script.size);
  const stack: Stack = [pair(parameter, storage)];
  guard(frame, () => script.step(frame, stack));
  const result = stack.pop() as PairValue;
  return {
    storage: result.right,
    operations: itemsOf(result.left as ListValue).map(
      (item) => (item as OperationValue).operation as InternalOperation,
    ),
  };
}

/** @throws MichelsonError as {@link runScript} */
export function runView(view: View, frame: Frame, argument: Value, storage: Value): Value {
  frame.gas.spend(SCRIPT_GAS / 4);
  const stack: Stack = [pair(argument, storage)];
  guard(frame, () => view.step(frame, stack));
  return stack.pop()!;
}

function guard(frame: Frame, run: () => void): void {
  try {
    run();
  } catch (error) {
    const contract = permanent("michelson_v1.runtime_error", {
      contract_handle: frame.self,
      contract_code: "Deprecated",
    });
    if (error instanceof ScriptRejected) {
      throw new MichelsonError(
        contract,
        temporary("michelson_v1.script_rejected", { location: error.location, with: error.with }),
      );
    }
    // The host's stack ends before the gas does only for very deep recursion of lambdas.
    if (error instanceof RangeError)
      throw new MichelsonError(contract, temporary("michelson_v1.interp_too_many_recursive_calls"));
    throw error;
  }
}
