// Requests that were sent from the page, kept in this browser. Storage may be forbidden: then they last as long as the page.
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

export const sentRequests = signal<readonly SentRequest[]>(stored());

function stored(): SentRequest[] {
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
    // Full or forbidden: the list lives on in memory.
  }
}

/** What the composer shows next, handed over by the view of an operation. */
export const draft = signal<Partial<SentRequest>>({});
