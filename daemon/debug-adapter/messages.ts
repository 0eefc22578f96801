// Messages of the Debug Adapter Protocol as this adapter needs them, and their framing: a header with the length, an
// empty line, JSON. https://microsoft.github.io/debug-adapter-protocol
import { isObject } from "../tezos/json-fields.ts";

export interface Request {
  readonly seq: number;
  readonly type: "request";
  readonly command: string;
  readonly arguments?: unknown;
}

export interface Response {
  readonly type: "response";
  readonly request_seq: number;
  readonly command: string;
  readonly success: boolean;
  readonly message?: string;
  readonly body?: object;
}

export interface Event {
  readonly type: "event";
  readonly event: string;
  readonly body?: object;
}

export type Outgoing = (Response | Event) & { readonly seq: number };

/** A message is a request of a person's editor: far above any. */
const MAX_BYTES = 16 * 1024 * 1024;
const END_OF_HEADER = "\r\n\r\n";

export const frame = (message: object): string => {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${END_OF_HEADER}${text}`;
};

/**
 * Takes a stream apart into messages.
 * @returns takes the next bytes @throws Error when they are no message
 */
export function messageReader(onMessage: (message: unknown) => void): (bytes: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  /** Bytes needed before anything more can be said. */
  let wanted = 1;
  return (bytes) => {
    chunks.push(bytes);
    size += bytes.length;
    while (size >= wanted) {
      const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const end = all.indexOf(END_OF_HEADER);
      if (end < 0 && size > 4_096) throw new Error("a header of the debug adapter protocol was expected");
      const start = end + END_OF_HEADER.length;
      const length = end < 0 ? undefined : lengthIn(all.toString("latin1", 0, end));
      chunks = [all];
      if (length === undefined || size < start + length) {
        wanted = length === undefined ? size + 1 : start + length;
        return;
      }
      chunks = [all.subarray(start + length)];
      size -= start + length;
      wanted = 1;
      onMessage(JSON.parse(all.toString("utf8", start, start + length)) as unknown);
    }
  };
}

function lengthIn(header: string): number {
  const length = Number(/^content-length:\s*(\d{1,9})\s*$/im.exec(header)?.[1] ?? NaN);
  if (length <= MAX_BYTES) return length;
  throw new Error(`a message of at most ${MAX_BYTES} bytes was expected`);
}

export const isRequest = (message: unknown): message is Request =>
  isObject(message) &&
  message["type"] === "request" &&
  typeof message["command"] === "string" &&
  typeof message["seq"] === "number";
