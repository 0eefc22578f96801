// Decodes what a server answered. The answer of a network is never trusted: each client checks the shape of what it uses.
import { SandboxError } from "../protocol/errors.ts";
import { MalformedJson } from "../tezos/json-fields.ts";

/** Where an answer comes from, for the error. */
export interface AnswerSource {
  /** The server, as the beginning of a sentence: "The layer 1 node". */
  readonly what: string;
  readonly url: string;
}

/**
 * @param read decodes the parsed answer, and throws MalformedJson for another shape
 * @param parse reads the text, and throws SyntaxError when it is not JSON
 * @throws SandboxError ANSWER_MALFORMED
 */
export function decodeAnswer<T>(
  source: AnswerSource,
  body: string,
  read: (json: unknown) => T,
  parse: (text: string) => unknown = JSON.parse,
): T {
  try {
    return read(parse(body));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof MalformedJson)) throw error;
    const reason = error instanceof MalformedJson ? error.message : "it is not JSON";
    throw new SandboxError("ANSWER_MALFORMED", { ...source, reason }, { cause: error });
  }
}
