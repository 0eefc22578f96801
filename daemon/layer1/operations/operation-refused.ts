// Protocol errors for operations refused as a whole (nothing is charged).
import type { Protocol } from "../../tezos/protocols.ts";
import { MichelsonError, type ProtocolErrorFields } from "../michelson/michelson-error.ts";

/** Thrown by validation; `errors` as in {@link MichelsonError}, ids without prefix. */
export class OperationRefused extends Error {
  readonly errors: readonly ProtocolErrorFields[];
  /** Ids of shell errors have no protocol prefix. */
  readonly isShellError: boolean;

  constructor(errors: readonly ProtocolErrorFields[], isShellError = false) {
    super(errors.map((error) => error.id).join(", "));
    this.name = "OperationRefused";
    this.errors = errors;
    this.isShellError = isShellError;
  }

  /** JSON of the errors, as in RPC answers. */
  toJson({ errorPrefix }: Protocol): readonly object[] {
    return this.errors.map((error) => (this.isShellError ? error : { ...error, id: errorPrefix + error.id }));
  }
}

export const refuse = (...errors: readonly ProtocolErrorFields[]): never => {
  throw new OperationRefused(errors);
};

/** Turns a Michelson failure into a refusal, for RPCs that run code outside of operations. */
export function asRefusal(error: unknown): OperationRefused | undefined {
  if (error instanceof OperationRefused) return error;
  return error instanceof MichelsonError ? new OperationRefused(error.errors) : undefined;
}
