// Maps the errors of a Tezos RPC to ours.
import { errorInBody, reasonOf, SandboxError } from "../protocol/errors.ts";

export interface RpcError {
  readonly id: string;
  readonly kind: string;
  readonly msg?: string;
  readonly with?: { readonly string?: string };
  readonly [field: string]: unknown;
}

/** Our error for the errors of a failed operation result. */
export function rejected(errors: readonly RpcError[]): SandboxError {
  const last = errors.at(-1);
  const text = errors.find((error) => error.with?.string !== undefined)?.with?.string;
  const id = last?.id.replace(/^proto\.\d+-\w+\./, "") ?? "unknown";
  return new SandboxError("LAYER1_REJECTED", { id, reason: text ?? id.replace(/[._]/g, " ") });
}

/** Our error for a failed response: our server's error with code and next step, or the node's errors. */
export function rpcFailure(path: string, status: number, text: string): SandboxError {
  const serverError = errorInBody(text);
  if (serverError) return serverError;
  try {
    const errors = JSON.parse(text) as unknown;
    if (Array.isArray(errors)) return rejected(errors as RpcError[]);
  } catch (error) {
    return new SandboxError("LAYER1_REJECTED", {
      id: `status ${status}`,
      status,
      reason: `${path}: ${text || reasonOf(error)}`,
    });
  }
  return new SandboxError("LAYER1_REJECTED", {
    id: `status ${status}`,
    status,
    reason: `${path}: ${text.slice(0, 200)}`,
  });
}
