// Routes of the debugger: what replays of operations tell, and the sources that they are told in.
import { DEBUG_ACTIONS, type DebugAction } from "../protocol/debug-api.ts";
import {
  coverageSchema,
  codePlacesSchema,
  debugSessionSchema,
  replaySchema,
  sourceMapSchema,
} from "../protocol/sandbox-api.ts";
import { anyObject, type ControlContext, type ControlRoute, failure } from "./control-route.ts";

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

export function debugRoutes(context: Pick<ControlContext, "debug">): ControlRoute[] {
  return DEBUG_ACTIONS.map((action) => ({
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
  }));
}
