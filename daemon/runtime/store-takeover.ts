// Moves the key-value store of one smart function to another: for `functez dev`, which deploys a new function on every
// save. The real runtime has no such operation, so only the owner may do it, between two operations.
import { SandboxError } from "../protocol/errors.ts";
import { whileAtRest } from "./at-rest.ts";
import type { LedgerWrite } from "./ledger/ledger.ts";
import type { RuntimeCore } from "./runtime-core.ts";

export interface Takeover {
  /** Addresses of smart functions: `from` loses its store, the store of `to` is replaced. */
  readonly from: string;
  readonly to: string;
}

/**
 * Moves the store. New operations wait in the meantime.
 * @returns the number of values moved
 * @throws SandboxError FUNCTION_GONE, SANDBOX_BUSY
 */
export function takeOverStore(
  core: RuntimeCore,
  { from, to }: Takeover,
  patienceMs?: number,
): Promise<number> {
  return whileAtRest(
    core,
    () => {
      const { ledger } = core.store;
      for (const address of [from, to]) {
        if (ledger.code(address) === undefined)
          throw new SandboxError("FUNCTION_GONE", { address, where: "the sandbox" });
      }
      if (from === to) return 0;
      const replaced = [...ledger.keys(to)].map((key): LedgerWrite => ["value", to, key, undefined]);
      const moved = [...ledger.keys(from)];
      const taken = moved.flatMap((key): LedgerWrite[] => [
        ["value", from, key, undefined],
        ["value", to, key, ledger.value(from, key)],
      ]);
      core.amend({ writes: [...replaced, ...taken], removed: [] });
      return moved.length;
    },
    patienceMs,
  );
}
