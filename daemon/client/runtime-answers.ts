// Decodes answers of the runtime's API, ours or a real Jstz node's. Each throws MalformedJson for another shape. Of what
// is only shown, such as call trees, the fields are checked that the display depends on.
import type { CallTrace, FinishedOperation, KeptRequest, OperationTrace } from "../protocol/call-trace.ts";
import { HOLD_SECONDS } from "../protocol/debug-session-api.ts";
import { toUnsigned } from "../protocol/exact-json.ts";
import type { HeldOperation } from "../protocol/held-operation.ts";
import { FUNCTION_LOG_LEVELS, type FunctionLogLevel } from "../protocol/log-level.ts";
import type { Receipt, ReceiptContent, RunReceipt } from "../protocol/runtime-receipt.ts";
import {
  booleanField,
  fieldsOf,
  integerField,
  levelField,
  listField,
  MalformedJson,
  naturalField,
  nullableField,
  numberField,
  textField,
  textsField,
} from "../tezos/json-fields.ts";
import type { AccountReport, DepositRecord, FunctionLogRecord } from "./runtime-client.ts";

/** Amounts, nonces: numbers, or text beyond what JSON numbers hold. */
export function unsignedOf(json: unknown, at = "body"): bigint {
  const value = toUnsigned(json);
  if (value === undefined) throw new MalformedJson(at, "a whole number", json);
  return value;
}

export const codeOf = (json: unknown): string => textField(json, "body");

export const subkeysOf = (json: unknown): string[] => [...textsField(json, "body")];

export function accountOf(json: unknown): AccountReport {
  const account = fieldsOf(json, "body");
  const amounts = (fields: Readonly<Record<string, unknown>>, at: string) => ({
    balance: unsignedOf(fields["amount"], `${at}.amount`),
    nonce: unsignedOf(fields["nonce"], `${at}.nonce`),
  });
  if (account["User"] !== undefined)
    return { kind: "user", ...amounts(fieldsOf(account["User"], "User"), "User") };
  const fields = fieldsOf(account["SmartFunction"], "SmartFunction");
  return {
    kind: "smart-function",
    ...amounts(fields, "SmartFunction"),
    code: textField(fields["functionCode"], "SmartFunction.functionCode"),
  };
}

/** Amounts by address, of a list of accounts. */
export function amountsOf(json: unknown): [address: string, mutez: bigint][] {
  return listField(fieldsOf(json, "body")["accounts"], "accounts", "a list of accounts").map((entry, i) => {
    const account = fieldsOf(entry, `accounts[${i}]`);
    return [
      textField(account["address"], `accounts[${i}].address`),
      BigInt(naturalField(account["amount"], `accounts[${i}].amount`)),
    ];
  });
}

export function heldOf(json: unknown): HeldOperation | undefined {
  const { held } = fieldsOf(json, "body");
  if (held === null) return undefined;
  const fields = fieldsOf(held, "held");
  const hash = textField(fields["hash"], "held.hash");
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new MalformedJson("held.hash", "64 hex digits", hash);
  const most = Number.MAX_SAFE_INTEGER;
  const waiting = integerField(fields["waiting"], "held.waiting", { least: 0, most });
  const seconds = numberField(fields["seconds"], "held.seconds");
  if (seconds < 0 || seconds > HOLD_SECONDS.most)
    throw new MalformedJson("held.seconds", `0 to ${HOLD_SECONDS.most}`, seconds);
  return { hash, waiting, seconds };
}

export function receiptOf(json: unknown, at = "body"): Receipt {
  const receipt = fieldsOf(json, at);
  const hash = listField(receipt["hash"], `${at}.hash`, "a list of bytes").map((byte, i) =>
    integerField(byte, `${at}.hash[${i}]`, { least: 0, most: 255 }),
  );
  const result = fieldsOf(receipt["result"], `${at}.result`);
  const inner = result["inner"];
  const place = `${at}.result.inner`;
  switch (result["_type"]) {
    case "Success":
      return { hash, result: { _type: "Success", inner: receiptContentOf(inner, place) } };
    case "Failed":
      return { hash, result: { _type: "Failed", inner: textField(inner, place) } };
    default:
      throw new MalformedJson(`${at}.result._type`, "Success or Failed", result["_type"]);
  }
}

function receiptContentOf(json: unknown, at: string): ReceiptContent {
  const content = fieldsOf(json, at);
  const kind = textField(content["_type"], `${at}._type`);
  if (kind === "RunFunction") return runReceiptOf(content, at);
  if (kind === "DeployFunction")
    return { _type: kind, address: textField(content["address"], `${at}.address`) };
  if (kind === "Deposit")
    return {
      _type: kind,
      account: textField(content["account"], `${at}.account`),
      updatedBalance: unsignedOf(content["updatedBalance"], `${at}.updatedBalance`),
    };
  if (kind === "FaDeposit")
    return { _type: kind, receiver: textField(content["receiver"], `${at}.receiver`) };
  return { _type: "Other", kind };
}

function runReceiptOf(content: Readonly<Record<string, unknown>>, at: string): RunReceipt {
  const headers = Object.entries(fieldsOf(content["headers"], `${at}.headers`)).map(([name, value]) => {
    const place = `${at}.headers.${name}`;
    return [name, Array.isArray(value) ? textsField(value, place) : textField(value, place)] as const;
  });
  return {
    _type: "RunFunction",
    body: nullableField(content["body"], (body) => textField(body, `${at}.body`)),
    statusCode: numberField(content["statusCode"], `${at}.statusCode`),
    headers: Object.fromEntries(headers),
  };
}

const isLogLevel = (text: string): text is FunctionLogLevel =>
  (FUNCTION_LOG_LEVELS as readonly string[]).includes(text);

export function logRecordOf(json: unknown): FunctionLogRecord {
  const record = fieldsOf(json, "line");
  return {
    address: textField(record["address"], "address"),
    requestId: textField(record["requestId"], "requestId"),
    level: textField(record["level"], "level", `one of ${FUNCTION_LOG_LEVELS.join(", ")}`, isLogLevel),
    text: textField(record["text"], "text"),
  };
}

export const depositsOf = (json: unknown): DepositRecord[] =>
  listField(json, "body", "a list of deposits").map((one, i) => {
    const at = `[${i}]`;
    const record = fieldsOf(one, at);
    const text = (name: keyof DepositRecord) => textField(record[name], `${at}.${name}`);
    return {
      hash: text("hash"),
      level: levelField(record["level"], `${at}.level`),
      index: numberField(record["index"], `${at}.index`),
      receiver: text("receiver"),
      amount: text("amount"),
      source: text("source"),
      at: text("at"),
      receipt: receiptOf(record["receipt"], `${at}.receipt`),
    };
  });

export const operationsOf = (json: unknown): FinishedOperation[] =>
  listField(json, "body", "a list of operations").map((one, i) => {
    const at = `[${i}]`;
    const record = fieldsOf(one, at);
    const textOrNull = (name: keyof FinishedOperation) =>
      nullableField(record[name], (value) => textField(value, `${at}.${name}`));
    return {
      ...outcomeOf(one, at),
      at: textField(record["at"], `${at}.at`),
      statusCode: nullableField(record["statusCode"], (code) => numberField(code, `${at}.statusCode`)),
      deployed: textOrNull("deployed"),
      target: textOrNull("target"),
      ...(record["call"] === undefined ? {} : { call: textOrNull("call") }),
    };
  });

/** The fields that every finished operation has, with or without its call tree. */
function outcomeOf(json: unknown, at: string): Omit<OperationTrace, "trace" | "request"> {
  const record = fieldsOf(json, at);
  const text = (name: string) => textField(record[name], `${at}.${name}`);
  return {
    hash: text("hash"),
    operation: text("operation"),
    sender: text("sender"),
    success: booleanField(record["success"], `${at}.success`),
    failure: nullableField(record["failure"], (value) => textField(value, `${at}.failure`)),
  };
}

export function traceOf(json: unknown): OperationTrace {
  const trace = nullableField(fieldsOf(json, "body")["trace"], (value) => {
    const { call, truncated } = fieldsOf(value, "trace");
    return { call: callOf(call, "trace.call"), truncated: booleanField(truncated, "trace.truncated") };
  });
  const request = nullableField(fieldsOf(json, "body")["request"] ?? null, (value) =>
    requestOf(value, "request"),
  );
  return { ...outcomeOf(json, "body"), trace, request };
}

function requestOf(json: unknown, at: string): KeptRequest {
  const request = fieldsOf(json, at);
  for (const name of ["uri", "method", "gasLimit"]) textField(request[name], `${at}.${name}`);
  nullableField(request["body"], (body) => textField(body, `${at}.body`));
  nullableField(request["headers"], (headers) => fieldsOf(headers, `${at}.headers`));
  numberField(request["bodySize"], `${at}.bodySize`);
  return request as unknown as KeptRequest;
}

function callOf(json: unknown, at: string): CallTrace {
  const call = fieldsOf(json, at);
  for (const name of ["caller", "address", "method", "path", "amount"])
    textField(call[name], `${at}.${name}`);
  for (const name of ["status", "gas", "durationMs"]) numberField(call[name], `${at}.${name}`);
  for (const name of ["kv", "transfers", "logs"])
    listField(call[name], `${at}.${name}`, "a list").forEach((entry, i) =>
      fieldsOf(entry, `${at}.${name}[${i}]`),
    );
  if (call["tickets"] !== undefined)
    listField(call["tickets"], `${at}.tickets`, "a list").forEach((entry, i) =>
      fieldsOf(entry, `${at}.tickets[${i}]`),
    );
  listField(call["calls"], `${at}.calls`, "a list of calls").forEach((inner, i) =>
    callOf(inner, `${at}.calls[${i}]`),
  );
  return call as unknown as CallTrace;
}
