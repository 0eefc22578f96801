// What the runtime tells of what has happened, on its own stream and through sandboxd's. Whoever reads a stream gets
// these from a program that may be of another version: what has not the shape is not taken for one.

/** A finished operation. */
export interface OperationEvent {
  readonly hash: string;
  /** Kind of its content, such as `RunFunction`. */
  readonly operation: string;
  readonly sender: string;
  /** Function that was called or deployed, or null. */
  readonly target: string | null;
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly failure: string | null;
}

/** A deposit that has its receipt. */
export interface DepositEvent {
  readonly level: number;
  readonly index: number;
  readonly hash: string;
  readonly receiver: string;
  /** Mutez of tez, or the amount of a token; decimal. */
  readonly amount: string;
  readonly success: boolean;
}

/** A balance that has changed. */
export interface BalanceEvent {
  readonly address: string;
  /** Mutez, decimal. */
  readonly balance: string;
}

export type RuntimeEvent =
  | ({ readonly type: "operation" } & OperationEvent)
  | ({ readonly type: "deposit" } & DepositEvent)
  | ({ readonly type: "balance" } & BalanceEvent);

/** An operation in a parsed event, or undefined when it is none. */
export function operationEventOf(value: unknown): OperationEvent | undefined {
  const { hash, operation, sender, target, success, statusCode, failure } = fieldsOf(value);
  if (!isText(hash) || !isText(operation) || !isText(sender) || typeof success !== "boolean")
    return undefined;
  if (!isTextOrNull(target) || !isTextOrNull(failure)) return undefined;
  if (statusCode !== null && typeof statusCode !== "number") return undefined;
  return { hash, operation, sender, target, success, statusCode, failure };
}

/** A deposit in a parsed event, or undefined when it is none. */
export function depositEventOf(value: unknown): DepositEvent | undefined {
  const { level, index, hash, receiver, amount, success } = fieldsOf(value);
  if (typeof level !== "number" || typeof index !== "number" || typeof success !== "boolean")
    return undefined;
  if (!isText(hash) || !isText(receiver) || !isText(amount) || !/^\d+$/.test(amount)) return undefined;
  return { level, index, hash, receiver, amount, success };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
