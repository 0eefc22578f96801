// Parses the events of `GET /events`.
import { depositEventOf, operationEventOf } from "../protocol/runtime-event.ts";
import type { SandboxEventName, SandboxEvents } from "../protocol/sandbox-api.ts";
import { tryDecode, fieldsOf, listField, MalformedJson, numberField } from "../tezos/json-fields.ts";
import { snapshotOf } from "./sandbox-answers.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";

export type SandboxEvent = {
  [Name in SandboxEventName]: { readonly event: Name; readonly data: SandboxEvents[Name] };
}[SandboxEventName];

/** The event, or undefined for an unknown or malformed one. */
export const sandboxEventOf = ({ event, data }: ServerSentEvent): SandboxEvent | undefined =>
  tryDecode(data, (json) => eventOf(event, json));

/** Validates the fields that code depends on; the rest of an event is only shown. @throws MalformedJson */
function eventOf(event: string | undefined, data: unknown): SandboxEvent | undefined {
  switch (event) {
    case "operation":
      return { event, data: operationEventOf(data) };
    case "deposit":
      return { event, data: depositEventOf(data) };
    case "part":
      requireFields(data, "name", "state");
      return { event, data: data as SandboxEvents["part"] };
    case "status":
      requireFields(data, "status");
      return { event, data: data as SandboxEvents["status"] };
    case "head":
      numberField(fieldsOf(data, event)["level"], "level");
      return { event, data: data as SandboxEvents["head"] };
    case "balances":
      listField(fieldsOf(data, event)["accounts"], "accounts", "a list of accounts");
      return { event, data: data as SandboxEvents["balances"] };
    case "snapshot":
      requireFields(data, "action");
      return {
        event,
        data: { ...snapshotOf(data, event), ...(data as Pick<SandboxEvents["snapshot"], "action">) },
      };
    case "store":
      requireFields(data, "address", "key");
      return { event, data: data as SandboxEvents["store"] };
    default:
      return undefined;
  }
}

function requireFields(data: unknown, ...names: readonly string[]): void {
  const fields = fieldsOf(data, "data");
  for (const name of names) if (!(name in fields)) throw new MalformedJson(name, "a value", undefined);
}
