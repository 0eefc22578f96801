// JSON form of receipts. Field order is part of the wire format.
import { stringifyExact } from "../../protocol/exact-json.ts";
import { fromHex } from "../../tezos/hex.ts";
import { bodyBytes, type CallResponse, type HeaderList } from "../call/http-message.ts";

type ReceiptContent =
  | { readonly _type: "DeployFunction"; readonly address: string }
  | ({ readonly _type: "RunFunction" } & RunReceipt)
  | { readonly _type: "Deposit"; readonly account: string; readonly updatedBalance: bigint }
  | {
      readonly _type: "FaDeposit";
      readonly receiver: string;
      readonly ticketBalance: bigint;
      readonly runFunction: RunReceipt | null;
    }
  | { readonly _type: "OracleResponse"; readonly requestId: bigint };

export interface RunReceipt {
  /** Base64, or null when absent or empty. */
  readonly body: string | null;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export type ReceiptResult =
  | { readonly _type: "Success"; readonly inner: ReceiptContent }
  | { readonly _type: "Failed"; readonly inner: string };

/** JSON text of a receipt. @param hash 64 hex digits */
export function receiptJson(hash: string, result: ReceiptResult): string {
  const head = `{"hash":[${(fromHex(hash) ?? []).join(",")}],"result":`;
  if (result._type === "Success" && result.inner._type === "RunFunction" && result.inner.body !== null) {
    // Base64 needs no escapes, and a body may be large: it bypasses the serializer.
    const { _type, body, ...rest } = result.inner;
    const others = JSON.stringify(rest).slice(1);
    return `${head}{"_type":"Success","inner":{"_type":"${_type}","body":"${body}",${others}}}`;
  }
  return `${head}${stringifyExact(result)}}`;
}

/** Receipt of a response. A network error has no status of its own and appears as 400. */
export function runReceipt(response: CallResponse): RunReceipt {
  const bytes = bodyBytes(response.body);
  return {
    body: bytes === null || bytes.length === 0 ? null : Buffer.from(bytes).toString("base64"),
    statusCode: response.status === 0 ? 400 : response.status,
    headers: headerRecord(response.headers),
  };
}

function headerRecord(headers: HeaderList): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const known = Object.hasOwn(record, name) ? record[name] : undefined;
    if (Array.isArray(known)) known.push(value);
    else setOwn(record, name, known === undefined ? value : [known, value]);
  }
  return record;
}

/** A header called `__proto__` is an ordinary header. */
function setOwn<T>(record: Record<string, T>, name: string, value: T): void {
  if (name === "__proto__") Object.defineProperty(record, name, { value, enumerable: true, writable: true });
  else record[name] = value;
}
