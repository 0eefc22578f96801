// Reader of server-sent events over node:http.
import { createParser } from "eventsource-parser";
import { SandboxError } from "../protocol/errors.ts";
import { type HttpRequest, openHttp } from "./http-json.ts";

/** Characters of one event: far above a receipt of an operation with its logs. */
const MAX_EVENT = 32 * 1024 * 1024;

export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/**
 * Yields the events of a stream until it ends or the signal aborts.
 * @param onOpen called once the stream is open: no event is lost from then on
 * @throws SandboxError NETWORK_UNREACHABLE when it cannot be opened
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
    response.resume();
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
