// How the editor shows a response: the body exactly as the function sent it, and other views on demand.
import { isJsonBody, mediaTypeOf, textOf } from "../../daemon/protocol/body-text.ts";
import type { OperationTrace } from "../../daemon/protocol/call-trace.ts";
import { indentJson, isJsonText } from "../../daemon/protocol/json-layout.ts";
import { gasOfCall } from "../../daemon/protocol/operation-outcome.ts";
import { hexDump } from "../../daemon/text/hex-dump.ts";

/** The result of `functez run --json --base64`. */
export interface CallResult {
  readonly operation: string;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Base64, or null without a body. */
  readonly body: string | null;
}

export interface ResponseFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The body and other views of a response. */
export interface ResponseLooks {
  /** The bytes that the function sent. */
  readonly body: ResponseFile;
  /** Indented JSON; undefined for other bodies. */
  readonly pretty: ResponseFile | undefined;
  /** Offsets, bytes and characters, for a binary body. */
  readonly hex: ResponseFile | undefined;
  readonly headers: ResponseFile;
}

const TEXT_ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/^(application|text)\/([^/]{1,100}\+)?json$/, "json"],
  [/^text\/html$/, "html"],
  [/^text\/css$/, "css"],
  [/^text\/markdown$/, "md"],
  [/^text\/csv$/, "csv"],
  [/^(application|text)\/javascript$/, "js"],
  [/^(application|text|image)\/([^/]{1,100}\+)?xml$/, "xml"],
];
/** Images that the editor can show, by their first bytes: a function may declare anything an image. */
const IMAGES: readonly (readonly [string, RegExp])[] = [
  ["png", /^\x89PNG\r\n/],
  ["jpg", /^\xff\xd8\xff/],
  ["gif", /^GIF8[79]a/],
  ["webp", /^RIFF....WEBP/s],
  ["bmp", /^BM.{4}\0\0\0\0/s],
];

/** Bytes shown in hex; the whole body can be saved. */
const MAX_HEX = 256 * 1024;

export function looksOf({ statusCode, headers, body }: CallResult): ResponseLooks {
  const bytes = body === null ? new Uint8Array() : Buffer.from(body, "base64");
  const type = mediaTypeOf(headers["content-type"]);
  const text = textOf(bytes);
  const ending = text === undefined ? imageOf(bytes) : textEnding(type, text);
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const file = (name: string, content: string): ResponseFile => ({ name, bytes: Buffer.from(content) });
  return {
    body: { name: `body.${ending ?? "bin"}`, bytes },
    pretty:
      ending === "json" && isJsonText(text!) ? file("pretty.json", `${indentJson(text!)}\n`) : undefined,
    hex: text === undefined ? file("bytes.hex.txt", `${hexDump(bytes, MAX_HEX)}\n`) : undefined,
    headers: file("headers.txt", [`${statusCode}`, ...lines, ""].join("\n")),
  };
}

function textEnding(type: string, text: string): string {
  const known = TEXT_ENDINGS.find(([form]) => form.test(type))?.[1];
  if (known !== undefined) return known;
  return isJsonBody(text, type) ? "json" : "txt";
}

function imageOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return IMAGES.find(([, form]) => form.test(start))?.[0];
}

/** Gas and milliseconds of an operation with all nested calls; undefined without a trace. */
export function costOf(trace: OperationTrace | undefined): { gas: number; ms: number } | undefined {
  const call = trace?.trace?.call;
  return call && { gas: gasOfCall(call), ms: call.durationMs };
}
