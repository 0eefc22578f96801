// Parsed types of contracts, shared by all that have the same code: a test suite originates one contract again and again.
import { createHash } from "node:crypto";
import type { Micheline } from "../../tezos/micheline.ts";
import { type ContractScript, contractScript } from "../human/contract-script.ts";
import { nodesOf, weightOf } from "./weight.ts";

/** Bytes of each node of a parsed type, beside its Micheline. */
const TYPE_BYTES = 300;
/** Bytes of an entry without its types. */
const ENTRY_BYTES = 300;

export interface SharedScript {
  readonly script: ContractScript;
  /** TzKT's 32-bit hashes. */
  readonly typeHash: number;
  readonly codeHash: number;
  readonly key: string;
}

interface Kept {
  readonly shared: SharedScript;
  readonly bytes: number;
  contracts: number;
}

export class SharedScripts {
  readonly #kept = new Map<string, Kept>();

  /** The script of another contract. @returns it with the estimated bytes that are new */
  share(code: Micheline): { readonly shared: SharedScript; readonly newBytes: number } {
    const digest = digestOf(code);
    const key = digest.toString("latin1");
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      kept.contracts++;
      return { shared: kept.shared, newBytes: 0 };
    }
    const script = contractScript(code);
    const types = [script.parameter.micheline, script.storage.micheline];
    const shared = {
      script,
      typeHash: digestOf(types).readInt32BE(0),
      codeHash: digest.readInt32BE(0),
      key,
    };
    const bytes = ENTRY_BYTES + weightOf(types) + TYPE_BYTES * nodesOf(types);
    this.#kept.set(key, { shared, bytes, contracts: 1 });
    return { shared, newBytes: bytes };
  }

  /** A contract with the script is dropped. @returns the estimated bytes that are free now */
  release({ key }: SharedScript): number {
    const kept = this.#kept.get(key);
    if (kept === undefined || --kept.contracts > 0) return 0;
    this.#kept.delete(key);
    return kept.bytes;
  }
}

const digestOf = (code: unknown): Buffer => createHash("sha256").update(JSON.stringify(code)).digest();
