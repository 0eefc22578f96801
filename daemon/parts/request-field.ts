// Bodies of the requests with which sandboxd rules its parts.
import { SandboxError } from "../protocol/errors.ts";
import { MalformedJson, isObject } from "../tezos/json-fields.ts";

/**
 * A field of a body, as `read` makes it; a body that is none has no fields.
 * @throws SandboxError BAD_REQUEST with the field, what was found and what was expected
 */
export function requestField<T>(body: unknown, name: string, read: (value: unknown, at: string) => T): T {
  try {
    return read(isObject(body) ? body[name] : undefined, name);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const { at, found, expected } = error;
    throw new SandboxError("BAD_REQUEST", { at, found: found ?? "nothing", expected });
  }
}
