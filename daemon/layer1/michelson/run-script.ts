// Runs a contract: takes argument and storage, returns operations and the new storage.
import type { Job } from "../job.ts";
import { type Code, type Frame, stackOf } from "./instruction.ts";
import type { InternalOperation } from "./internal-operation.ts";
import { Machine } from "./machine.ts";
import { MichelsonError, ScriptRejected, permanent, temporary } from "./michelson-error.ts";
import type { Script, View } from "./script.ts";
import type { Trace } from "./trace.ts";
import { type ListValue, type OperationValue, type PairValue, type Value, itemsOf, pair } from "./value.ts";

export interface ScriptResult {
  readonly storage: Value;
  readonly operations: readonly InternalOperation[];
}

/** Milligas that a script uses before others get a turn. */
const STRETCH = 200_000;

/** @throws MichelsonError runtime_error and its cause, when the script fails or gas does not suffice */
export function* runScript(
  script: Script,
  frame: Frame,
  parameter: Value,
  storage: Value,
  trace?: Trace,
): Job<ScriptResult> {
  const result = (yield* run(script.run, frame, pair(parameter, storage), trace)) as PairValue;
  return {
    storage: result.right,
    operations: itemsOf(result.left as ListValue).map(
      (item) => (item as OperationValue).operation as InternalOperation,
    ),
  };
}

/** @throws MichelsonError as {@link runScript} */
export function* runView(view: View, frame: Frame, argument: Value, storage: Value): Job<Value> {
  return yield* run(view.run, frame, pair(argument, storage));
}

function* run(code: Code, frame: Frame, input: Value, trace?: Trace): Job<Value> {
  const stack = stackOf(input);
  const machine = new Machine(frame, code, stack, trace);
  const { room } = frame.gas;
  try {
    while (!machine.run(STRETCH)) {
      yield;
      yield* machine.findRoom(room);
    }
  } catch (error) {
    throw withContext(error, frame.self);
  }
  return stack.pop();
}

/** @param self the contract that was called, even when another contract's view fails */
function withContext(error: unknown, self: string): unknown {
  const contract = permanent("michelson_v1.runtime_error", {
    contract_handle: self,
    contract_code: "Deprecated",
  });
  if (error instanceof ScriptRejected)
    return new MichelsonError(
      contract,
      temporary("michelson_v1.script_rejected", { location: error.location, with: error.with }),
    );
  return error instanceof MichelsonError ? new MichelsonError(contract, ...error.errors) : error;
}
