// Gas of one operation content in milligas. The figures are of the size that a real node reports, so that
// fees estimated here also suffice there; they are not its exact model.
import { MichelsonError, temporary } from "./michelson-error.ts";

/** One Michelson instruction. */
export const INSTRUCTION_GAS = 100;
/** Each byte of data that an instruction builds, hashes, packs or compares. */
export const BYTE_GAS = 10;
/** Loading and starting one script. */
export const SCRIPT_GAS = 900_000;

export class GasMeter {
  readonly limit: number;
  #left: number;

  /** @param limit milligas */
  constructor(limit: number) {
    this.limit = limit;
    this.#left = limit;
  }

  get used(): number {
    return this.limit - this.#left;
  }

  /** @throws MichelsonError gas_exhausted.operation */
  spend(milligas: number): void {
    this.#left -= milligas;
    if (this.#left < 0) {
      this.#left = 0;
      throw new MichelsonError(temporary("gas_exhausted.operation"));
    }
  }

  spendBytes(bytes: number): void {
    this.spend(bytes * BYTE_GAS);
  }
}
