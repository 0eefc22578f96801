// Maps the errors of a Tezos RPC to ours.
import { errorInBody, SandboxError } from "../protocol/errors.ts";
import { type Fields, fieldsOf, isObject, listField, textField, tryDecode } from "../tezos/json-fields.ts";

/** An error of the protocol; the further fields depend on its id. */
export interface RpcError extends Fields {
  readonly id: string;
}

/** @throws MalformedJson */
export const rpcErrorsOf = (json: unknown, at: string): RpcError[] =>
  listField(json, at, "a list of errors").map((error, i) => {
    const fields = fieldsOf(error, `${at}[${i}]`);
    return { ...fields, id: textField(fields["id"], `${at}[${i}].id`) };
  });

/** The text with which a script failed. */
function failedWith({ with: value }: RpcError): string | undefined {
  const text = isObject(value) ? value["string"] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** Our error for the errors of a failed operation result. */
export function rejectionOf(errors: readonly RpcError[]): SandboxError {
  const last = errors.at(-1);
  const text = errors.map(failedWith).find((found) => found !== undefined);
  const id = last?.id.replace(/^proto\.\d+-\w+\./, "") ?? "unknown";
  return new SandboxError("LAYER1_REJECTED", { id, reason: text ?? id.replace(/[._]/g, " ") });
}

/** Our error for a failed response: our server's error with code and next step, or the node's errors. */
export function rpcFailure(path: string, status: number, text: string): SandboxError {
  const serverError = errorInBody(text);
  if (serverError) return serverError;
  const errors = tryDecode(text, (json) => rpcErrorsOf(json, "body"));
  if (errors) return rejectionOf(errors);
  return new SandboxError("LAYER1_REJECTED", {
    id: `status ${status}`,
    status,
    reason: `${path}: ${text === "" ? "no reason given" : text.slice(0, 200)}`,
  });
}
