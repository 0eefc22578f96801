// The body of a function's response as the command line gives it: nothing that the function sent is changed but the white
// space of JSON.
import { isJsonBody, mediaTypeOf, textOf } from "../daemon/protocol/body-text.ts";
import { JsonText } from "../daemon/protocol/exact-json.ts";
import { compactJson, indentJson } from "../daemon/protocol/json-layout.ts";
import type { RunReceipt } from "../daemon/protocol/runtime-receipt.ts";
import type { Terminal } from "./render/terminal.ts";

export type ResponseBody =
  | { readonly kind: "json" | "text"; readonly text: string }
  | { readonly kind: "base64"; readonly bytes: Buffer };

/** What a response carries, or undefined without a body. */
export function responseBody({
  body,
  headers,
}: Pick<RunReceipt, "body" | "headers">): ResponseBody | undefined {
  if (body === null) return undefined;
  const bytes = Buffer.from(body, "base64");
  const text = textOf(bytes);
  if (text === undefined) return { kind: "base64", bytes };
  return { kind: isJsonBody(text, mediaTypeOf(headers["content-type"])) ? "json" : "text", text };
}

/** JSON indented, other text as it is, other bytes as they are to a pipe or file. */
export function printBody(terminal: Terminal, body: ResponseBody | undefined): void {
  if (body === undefined) return;
  if (body.kind === "base64") return terminal.bytes(body.bytes);
  terminal.print(body.kind === "json" ? indentJson(body.text) : body.text);
}

/** The fields of the JSON output. `bodyType` says how `body` is to be read. */
export function bodyAsJson(body: ResponseBody | undefined): {
  readonly body: JsonText | string | null;
  readonly bodyType: ResponseBody["kind"] | null;
} {
  if (body === undefined) return { body: null, bodyType: null };
  const { kind } = body;
  if (kind === "base64") return { body: body.bytes.toString("base64"), bodyType: kind };
  return { body: kind === "json" ? new JsonText(compactJson(body.text)) : body.text, bodyType: kind };
}
