// What the runtime tells of what has happened, on its own stream and through sandboxd's. Whoever reads a stream gets
// these from a program that may be of another version: what has not the shape is not taken for one.
import { booleanField, fieldsOf, nullableField, numberField, textField } from "../tezos/json-fields.ts";

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

/** An operation in a parsed event. @throws MalformedJson when it is none */
export function operationEventOf(value: unknown): OperationEvent {
  const fields = fieldsOf(value, "operation");
  const text = (name: keyof OperationEvent): string => textField(fields[name], name);
  const textOrNull = (name: keyof OperationEvent): string | null =>
    nullableField(fields[name], (given) => textField(given, name));
  return {
    hash: text("hash"),
    operation: text("operation"),
    sender: text("sender"),
    target: textOrNull("target"),
    success: booleanField(fields["success"], "success"),
    statusCode: nullableField(fields["statusCode"], (code) => numberField(code, "statusCode")),
    failure: textOrNull("failure"),
  };
}

/** A deposit in a parsed event. @throws MalformedJson when it is none */
export function depositEventOf(value: unknown): DepositEvent {
  const fields = fieldsOf(value, "deposit");
  return {
    level: numberField(fields["level"], "level"),
    index: numberField(fields["index"], "index"),
    hash: textField(fields["hash"], "hash"),
    receiver: textField(fields["receiver"], "receiver"),
    amount: textField(fields["amount"], "amount", "a decimal number as text", (text) => /^\d+$/.test(text)),
    success: booleanField(fields["success"], "success"),
  };
}
