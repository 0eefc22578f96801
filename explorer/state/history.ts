// Requests sent from the page, kept in the browser's storage; if that is blocked, until the page closes.
import { signal } from "@preact/signals";

export interface SentRequest {
  readonly from: string;
  readonly method: string;
  readonly url: string;
  /** One `name: value` a line. */
  readonly headers: string;
  readonly body: string;
  readonly tez: string;
}

const PLACE = "functez.requests";
const KEPT = 30;
/** Longer bodies are not kept. */
const LONGEST = 20_000;

export const sentRequests = signal<readonly SentRequest[]>(readStored());

function readStored(): SentRequest[] {
  try {
    const value = JSON.parse(localStorage.getItem(PLACE) ?? "[]") as unknown;
    return Array.isArray(value) ? value.filter(isRequest).slice(0, KEPT) : [];
  } catch {
    return [];
  }
}

const FIELDS = ["from", "method", "url", "headers", "body", "tez"] as const;
const isRequest = (value: unknown): value is SentRequest =>
  typeof value === "object" &&
  value !== null &&
  FIELDS.every((f) => typeof (value as SentRequest)[f] === "string");

export function keepRequest(request: SentRequest): void {
  if (request.body.length > LONGEST) return;
  const text = JSON.stringify(request);
  const others = sentRequests.value.filter((other) => JSON.stringify(other) !== text);
  sentRequests.value = [request, ...others].slice(0, KEPT);
  try {
    localStorage.setItem(PLACE, JSON.stringify(sentRequests.value));
  } catch {
    // Storage is full or blocked: keep the list in memory.
  }
}

/** A request that an operation's view hands to the composer. */
export const draft = signal<Partial<SentRequest>>({});
