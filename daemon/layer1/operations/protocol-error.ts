// Errors of the protocol when an operation is refused as a whole (nothing charged).
import type { Protocol } from "../../tezos/protocols.ts";
import { MichelsonError, type ProtocolErrorFields } from "../michelson/michelson-error.ts";

/** Thrown by validation; `errors` as for {@link MichelsonError}, ids without prefix. */
export class OperationRefused extends Error {
  readonly errors: readonly ProtocolErrorFields[];
  /** Error ids of the shell carry no protocol prefix. */
  readonly isShellError: boolean;

  constructor(errors: readonly ProtocolErrorFields[], isShellError = false) {
    super(errors.map((error) => error.id).join(", "));
    this.name = "OperationRefused";
    this.errors = errors;
    this.isShellError = isShellError;
  }

  /** JSON of the errors, as the RPC answers them. */
  toJson({ errorPrefix }: Protocol): readonly object[] {
    return this.errors.map((error) => (this.isShellError ? error : { ...error, id: errorPrefix + error.id }));
  }
}

export const refuse = (...errors: readonly ProtocolErrorFields[]): never => {
  throw new OperationRefused(errors);
};

/** Turns a failure of Michelson into a refusal, for RPCs that run code outside of operations. */
export function asRefusal(error: unknown): OperationRefused | undefined {
  if (error instanceof OperationRefused) return error;
  return error instanceof MichelsonError ? new OperationRefused(error.errors) : undefined;
}
