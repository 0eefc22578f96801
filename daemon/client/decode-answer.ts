// Decodes what a server answered. The answer of a network is never trusted: each client checks the shape of what it uses.
import { SandboxError } from "../protocol/errors.ts";
import { MalformedJson } from "../tezos/json-fields.ts";
import { JsonTooDeep, parseShallow } from "../tezos/shallow-json.ts";

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
  parse: (text: string) => unknown = parseShallow,
): T {
  try {
    return read(parse(body));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof MalformedJson)) throw error;
    const isClear = error instanceof MalformedJson || error instanceof JsonTooDeep;
    throw malformedAnswer(source, isClear ? error.message : "it is not JSON", error);
  }
}

/** @param reason as part of a sentence */
export const malformedAnswer = (
  { what, url }: AnswerSource,
  reason: string,
  cause?: unknown,
): SandboxError<"ANSWER_MALFORMED"> => new SandboxError("ANSWER_MALFORMED", { what, url, reason }, { cause });
