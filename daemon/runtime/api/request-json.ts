// JSON bodies under the rules of the Jstz node's framework: 415 without a JSON content type, 400 for what is
// not JSON, 422 for JSON of the wrong shape; each with a sentence of plain text.
import type { FastifyReply, FastifyRequest } from "fastify";
import { parseExact } from "../../protocol/exact-json.ts";
import { ShapeError } from "../operations/decode.ts";
import { sendText } from "./answers.ts";

const JSON_TYPE = /^\s*application\/(?:[^;]+\+)?json\s*(?:;|$)/i;

/** Decodes the body, or answers the request and returns undefined. */
export function decodeBody<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  decode: (value: unknown) => T,
): T | undefined {
  if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) {
    sendText(reply, 415, "Expected request with `Content-Type: application/json`");
    return undefined;
  }
  let value: unknown;
  try {
    const bytes = request.body as Buffer | null | undefined;
    value = parseExact(bytes ? bytes.toString("utf8") : "");
  } catch (error) {
    sendText(reply, 400, `Failed to parse the request body as JSON: ${(error as Error).message}`);
    return undefined;
  }
  try {
    return decode(value);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    sendText(reply, 422, `Failed to deserialize the JSON body into the target type: ${error.message}`);
    return undefined;
  }
}
