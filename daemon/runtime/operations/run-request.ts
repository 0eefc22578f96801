// The request described by a `RunFunction` operation.
import { isUtf8 } from "node:buffer";
import { canonicalUri, type RunFunction } from "../../protocol/runtime-operation.ts";
import type { Body, CallRequest } from "../call/http-message.ts";

/** The request as the smart function gets it. */
export function requestOf(content: RunFunction): CallRequest {
  return {
    url: canonicalUri(content.uri),
    method: content.method,
    headers: requestHeaders(content),
    body: requestBody(content.body),
  };
}

function requestHeaders(content: RunFunction): [string, string][] {
  const list: [string, string][] = [];
  for (const [name, value] of Object.entries(content.headers)) {
    const lower = name.toLowerCase();
    if (typeof value === "string") list.push([lower, value]);
    else for (const item of value) list.push([lower, item]);
  }
  return list;
}

/** Valid UTF-8 is passed as a string: that is the fast path through the engine. */
function requestBody(base64: string | null): Body {
  if (base64 === null) return null;
  const bytes = Buffer.from(base64, "base64");
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf; // decoding would drop it
  return !hasMark && isUtf8(bytes) ? bytes.toString("utf8") : new Uint8Array(bytes);
}
