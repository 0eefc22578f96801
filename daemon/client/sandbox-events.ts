// Events of `GET /events`, from their text to what they say.
import { depositEventOf, operationEventOf } from "../protocol/runtime-event.ts";
import type { SandboxEventName, SandboxEvents } from "../protocol/sandbox-api.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";

export type SandboxEvent = {
  [Name in SandboxEventName]: { readonly event: Name; readonly data: SandboxEvents[Name] };
}[SandboxEventName];

/** The event, or undefined for one that this client does not know or cannot read. */
export function sandboxEventOf({ event, data: text }: ServerSentEvent): SandboxEvent | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined; // not of a sandbox
  }
  if (typeof data !== "object" || data === null) return undefined;
  switch (event) {
    case "operation": {
      const operation = operationEventOf(data);
      return operation && { event, data: operation };
    }
    case "deposit": {
      const deposit = depositEventOf(data);
      return deposit && { event, data: deposit };
    }
    case "part":
      return "name" in data && "state" in data ? { event, data: data as SandboxEvents["part"] } : undefined;
    case "status":
      return "status" in data ? { event, data: data as SandboxEvents["status"] } : undefined;
    case "head":
      return "level" in data && typeof data.level === "number"
        ? { event, data: data as SandboxEvents["head"] }
        : undefined;
    case "balances":
      return "accounts" in data && Array.isArray(data.accounts)
        ? { event, data: data as SandboxEvents["balances"] }
        : undefined;
    default:
      return undefined;
  }
}
