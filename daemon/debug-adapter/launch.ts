// What a launch asks for: the operation to open, and where in it to stop first; and what an attach asks for.
import { HOLD_SECONDS, type Motion, valueId } from "../protocol/debug-session-api.ts";
import { SandboxError } from "../protocol/errors.ts";
import {
  booleanField,
  type Fields,
  fieldsOf,
  integerField,
  optionalField,
  textField,
} from "../tezos/json-fields.ts";
import { type AdapterHost, historyOf } from "./adapter-host.ts";

export interface Launch {
  readonly hash: string;
  readonly first: Motion;
}

/** @param args of the `launch` request @throws SandboxError, MalformedJson */
export async function launchOf(host: AdapterHost, args: Fields): Promise<Launch> {
  const operation = optionalField(args["operation"], (value) => textField(value, "operation"));
  const change = optionalField(args["lastChange"], (value) => fieldsOf(value, "lastChange"));
  const hash = await operationOf(host, operation, change);
  if (change !== undefined) {
    const { address, key } = changedKey(change);
    return { hash, first: { kind: "lastChange", dataId: valueId(address, key) } };
  }
  if (args["stopOnError"] === true) return { hash, first: { kind: "error" } };
  if (args["stopOnHandler"] === true) return { hash, first: { kind: "handler" } };
  return { hash, first: { kind: args["stopOnEntry"] === true ? "start" : "continue" } };
}

/** Seconds for which an `attach` holds calls at most; undefined when it holds none. @throws MalformedJson */
export function holdSecondsOf(args: Fields): number | undefined {
  const isHolding = optionalField(args["hold"], (value) => booleanField(value, "hold"));
  const seconds = optionalField(args["holdSeconds"], (value) =>
    integerField(value, "holdSeconds", HOLD_SECONDS),
  );
  return isHolding === true ? (seconds ?? HOLD_SECONDS.usual) : undefined;
}

/** The operation by its name; else the one that last wrote the key, or the last call. */
async function operationOf(
  host: AdapterHost,
  operation: string | undefined,
  change: Fields | undefined,
): Promise<string> {
  if (operation !== undefined || change === undefined) return host.operationOf(operation ?? "last");
  const { address, key } = changedKey(change);
  const { entries } = await historyOf(host, { address, key });
  const newest = entries[0]?.hash;
  if (newest === undefined) throw new SandboxError("VALUE_UNCHANGED", { address, key });
  return newest;
}

function changedKey(change: Fields): { address: string; key: string } {
  const address = textField(change["address"], "lastChange.address");
  const key = textField(change["key"], "lastChange.key");
  return { address, key };
}
