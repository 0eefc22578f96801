// Messages of SignalR's hub protocol in its JSON form: records of JSON, each with a separator behind it.
// Source: ASP.NET Core, `HubProtocol.md`.
import { stringifyExact } from "../../protocol/exact-json.ts";
import { isObject } from "../../tezos/json-fields.ts";

const SEPARATOR = "\u001e";

/** What a client says, as far as a hub listens. */
export type Heard =
  | { readonly kind: "handshake"; readonly isJson: boolean }
  | {
      readonly kind: "invocation";
      readonly id: string | undefined;
      readonly target: string;
      readonly arguments: readonly unknown[];
    }
  | { readonly kind: "close" }
  | { readonly kind: "other" };

/** Records in a message; undefined when it is none. */
export function heardIn(text: string): readonly Heard[] | undefined {
  if (!text.endsWith(SEPARATOR)) return undefined;
  const records = text.slice(0, -1).split(SEPARATOR);
  const heard: Heard[] = [];
  for (const record of records) {
    let json: unknown;
    try {
      json = JSON.parse(record);
    } catch {
      return undefined;
    }
    if (!isObject(json)) return undefined;
    heard.push(heardOf(json));
  }
  return heard;
}

function heardOf(json: Readonly<Record<string, unknown>>): Heard {
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
export const refusedHandshake = (error: string): string => record({ error });
export const closing = (error: string): string => record({ type: 7, error });
export const completed = (invocationId: string, result: unknown): string =>
  record({ type: 3, invocationId, result });
export const failed = (invocationId: string, error: string): string =>
  record({ type: 3, invocationId, error });

/** A message of a channel to its subscribers. @param json text of the argument */
export const event = (channel: string, json: string): string =>
  `{"type":1,"target":${JSON.stringify(channel)},"arguments":[${json}]}${SEPARATOR}`;
