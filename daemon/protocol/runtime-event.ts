// Events of the runtime, on its own stream and on sandboxd's. A stream may come from another version of the program, so
// readers ignore events of an unexpected shape.
import { booleanField, fieldsOf, nullableField, numberField, textField } from "../tezos/json-fields.ts";

/** A finished operation. */
export interface OperationEvent {
  readonly hash: string;
  /** Kind of its content, such as `RunFunction`. */
  readonly operation: string;
  readonly sender: string;
  /** The called or deployed function, or null. */
  readonly target: string | null;
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly failure: string | null;
  /** Method and path of a call, shortened; null for other operations, missing in streams of older versions. */
  readonly call?: string | null;
}

/** A deposit with its receipt. */
export interface DepositEvent {
  readonly level: number;
  readonly index: number;
  readonly hash: string;
  readonly receiver: string;
  /** Mutez, or the amount of a token; decimal. */
  readonly amount: string;
  readonly success: boolean;
}

/** A changed balance. */
export interface BalanceEvent {
  readonly address: string;
  /** Mutez, decimal. */
  readonly balance: string;
}

export type RuntimeEvent =
  | ({ readonly type: "operation" } & OperationEvent)
  | ({ readonly type: "deposit" } & DepositEvent)
  | ({ readonly type: "balance" } & BalanceEvent);

/** An operation in a parsed event. @throws MalformedJson */
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
    ...(fields["call"] !== undefined && { call: textOrNull("call") }),
  };
}

/** A deposit in a parsed event. @throws MalformedJson */
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
