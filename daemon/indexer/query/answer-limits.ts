// The limit for answers.
import { SandboxError } from "../../protocol/errors.ts";

/** Characters of one answer. */
export const MAX_ANSWER = 8 * 1024 * 1024;

export const answerTooLong = (): SandboxError =>
  new SandboxError("ANSWER_TOO_LARGE", {
    limit: MAX_ANSWER,
    next: "Ask for fewer records by `limit`, or for fewer fields by `select`.",
  });
