// Arguments of requests, read with checks.
import { type Fields, fieldsOf, MalformedJson } from "../tezos/json-fields.ts";

/** @param at the object that has the field, for the error @throws MalformedJson */
export function numberIn(fields: Fields, name: string, at?: string): number {
  const value = fields[name];
  if (typeof value === "number") return value;
  throw new MalformedJson(at === undefined ? name : `${at}.${name}`, "a number", value);
}

/** @throws MalformedJson */
export function sourceIn(args: Fields): { path?: string; sourceReference?: number } {
  const { path, sourceReference } = fieldsOf(args["source"], "source");
  return {
    ...(typeof path === "string" ? { path } : {}),
    ...(typeof sourceReference === "number" ? { sourceReference } : {}),
  };
}
