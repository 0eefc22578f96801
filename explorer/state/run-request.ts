// Converts a typed request to the form that sandboxd signs.
import { isJsonText } from "../../daemon/protocol/json-layout.ts";
import type { RuntimeOperationRequest } from "../../daemon/protocol/sandbox-api.ts";
import type { SentRequest } from "./history.ts";

/** Parses headers, one `name: value` per line; lines without a colon are ignored. */
export function headersOf(text: string): Record<string, string> {
  const headers = text.split("\n").flatMap((line): [name: string, value: string][] => {
    const colon = line.indexOf(":");
    return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]] : [];
  });
  return Object.fromEntries(headers);
}

export function runRequest({ from, method, url, headers, body, tez }: SentRequest): RuntimeOperationRequest {
  const given = headersOf(headers);
  if (body !== "" && given["content-type"] === undefined && isJsonText(body))
    given["content-type"] = "application/json";
  return {
    from,
    url,
    method,
    headers: given,
    ...(body !== "" && { body }),
    ...(tez.trim() !== "" && { tez: tez.trim() }),
  };
}

export const requestBody = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
