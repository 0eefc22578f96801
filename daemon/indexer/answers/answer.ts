// Answers a request: finds the route, waits until the index has caught up with the head, and writes failures in both our
// form and TzKT's.
import { isError, SandboxError } from "../../protocol/errors.ts";
import { MalformedJson } from "../../tezos/json-fields.ts";
import type { FollowedChain } from "../chain/follow-chain.ts";
import { AnswerWriter, type LongAnswers } from "../query/answer-writer.ts";
import { readQuery } from "../query/query-values.ts";
import type { Turns } from "../query/turns.ts";
import { ACCOUNT_ROUTES } from "./accounts.ts";
import { BIG_MAP_ROUTES } from "./big-maps.ts";
import { BLOCK_ROUTES } from "./blocks.ts";
import { CONTRACT_ROUTES } from "./contracts.ts";
import { EVENT_ROUTES } from "./events.ts";
import { OPERATION_ROUTES } from "./operations.ts";
import { findRoute, type Route } from "./route.ts";
import { TOKEN_ROUTES } from "./tokens.ts";

/** Routes with fixed segments come first. */
const ROUTES: readonly Route[] = [
  ...BLOCK_ROUTES,
  ...EVENT_ROUTES,
  ...OPERATION_ROUTES,
  ...ACCOUNT_ROUTES,
  ...CONTRACT_ROUTES,
  ...BIG_MAP_ROUTES,
  ...TOKEN_ROUTES,
];

export interface AnswerText {
  readonly status: number;
  /** JSON; empty for status 204. */
  readonly body: string;
  /** Call it once the text has been delivered: until then no other long answer is written. */
  readonly onDelivered: () => void;
}

export interface Answering {
  readonly chain: FollowedChain;
  readonly turns: Turns;
  readonly longAnswers: LongAnswers;
}

/** Milliseconds that a request waits for the index to catch up; the first one waits for the whole history. */
const PATIENCE_MS = 25_000;

/** @param url path and query, from the first segment on, such as `head` */
export async function answer({ chain, turns, longAnswers }: Answering, url: string): Promise<AnswerText> {
  const work = turns.begin();
  const writer = new AnswerWriter(work, longAnswers);
  const onDelivered = (): void => writer.leave();
  try {
    const [path = "", query = ""] = splitOnce(url, "?");
    const found = findRoute(ROUTES, decodePath(path));
    if (found === undefined) throw new SandboxError("NOT_FOUND", { what: `GET ${path.slice(0, 100)}` });
    const layer1 = (at: string): Promise<unknown> => work.outside(chain.ask(at));
    const request = { params: found.params, query: readQuery(query), layer1, work, writer };
    const index = await work.outside(inTime(chain.upToDate()));
    await work.turn();
    const body = await found.route.answer({ ...request, index });
    return body === undefined ? { status: 204, body: "", onDelivered } : { status: 200, body, onDelivered };
  } catch (error) {
    onDelivered();
    return { ...failure(error), onDelivered };
  }
}

/** @throws SandboxError SERVER_BUSY */
async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new SandboxError("SERVER_BUSY", { what: "the chain's history, which is being read" })),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function splitOnce(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** Decodes a path, except escaped slashes: those are decoded once the path is split. */
function decodePath(path: string): string {
  try {
    return path.includes("%") ? decodeURIComponent(path.replaceAll(/%2f/gi, "%252F")) : path;
  } catch {
    throw new SandboxError("BAD_REQUEST", { at: "the path", found: path.slice(0, 100), expected: "a path" });
  }
}

/** TzKT's form has `code`, and `errors` by parameter. */
function failure(error: unknown): Pick<AnswerText, "status" | "body"> {
  const known =
    error instanceof SandboxError
      ? error
      : error instanceof MalformedJson
        ? new SandboxError("BAD_REQUEST", { at: error.at, found: "another value", expected: error.expected })
        : new SandboxError("INTERNAL", {}, { cause: error });
  const body: Record<string, unknown> = { ...(known.toBody() as object), code: known.status };
  if (isError(known, "BAD_REQUEST")) body["errors"] = { [known.data.at ?? "request"]: known.message };
  return { status: known.status, body: JSON.stringify(body) };
}
