// Request bodies. Short ones are parsed at once; long ones take turns like other work, because a hundred of them may
// arrive in one turn of the event loop.
import { MalformedJson } from "../../tezos/json-fields.ts";
import type { Job } from "../job.ts";
import type { Turns } from "../turns.ts";

/** Characters up to which a body is parsed at once. */
const SHORT = 32_768;

/** A body that is not parsed yet. */
class LongBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJson("body", "JSON", text);
  }
}

/** Prepares the body of a request: parsed when short, wrapped when long. @throws MalformedJson */
export function prepareBody(text: string): unknown {
  if (text === "") return undefined;
  return text.length <= SHORT ? parse(text) : new LongBody(text);
}

/** The JSON of a body. @throws MalformedJson, SandboxError LAYER1_BUSY */
export function bodyOf(body: unknown, turns: Turns, isGone: () => boolean): unknown {
  if (!(body instanceof LongBody)) return body;
  const { text } = body;

  const reading = function* (): Job<unknown> {
    return parse(text);
  };
  return turns.run(reading, { lane: "trial", bytes: text.length, isGone });
}
