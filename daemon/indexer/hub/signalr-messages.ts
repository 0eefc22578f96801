// Messages of SignalR's JSON hub protocol: JSON records, each terminated by a separator.
// Source: ASP.NET Core, `HubProtocol.md`.
import { stringifyExact } from "../../protocol/exact-json.ts";
import { isObject } from "../../tezos/json-fields.ts";

const SEPARATOR = "\u001e";

/** The client messages that the hub handles. */
export type ClientMessage =
  | { readonly kind: "handshake"; readonly isJson: boolean }
  | {
      readonly kind: "invocation";
      readonly id: string | undefined;
      readonly target: string;
      readonly arguments: readonly unknown[];
    }
  | { readonly kind: "close" }
  | { readonly kind: "other" };

/** Parses the records in a text; undefined for invalid text. */
export function parseMessages(text: string): readonly ClientMessage[] | undefined {
  if (!text.endsWith(SEPARATOR)) return undefined;
  const records = text.slice(0, -1).split(SEPARATOR);
  const heard: ClientMessage[] = [];
  for (const record of records) {
    let json: unknown;
    try {
      json = JSON.parse(record);
    } catch {
      return undefined;
    }
    if (!isObject(json)) return undefined;
    heard.push(messageOf(json));
  }
  return heard;
}

function messageOf(json: Readonly<Record<string, unknown>>): ClientMessage {
  const { type, target, invocationId: id, arguments: given } = json;
  if (type === undefined && "protocol" in json)
    return { kind: "handshake", isJson: json["protocol"] === "json" };
  if (type === 7) return { kind: "close" };
  if (type !== 1 || typeof target !== "string") return { kind: "other" };
  return {
    kind: "invocation",
    id: typeof id === "string" ? id : undefined,
    target,
    arguments: Array.isArray(given) ? given : [],
  };
}

const record = (message: object): string => `${stringifyExact(message)}${SEPARATOR}`;

export const HANDSHAKE_ACCEPTED = record({});
export const PING = record({ type: 6 });
export const handshakeError = (error: string): string => record({ error });
export const closeMessage = (error: string): string => record({ type: 7, error });
export const completion = (invocationId: string, result: unknown): string =>
  record({ type: 3, invocationId, result });
export const completionError = (invocationId: string, error: string): string =>
  record({ type: 3, invocationId, error });

/** A channel's message to its subscribers. @param json the argument as JSON text */
export const event = (channel: string, json: string): string =>
  `{"type":1,"target":${JSON.stringify(channel)},"arguments":[${json}]}${SEPARATOR}`;
