// What the adapter sends to the editor: responses and events, numbered in one sequence.
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { visible } from "../text/visible-text.ts";
import { MalformedJson } from "../tezos/json-fields.ts";
import type { Event, Outgoing, Request, Response } from "./messages.ts";

export class EditorChannel {
  readonly #send: (message: Outgoing) => void;
  #seq = 0;

  constructor(send: (message: Outgoing) => void) {
    this.#send = send;
  }

  respond(request: Request, body: object | undefined): void {
    this.#respond(request, { success: true, ...(body === undefined ? {} : { body }) });
  }

  fail(request: Request, error: SandboxError): void {
    const { code, message } = error.toBody().error;
    // Editors show failed hovers nowhere, and failed watches in their place.
    const showUser = !["evaluate", "variables", "exceptionInfo", "source"].includes(request.command);
    this.#respond(request, {
      success: false,
      message: message,
      body: { error: { id: 1, format: sentencesOf(error), variables: { code }, showUser } },
    });
  }

  event(event: string, body?: object): void {
    const message: Event = { type: "event", event, ...(body === undefined ? {} : { body }) };
    this.#send({ seq: ++this.#seq, ...message });
  }

  /**
   * Writes a line to the debug console, which obeys escapes like a terminal.
   * @param place the source and line that printed it, as the editor writes them
   */
  print(output: string, category: "console" | "stdout" | "important" = "console", place: object = {}): void {
    this.event("output", { category, output: `${visible(output)}\n`, ...place });
  }

  #respond({ seq, command }: Request, rest: Pick<Response, "success" | "message" | "body">): void {
    this.#send({ seq: ++this.#seq, type: "response", request_seq: seq, command, ...rest });
  }
}

/** The message of an error, and the next step. */
export function sentencesOf(error: SandboxError): string {
  const { message, next } = error.toBody().error;
  return next === undefined ? message : `${message} ${next}`;
}

/** The error of ours that answers a request. */
export function requestError(error: unknown): SandboxError {
  if (error instanceof MalformedJson)
    return new SandboxError("BAD_REQUEST", {
      at: error.at,
      found: error.found ?? "nothing",
      expected: error.expected,
    });
  if (error instanceof SandboxError) return error;
  return new SandboxError("INTERNAL", { reason: reasonOf(error) });
}
