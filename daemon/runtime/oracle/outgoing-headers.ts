// Headers of a request made by a smart function: those it set, without the ones that belong to the connection, to
// proxies, or to the sandbox itself.
import type { HeaderList } from "../call/http-message.ts";

const USER_AGENT = "functez-oracle/0.1";
const DROPPED = new Set([
  "connection",
  "content-length",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "origin",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);
const DROPPED_KINDS = /^(?:proxy-|sec-|x-forwarded-|x-functez-)/;
/** Also dropped on the way to the runtime itself: credentials of the sandbox's owner. */
const CREDENTIALS = new Set(["authorization", "cookie"]);

/** @param isOwn true for a request to the runtime itself */
export function headersFor(list: HeaderList, isOwn: boolean): Record<string, string | string[]> {
  const headers = Object.create(null) as Record<string, string | string[]>;
  headers["user-agent"] = USER_AGENT;
  for (const [rawName, value] of list) {
    const name = rawName.toLowerCase();
    if (DROPPED.has(name) || DROPPED_KINDS.test(name) || (isOwn && CREDENTIALS.has(name))) continue;
    const known = headers[name];
    headers[name] = known === undefined || name === "user-agent" ? value : [...[known].flat(), value];
  }
  return headers;
}

/** Methods that do not request a resource; the `fetch` of browsers forbids them too. */
export const isForbiddenMethod = (method: string): boolean => /^(?:connect|trace|track)$/i.test(method);
