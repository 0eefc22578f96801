// Routes of the debugger: what replays of operations tell, and the sources that they are told in.
import type { FastifyReply } from "fastify";
import type { ServerSentEvent } from "../client/server-sent-events.ts";
import { openEventStream } from "../http/event-stream.ts";
import { onResponseEnd } from "../http/response-end.ts";
import { DEBUG_ACTIONS, type DebugAction } from "../protocol/debug-api.ts";
import {
  coverageSchema,
  codePlacesSchema,
  debugSessionSchema,
  holdSchema,
  replaySchema,
  sourceMapSchema,
} from "../protocol/sandbox-api.ts";
import { anyObject, type ControlContext, type ControlRoute, failure } from "./control-route.ts";

/** A reader that vanished without a word is noticed by its failing. */
const KEEP_ALIVE_MS = 5_000;

const SUMMARIES: Readonly<Record<DebugAction, string>> = {
  profile: "Replays an operation, and answers with its gas as a CPU profile: one unit is one microsecond.",
  lines: "Replays an operation, and answers with the lines that ran, how often, and their gas.",
  coverage:
    "Replays the operations that are kept, and answers with the lines and functions that ran, and those that did not, of every function that has a source map.",
  "source-map": "Keeps the source map of a deployed function. The latest 64 MB are kept.",
  places: "Finds the sources of places in deployed code: `source`, `line` and `column`, or null.",
  session: "Opens a debug session for an operation, or carries out a command in one.",
};

const BODIES = {
  profile: replaySchema,
  lines: replaySchema,
  coverage: coverageSchema,
  "source-map": sourceMapSchema,
  places: codePlacesSchema,
  session: debugSessionSchema,
};

export function debugRoutes(context: Pick<ControlContext, "debug" | "holdOperations">): ControlRoute[] {
  return [...DEBUG_ACTIONS.map((action) => taskRoute(context, action)), holdRoute(context)];
}

function taskRoute(context: Pick<ControlContext, "debug">, action: DebugAction): ControlRoute {
  return {
    method: "POST",
    url: `/debug/${action}`,
    access: "owner",
    summary: SUMMARIES[action],
    body: BODIES[action],
    responses: {
      200: { description: "Done.", schema: anyObject },
      400: failure("BAD_REQUEST; DEBUG_UNSUPPORTED: the runtime is not the built-in one."),
      404: failure("REPLAY_IMPOSSIBLE: the operation is not known, or no longer; DEBUG_SESSION_GONE."),
      503: failure("SANDBOX_BUSY: too many replays; REPLAY_LIMIT: this one took too long."),
    },
    handle: (request) => context.debug(action, request.body as object),
  };
}

function holdRoute(context: Pick<ControlContext, "holdOperations">): ControlRoute {
  return {
    method: "POST",
    url: "/debug/hold",
    access: "owner",
    summary:
      "While the stream is open, each call of a smart function waits, with everything behind it, until the debugger has looked at it.",
    body: holdSchema,
    responses: {
      200: {
        description:
          "Events: `open` with the name of the hold, `held`, and `released` with `by`: `session`, `time`, or `owner` when a snapshot, a change by hand or the end of the sandbox needed the state.",
        contentType: "text/event-stream",
      },
      400: failure("BAD_REQUEST; DEBUG_UNSUPPORTED: the runtime is not the built-in one."),
      409: failure("HOLD_TAKEN: another session holds operations."),
    },
    handle: ({ body }, reply) => streamHold(context, body as object, reply),
  };
}

/** Passes the stream of the runtime on, as long as both ends are there. */
async function streamHold(
  { holdOperations }: Pick<ControlContext, "holdOperations">,
  body: object,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const end = new AbortController();
  onResponseEnd(reply.raw, () => end.abort());
  const events = holdOperations(body, end.signal);
  const first = await events.next(); // refused before the stream is open
  const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
  const pass = async (): Promise<void> => {
    if (first.done !== true) send(first.value);
    for await (const event of events) send(event);
  };
  const send = ({ event, data }: ServerSentEvent): void =>
    stream.send({ data, ...(event === undefined ? {} : { event }) });
  // A runtime that ends its stream holds nothing any more.
  void pass()
    .catch(() => undefined)
    .then(() => stream.close());
  return reply;
}
