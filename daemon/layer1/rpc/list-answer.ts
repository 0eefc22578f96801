// Answers that list things of the state. There may be any number of them, so the text is made in pieces with rests in
// between, and an answer that grows too large ends before it is whole.
import { SandboxError } from "../../protocol/errors.ts";
import type { Job } from "../job.ts";
import { isOutOfTime } from "../michelson/michelson-error.ts";

/** The text of an answer that is JSON already. */
export class AnswerText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Characters of a list. Those of layer 1 are bytes: nothing that is listed holds others than ASCII. */
const MAX_LIST_LENGTH = 16 * 1024 * 1024;
/** Texts that are joined to one: by themselves they take several times the memory of what they say. */
const JOINED = 1_000;

/**
 * Text of a list.
 * @param items what is undefined is not listed; it is a place to rest
 * @throws SandboxError ANSWER_TOO_LARGE, SERVER_BUSY when others waited too long for it to end
 */
export function* listText(items: Iterable<unknown>, maxLength = MAX_LIST_LENGTH): Job<AnswerText> {
  try {
    return yield* joinedItems(items, maxLength);
  } catch (error) {
    // Not the error of a script that took too long: the same request succeeds when fewer lists are asked for at once.
    throw isOutOfTime(error) ? new SandboxError("SERVER_BUSY", { what: "long lists" }) : error;
  }
}

function* joinedItems(items: Iterable<unknown>, maxLength: number): Job<AnswerText> {
  const joined: string[] = [];
  let texts: string[] = [];
  let length = 0;
  for (const item of items) {
    if (item !== undefined) {
      const text = item instanceof AnswerText ? item.text : JSON.stringify(item);
      length += text.length + 1;
      if (length > maxLength) throw new SandboxError("ANSWER_TOO_LARGE", { limit: maxLength });
      texts.push(text);
      if (texts.length === JOINED) {
        joined.push(texts.join(","));
        texts = [];
      }
    }
    yield;
  }
  if (texts.length > 0) joined.push(texts.join(","));
  return new AnswerText(`[${joined.join(",")}]`);
}
