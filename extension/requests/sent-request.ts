// A request in the forms in which it is sent.
import { textOf } from "../../daemon/protocol/body-text.ts";
import type { KeptRequest } from "../../daemon/protocol/call-trace.ts";
import type { RuntimeOperationRequest } from "../../daemon/protocol/sandbox-api.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import type { TextRequest } from "./http-text.ts";

export type SentRequest = Omit<TextRequest, "line" | "name">;

/** Zero tez count as none. */
const isZero = (tez: string): boolean => /^0{0,20}(\.0{0,20})?$/.test(tez);

/** Arguments for `functez run`; the body goes to its standard input. */
export function runArguments(request: SentRequest): string[] {
  const { url, method, headers, body, tez, gasLimit, account } = request;
  return [
    "run",
    "--base64",
    ...["-m", method],
    ...headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(body === undefined ? [] : ["-d", "@-"]),
    ...(tez === undefined || isZero(tez) ? [] : [`--amount=${tez}`]),
    ...(gasLimit === undefined ? [] : [`--gas-limit=${gasLimit}`]),
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...["--", url],
  ];
}

/** The request in sandboxd's form, to be signed with one of its accounts. */
export function signedRequest(request: SentRequest, from: string): RuntimeOperationRequest {
  const { url, method, headers, body, tez, gasLimit } = request;
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    joined.set(key, joined.has(key) ? `${joined.get(key)}, ${value}` : value);
  }
  return {
    ...{ from, url, method, headers: Object.fromEntries(joined) },
    ...(body === undefined ? {} : { body }),
    ...(tez === undefined || isZero(tez) ? {} : { tez }),
    ...(gasLimit === undefined ? {} : { gas_limit: Number(gasLimit) }),
  };
}

/** Converts a request kept by the runtime; undefined when its body is not text or was too large to keep. */
export function requestOfKept(kept: KeptRequest): SentRequest | undefined {
  const { uri, method, headers, body, bodySize } = kept;
  if (body === null && bodySize > 0) return undefined;
  const text = body === null ? undefined : textOf(Buffer.from(body, "base64"));
  if (body !== null && text === undefined) return undefined;
  const all = Object.entries(headers ?? {});
  const attached = all.find(([name]) => name === "x-jstz-transfer")?.[1];
  return {
    method,
    url: uri,
    headers: all
      .filter(([name]) => name !== "x-jstz-transfer")
      .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const)),
    body: text,
    tez:
      typeof attached === "string" && /^\d{1,19}$/.test(attached) ? formatTez(BigInt(attached)) : undefined,
    gasLimit: undefined,
    account: undefined,
  };
}
