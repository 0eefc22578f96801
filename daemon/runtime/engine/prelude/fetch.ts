// fetch, and how requests and responses cross the border. A call is passed to the host at once, in program order; the
// host answers at once (a nested call that ran) or later through `deliver`.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { whenAborted } from "./abort.ts";
import { bodyOf, takeBody } from "./body.ts";
import { headerList, type HeaderList, headersOf } from "./headers.ts";
import { callHost, reviveError } from "./host.ts";
import { Request, requestParts } from "./request.ts";
import { hostResponse, type Response } from "./response.ts";
import { required } from "./webidl.ts";

interface Waiting {
  resolve(response: Response): void;
  reject(reason: unknown): void;
  url: string;
}

const waiting = new Map<number, Waiting>();
let lastId = 0;

/** Wire form of a response: [status, statusText, headers, type], with the body passed separately. */
function responseFrom(
  head: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  url: string,
): Response {
  const [status, statusText, headers, type] = JSON.parse(head) as [number, string, HeaderList, string];
  const lower = headers.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  return hostResponse({
    type: type === "error" ? "error" : "basic",
    url,
    status,
    statusText,
    headers: headersOf(lower, "immutable"),
    body:
      type === "error" || body === undefined || [101, 204, 205, 304].includes(status) ? null : bodyOf(body),
  });
}

async function send(request: Request): Promise<Response> {
  const parts = requestParts(request);
  const { body, signal } = parts;
  if (signal?.aborted === true) throw signal.reason;
  // A body that is only a stream must be read first; every other request is sent in this very step.
  const simple = body === null || (body.stream === undefined && body.source !== undefined);
  let content: string | Uint8Array | undefined;
  if (body !== null && simple) {
    content = body.source as string | Uint8Array;
    body.used = true;
  } else if (body !== null) content = await takeBody(body);
  lastId += 1;
  const id = lastId;
  return await new Promise<Response>((resolve, reject) => {
    waiting.set(id, { resolve, reject, url: parts.url });
    if (signal !== undefined) {
      whenAborted(signal, () => {
        if (waiting.delete(id)) reject(signal.reason);
      });
    }
    callHost("fetch", `${id}`, JSON.stringify([parts.url, parts.method, headerList(parts.headers)]), content);
  });
}

export function fetch(input: unknown, init: unknown = undefined): Promise<Response> {
  try {
    required(arguments, 1, "fetch");
    return send(new Request(input, init));
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Called by the host with the answer to request `id`: a response, or the error text of `reviveError`. */
export function deliver(
  id: string,
  head: string | undefined,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  error: string | undefined,
): void {
  const entry = waiting.get(Number(id));
  if (entry === undefined) return;
  waiting.delete(Number(id));
  if (error !== undefined) entry.reject(reviveError(error));
  else if (head !== undefined) entry.resolve(responseFrom(head, body, entry.url));
}
