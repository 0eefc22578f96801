// Requests to sandboxd, which serves the page: all URLs are relative to it.
import { signal } from "@preact/signals";
import { pause } from "../../daemon/protocol/wait.ts";

/** A failure that the page shows. */
export class Failure extends Error {
  readonly code: string;
  readonly next: string;

  constructor(code: string, message: string, next = "") {
    super(message);
    this.code = code;
    this.next = next;
  }
}

/** The owner's secret, typed by the user under a host name other than loopback; forgotten with the page. */
export const ownerSecret = signal("");

async function answerOf(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { cache: "no-store", credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Failure("UNREACHABLE", "The sandbox does not answer.", "Start it again: functez sandbox start");
  }
}

/** @throws Failure */
async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; next?: unknown } };
    if (typeof error?.message === "string")
      return new Failure(String(error.code), error.message, String(error.next ?? ""));
  } catch {
    // Not JSON: the text itself is the reason.
  }
  return new Failure(
    `HTTP_${response.status}`,
    text.slice(0, 300) || `The answer has status ${response.status}.`,
  );
}

/** Milliseconds after which a read that brought no answer is repeated. */
const AGAIN_MS = 200;

/** Asks once more when no answer came: a browser aborts all reads when a network of the machine comes or goes. */
async function answerOfRead(path: string, signal?: AbortSignal): Promise<Response> {
  const init = signal ? { signal } : {};
  try {
    return await answerOf(path, init);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await pause(AGAIN_MS, signal);
    return answerOf(path, init);
  }
}

/** The JSON of an answer; undefined for 204 and 404. @throws Failure */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T | undefined> {
  const response = await answerOfRead(path, signal);
  if (response.status === 204 || response.status === 404) return undefined;
  // The health of an unhealthy sandbox has status 503.
  if (!response.ok && !(response.status === 503 && path.endsWith("health"))) throw await failureOf(response);
  const text = await response.text();
  return text === "" ? undefined : (JSON.parse(text) as T);
}

export const readRuntime = <T>(path: string, signal?: AbortSignal): Promise<T | undefined> =>
  read<T>(`api/runtime/${path}`, signal);
export const readLayer1 = <T>(path: string, signal?: AbortSignal): Promise<T | undefined> =>
  read<T>(`api/layer1/${path}`, signal);
/** Reads the history of layer 1. */
export const readHistory = <T>(path: string, signal?: AbortSignal): Promise<T | undefined> =>
  read<T>(`../tzkt/v1/${path}`, signal);

/** Posts JSON, with the owner's secret when the user has typed it. @throws Failure */
export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T | undefined> {
  const response = await answerOf(path, {
    method: "POST",
    ...(signal && { signal }),
    headers: {
      "content-type": "application/json",
      ...(ownerSecret.value && { authorization: `Bearer ${ownerSecret.value}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await failureOf(response);
  const text = await response.text();
  return text === "" ? undefined : (JSON.parse(text) as T);
}
