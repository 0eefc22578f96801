// Reader of server-sent events over node:http.
import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { errorInBody, SandboxError } from "../protocol/errors.ts";
import { type HttpRequest, openHttp } from "./http-json.ts";

/** Characters of one event: far above a receipt of an operation with its logs. */
const MAX_EVENT = 32 * 1024 * 1024;
/** Characters of the answer of a server that refuses: an error of ours is far shorter. */
const MAX_REFUSAL = 64 * 1024;

export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/**
 * Yields the events of a stream until it ends or the signal aborts.
 * @param onOpen called once the stream is open: no event is lost from then on
 * @throws SandboxError the error with which the server refuses it, NETWORK_UNREACHABLE when it cannot be opened
 */
export async function* readEvents(
  url: string,
  { onOpen, ...options }: HttpRequest & { readonly onOpen?: () => void } = {},
): AsyncGenerator<ServerSentEvent> {
  const response = await openHttp(url, {
    ...options,
    headers: { ...options.headers, accept: "text/event-stream" },
    timeoutMs: options.timeoutMs ?? 60_000,
  });
  if (response.statusCode !== 200) {
    const refusal = await refusalIn(response);
    if (refusal !== undefined) throw refusal;
    throw new SandboxError("NETWORK_UNREACHABLE", {
      what: options.what ?? "The event stream",
      endpoint: url,
      reason: `status ${response.statusCode}`,
    });
  }
  onOpen?.();
  const waiting: ServerSentEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      waiting.push({ data, ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) }),
  });
  response.setEncoding("utf8");
  /** Characters since the last event. */
  let unfinished = 0;
  try {
    for await (const chunk of response) {
      unfinished += (chunk as string).length;
      parser.feed(chunk as string);
      if (waiting.length > 0) unfinished = 0;
      else if (unfinished > MAX_EVENT)
        throw new Error(`an event of the stream has more than ${MAX_EVENT} characters`);
      while (waiting.length > 0) yield waiting.shift()!;
    }
  } catch (error) {
    if (!options.signal?.aborted) {
      throw new SandboxError(
        "NETWORK_UNREACHABLE",
        { what: options.what ?? "The event stream", endpoint: url, reason: "the stream broke" },
        { cause: error },
      );
    }
  } finally {
    response.destroy();
  }
}

async function refusalIn(response: IncomingMessage): Promise<SandboxError | undefined> {
  let text = "";
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) if ((text += chunk as string).length > MAX_REFUSAL) return undefined;
  } catch {
    return undefined; // the status says enough
  } finally {
    response.destroy();
  }
  return errorInBody(text);
}
