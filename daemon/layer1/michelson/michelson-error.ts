// Failures of Michelson: what a script did, or what is wrong with a script or a datum. The receipt of an
// operation turns them into protocol errors (ids: Octez `script_tc_errors_registration.ml`).
import type { Micheline } from "../../tezos/micheline.ts";

export type ErrorKind = "permanent" | "temporary" | "branch";

/** One protocol error; `id` without the `proto.<version>.` prefix. */
export interface ProtocolErrorFields {
  readonly id: string;
  readonly kind: ErrorKind;
  readonly [field: string]: unknown;
}

/** A list of protocol errors as an exception: the first is the outermost. */
export class MichelsonError extends Error {
  readonly errors: readonly ProtocolErrorFields[];

  constructor(...errors: readonly ProtocolErrorFields[]) {
    super(errors.map((error) => error.id).join(", "));
    this.name = "MichelsonError";
    this.errors = errors;
  }
}

/** FAILWITH: caught by whoever runs the script, which knows the contract. */
export class ScriptRejected extends Error {
  readonly location: number;
  readonly with: Micheline;

  constructor(location: number, value: Micheline) {
    super("script_rejected");
    this.name = "ScriptRejected";
    this.location = location;
    this.with = value;
  }
}

/** Runs something; a failure of Michelson gets the error in front that says what was going on. */
export function traced<T>(outer: () => ProtocolErrorFields, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof MichelsonError ? new MichelsonError(outer(), ...error.errors) : error;
  }
}

export const permanent = (id: string, fields: object = {}): ProtocolErrorFields => ({
  kind: "permanent",
  id,
  ...fields,
});
export const temporary = (id: string, fields: object = {}): ProtocolErrorFields => ({
  kind: "temporary",
  id,
  ...fields,
});
export const branch = (id: string, fields: object = {}): ProtocolErrorFields => ({
  kind: "branch",
  id,
  ...fields,
});
