// Failures of Michelson: of running scripts, or of ill-formed scripts and data. Receipts of operations show them as
// protocol errors (ids: Octez `script_tc_errors_registration.ml`).
import type { Micheline } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";

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

/** FAILWITH: caught where the script is run, which knows the contract. */
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

/** Runs `run`; a Michelson failure gets an error prepended that describes the context. */
export function traceErrors<T>(outer: () => ProtocolErrorFields, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw within(outer, error);
  }
}

/** As {@link traceErrors}, for a job. */
export function* traceJobErrors<T>(outer: () => ProtocolErrorFields, job: Job<T>): Job<T> {
  try {
    return yield* job;
  } catch (error) {
    throw within(outer, error);
  }
}

/** Running out of time has nothing to do with the script or datum, whose description may be very long: it is omitted. */
const within = (outer: () => ProtocolErrorFields, error: unknown): unknown =>
  error instanceof MichelsonError && !isOutOfTime(error)
    ? new MichelsonError(outer(), ...error.errors)
    : error;

/** The processor time of the job is used up. */
export const outOfTime = (): MichelsonError =>
  new MichelsonError(temporary("sandbox.processor_time_exhausted"));

/** Whether a failure was caused by the clock: it must never be mistaken for one of the script. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof MichelsonError && error.errors.some(({ id }) => id === "sandbox.processor_time_exhausted");

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
