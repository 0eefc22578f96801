// What a launch asks for: the operation to open, and where in it to stop first.
import { type Motion, valueId } from "../protocol/debug-session-api.ts";
import { SandboxError } from "../protocol/errors.ts";
import { type Fields, fieldsOf, optionalField, textField } from "../tezos/json-fields.ts";
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
