// Parses the events of `GET /events`.
import { PART_NAMES, PART_STATES, SANDBOX_STATUSES } from "../protocol/part-name.ts";
import { depositEventOf, operationEventOf } from "../protocol/runtime-event.ts";
import type { SandboxEventName, SandboxEvents } from "../protocol/sandbox-api.ts";
import {
  type Fields,
  fieldsOf,
  levelField,
  nullableField,
  textField,
  tryDecode,
} from "../tezos/json-fields.ts";
import { accountsOf, snapshotOf } from "./sandbox-answers.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";

export type SandboxEvent = {
  [Name in SandboxEventName]: { readonly event: Name; readonly data: SandboxEvents[Name] };
}[SandboxEventName];

/** The event, or undefined for an unknown or malformed one. */
export const sandboxEventOf = ({ event, data }: ServerSentEvent): SandboxEvent | undefined =>
  tryDecode(data, (json) => eventOf(event, json));

/** @throws MalformedJson */
function eventOf(event: string | undefined, data: unknown): SandboxEvent | undefined {
  switch (event) {
    case "operation":
      return { event, data: operationEventOf(data) };
    case "deposit":
      return { event, data: depositEventOf(data) };
    case "part":
      return { event, data: partOf(fieldsOf(data, event)) };
    case "status":
      return { event, data: { status: oneOf(SANDBOX_STATUSES, fieldsOf(data, event)["status"], "status") } };
    case "head":
      return { event, data: headOf(fieldsOf(data, event)) };
    case "balances":
      return { event, data: { accounts: accountsOf(data) } };
    case "snapshot": {
      const action = oneOf(["taken", "restored"], fieldsOf(data, event)["action"], "action");
      return { event, data: { ...snapshotOf(data, event), action } };
    }
    case "store": {
      const { address, key } = fieldsOf(data, event);
      const keyText = nullableField(key, (text) => textField(text, "key"));
      return { event, data: { address: textField(address, "address"), key: keyText } };
    }
    default:
      return undefined;
  }
}

function partOf({ name, state, since, detail }: Fields): SandboxEvents["part"] {
  return {
    name: oneOf(PART_NAMES, name, "name"),
    state: oneOf(PART_STATES, state, "state"),
    since: textField(since, "since"),
    detail: textField(detail, "detail"),
  };
}

function headOf({ level, hash, timestamp }: Fields): SandboxEvents["head"] {
  return {
    level: levelField(level, "level"),
    hash: textField(hash, "hash"),
    timestamp: textField(timestamp, "timestamp"),
  };
}

function oneOf<const T extends string>(texts: readonly T[], value: unknown, at: string): T {
  const isOne = (text: string): text is T => (texts as readonly string[]).includes(text);
  return textField(value, at, `one of ${texts.join(", ")}`, isOne);
}
