// The only exit from the guest: a synchronous host function, removed from the global object before any guest code runs.
// Errors of the host arrive as a thrown JSON text [class, message] and become real errors here.

import type { OperationName, Signature } from "../host-ops.ts";

type HostFunction = (name: string, a?: unknown, b?: unknown, c?: unknown) => unknown;

const holder = globalThis as unknown as { __hostOp?: HostFunction };
const hostOp = holder.__hostOp as HostFunction;
delete holder.__hostOp;

const parse = JSON.parse;
const classes = new Map<string, new (message: string) => Error>();

/** Registers the class of host errors called `name`. */
export function errorClass(name: string, constructor: new (message: string) => Error): void {
  classes.set(name, constructor);
}
for (const constructor of [Error, TypeError, RangeError, SyntaxError])
  errorClass(constructor.name, constructor);

/** Calls the host. */
export function callHost<Name extends OperationName>(
  name: Name,
  ...args: Parameters<Signature<Name>>
): ReturnType<Signature<Name>>;
export function callHost(name: string, a?: unknown, b?: unknown, c?: unknown): unknown {
  try {
    return hostOp(name, a, b, c);
  } catch (thrown) {
    if (typeof thrown !== "string") throw thrown;
    throw reviveError(thrown);
  }
}

/** @param text JSON [class, message] */
export function reviveError(text: string): Error {
  const [name, message] = parse(text) as [string, string];
  const constructor = classes.get(name);
  if (constructor !== undefined) return new constructor(message);
  if (name.endsWith("Error") && name !== "Error") return new DOMException(message, name);
  const error = new Error(message);
  error.name = name;
  return error;
}

/** True while the deploy-time check evaluates the module: protocol access is then rejected. */
export const phase = { checking: false };
