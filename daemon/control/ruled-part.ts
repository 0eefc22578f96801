// Requests of sandboxd to its parts as their owner, over their admin routes.
import { decodeAnswer } from "../client/decode-answer.ts";
import { httpRequestText, LARGE_ANSWER_BYTES } from "../client/http-json.ts";
import { readEvents, type ServerSentEvent } from "../client/server-sent-events.ts";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { errorInBody, type ErrorCode, SandboxError } from "../protocol/errors.ts";
import type { PartName } from "../protocol/part-name.ts";
import { fieldsOf } from "../tezos/json-fields.ts";

export interface RuledPart {
  /** Base URL, read at each use. */
  readonly endpoint: () => string;
  /** The owner's secret; undefined for a part that must not learn it. */
  readonly secret: string | undefined;
}

/**
 * The response of an admin route.
 * @param unsupported error for a part without the route, because it is not the built-in one
 * @throws SandboxError the part's error, `unsupported`, NETWORK_UNREACHABLE
 */
export async function askPart<Answer>(
  part: PartName,
  ruled: RuledPart,
  action: string,
  body: object,
  unsupported: ErrorCode,
  timeoutMs?: number,
): Promise<Answer> {
  const endpoint = ruled.endpoint();
  const { status, body: text } = await httpRequestText(`${endpoint}/admin/${action}`, {
    body: JSON.stringify(body),
    headers: ownerHeaders(ruled.secret),
    what: part,
    maxBytes: LARGE_ANSWER_BYTES,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const url = `${endpoint}/admin/${action}`;
  // The part is ours, and its own routes check what it answers: here only that it is an object.
  if (status === 200)
    return decodeAnswer({ what: part, url }, text, (json) => fieldsOf(json, "body") as Answer);
  const error = errorInBody(text);
  if (error) throw error;
  if (status === 404 || status === 405) throw new SandboxError(unsupported, { part });
  throw new SandboxError("NETWORK_UNREACHABLE", { what: part, endpoint, reason: `status ${status}` });
}

/** The events of an admin route that answers with a stream. @throws SandboxError the part's error, NETWORK_UNREACHABLE */
export const eventsOfPart = (
  part: PartName,
  ruled: RuledPart,
  action: string,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> =>
  readEvents(`${ruled.endpoint()}/admin/${action}`, {
    body: JSON.stringify(body),
    headers: ownerHeaders(ruled.secret),
    what: part,
    signal,
  });
