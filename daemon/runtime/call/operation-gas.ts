// The gas of an operation: what it may use, and what the evaluation of the modules that it calls may use beside that.
// A large package takes more to evaluate than an operation should use (mathjs 490 million units, about a second), and
// the engine keeps what was made, so that the time is taken once, whereas a loop takes it in each call.

/** Engine units. */
export interface OperationGas {
  readonly gas: bigint;
  /** For modules whose evaluation the engine keeps. */
  readonly moduleGas: bigint;
}

/** Evaluations may use this many times the ceiling: mathjs takes that. More would keep others waiting for longer. */
const CEILINGS_OF_MODULES = 2n;

/** The engine counts in numbers. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** @param wished by the operation's `gasLimit`, for both together; without it, all that the ceiling allows */
export function operationGas(ceiling: bigint, wished?: bigint): OperationGas {
  const moduleCeiling = lesser(CEILINGS_OF_MODULES * ceiling, MOST - ceiling);
  if (wished === undefined) return { gas: ceiling, moduleGas: moduleCeiling };
  if (wished <= ceiling) return { gas: wished, moduleGas: 0n };
  return { gas: ceiling, moduleGas: lesser(wished - ceiling, moduleCeiling) };
}

/** Gas for the check of code that is deployed by an operation, which has no limit of its own. */
export function deployGas(ceiling: bigint): bigint {
  const { gas, moduleGas } = operationGas(ceiling);
  return gas + moduleGas;
}
