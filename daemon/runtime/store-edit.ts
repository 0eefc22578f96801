// Sets or deletes one value of a smart function's key-value store by hand: for a developer who needs another state. The
// real runtime has no such operation, so only the owner may do it, between two operations. The journal has what the
// change replaced, so earlier operations can still run again.
import { SandboxError } from "../protocol/errors.ts";
import { compactJson } from "../protocol/json-layout.ts";
import { whileAtRest } from "./at-rest.ts";
import { isJson } from "./call/json-text.ts";
import { kvKeyProblem } from "./ledger/kv-key.ts";
import type { RuntimeCore } from "./runtime-core.ts";

export interface StoreEdit {
  /** The smart function. */
  readonly address: string;
  readonly key: string;
  /** JSON text; null deletes the value. */
  readonly value: string | null;
}

/** Characters of a value: what an operation may carry. */
const MAX_VALUE = 512 * 1024;

/**
 * @param maxCharacters limit of the ledger
 * @returns the JSON text that was replaced, null for none
 * @throws SandboxError BAD_REQUEST, FUNCTION_GONE, SANDBOX_BUSY
 */
export function editStore(
  core: RuntimeCore,
  { address, key, value }: StoreEdit,
  maxCharacters: number,
): Promise<string | null> {
  const problem = kvKeyProblem(key);
  if (problem !== undefined)
    throw new SandboxError("BAD_REQUEST", {
      at: "key",
      found: `${key.slice(0, 200)} (${problem})`,
      expected: "at most 196 letters, digits, dots, - and _, with / between parts",
    });
  if (value !== null && (value.length > MAX_VALUE || !isJson(value)))
    throw new SandboxError("BAD_REQUEST", {
      at: "value",
      found: value.length > MAX_VALUE ? `${value.length} characters` : value.slice(0, 100),
      expected: `JSON of at most ${MAX_VALUE} characters`,
    });
  const stored = value === null ? undefined : compactJson(value);
  return whileAtRest(core, () => {
    const { ledger } = core.store;
    if (ledger.code(address) === undefined)
      throw new SandboxError("FUNCTION_GONE", { address, where: "the sandbox" });
    const before = ledger.value(address, key);
    const more = (stored?.length ?? 0) - (before?.length ?? 0);
    if (more > 0 && ledger.characters + more > maxCharacters)
      throw new SandboxError("BAD_REQUEST", {
        at: "value",
        found: `${more} characters more`,
        expected: `at most ${maxCharacters} characters in all functions together`,
      });
    core.amend({ writes: [["value", address, key, stored]], removed: [] });
    return before ?? null;
  });
}
