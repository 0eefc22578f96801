// Gas of one operation content in milligas, and the memory that its values may occupy.
import { MAX_NUMBER_BYTES } from "../../tezos/number-length.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import { requireTime } from "./processor-time.ts";

/** Longest text or byte string, several times what an operation or storage can hold. */
export const MAX_TEXT_BYTES = 262_144;
/**
 * Bytes that values may occupy in one run, garbage included until it is found. Gas alone would allow gigabytes: it pays
 * for the time of a copy, not for its memory.
 */
const MAX_ALLOCATED_BYTES = 134_217_728;
/** Bytes that types made while code is checked may take: the protocol pays for the time of making them, not for the room. */
const MAX_CHECKED_BYTES = 67_108_864;
/** What a pair, an option or a cell of a list counts as. */
export const CELL_BYTES = 48;
/** Milligas from one rest of whoever reads, checks or runs to the next. */
const REST_EVERY = 200_000;
/** Milligas from one look at the clock to the next: what takes long is no longer than this without one. */
const CHECK_EVERY = 200_000;

export class GasMeter {
  readonly limit: number;
  #left: number;
  /** Where the next look at the clock is due. */
  #checkAt: number;
  /** Where others should have their turn next. */
  #restAt: number;
  #room = MAX_ALLOCATED_BYTES;
  #checkRoom = MAX_CHECKED_BYTES;
  /** Room from which on what is in use should be counted. */
  #scarce = MAX_ALLOCATED_BYTES / 2;

  /** @param limit milligas */
  constructor(limit: number) {
    this.limit = limit;
    this.#left = limit;
    this.#checkAt = nextCheck(limit);
    this.#restAt = limit - REST_EVERY;
  }

  get used(): number {
    return this.limit - this.#left;
  }

  get left(): number {
    return this.#left;
  }

  /** @throws MichelsonError gas_exhausted.operation, sandbox.processor_time_exhausted */
  spend(milligas: number): void {
    this.#left -= milligas;
    if (this.#left < this.#checkAt) this.#checkLimits();
  }

  #checkLimits(): void {
    if (this.#left < 0) {
      this.#left = 0;
      throw new MichelsonError(temporary("gas_exhausted.operation"));
    }
    this.#checkAt = nextCheck(this.#left);
    requireTime();
  }

  /** Whether so much was spent since this was last so that others should have their turn. */
  isRestDue(): boolean {
    if (this.#left > this.#restAt) return false;
    this.#restAt = this.#left - REST_EVERY;
    return true;
  }

  /** Gives back what was spent since so much was used: what was done since then is as if it had never been. */
  rewind(used: number): void {
    this.#left = this.limit - used;
    this.#checkAt = nextCheck(this.#left);
    this.#restAt = this.#left - REST_EVERY;
  }

  /** Requires that this much is left, without spending it. @throws MichelsonError gas_exhausted.operation */
  check(milligas: number): void {
    if (milligas > this.#left) this.spend(milligas);
  }

  /** Reserves memory for a text or byte string to be built. @throws MichelsonError sandbox.value_too_large */
  reserveText(bytes: number): void {
    if (bytes > MAX_TEXT_BYTES) throw tooLarge();
    this.#reserve(bytes);
  }

  /** As {@link reserveText}, for a number. */
  reserveNumber(bytes: number): void {
    if (bytes > MAX_NUMBER_BYTES) throw tooLarge();
    this.#reserve(bytes);
  }

  /** As {@link reserveText}, for pairs, list cells and the like. */
  reserveCells(count: number): void {
    this.#reserve(count * CELL_BYTES);
  }

  /** Takes room for what checking code makes: types, and nodes of the stack. @throws MichelsonError sandbox.memory_exhausted */
  takeChecked(cells: number): void {
    this.#checkRoom -= cells * CELL_BYTES;
    if (this.#checkRoom < 0) throw new MichelsonError(temporary("sandbox.memory_exhausted"));
  }

  /** Room that is left, in bytes. */
  get room(): number {
    return this.#room;
  }

  /** Whether to count the values in use. */
  get isRoomScarce(): boolean {
    return this.#room < this.#scarce;
  }

  /** Records the counted room; undefined when the count was given up. */
  recordRoom(bytes: number | undefined): void {
    if (bytes === undefined) this.#scarce = this.#room > MAX_ALLOCATED_BYTES / 8 ? this.#room / 4 : 0;
    else {
      this.#room = Math.max(this.#room, bytes);
      this.#scarce = this.#room / 2;
    }
  }

  #reserve(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new MichelsonError(temporary("sandbox.memory_exhausted"));
  }
}

const nextCheck = (left: number): number => Math.max(0, left - CHECK_EVERY);

const tooLarge = (): MichelsonError => new MichelsonError(temporary("sandbox.value_too_large"));

/** A meter for unpaid work: RPCs that read and write values outside of operations. */
export const noGasLimit = (): GasMeter => new GasMeter(UNMETERED_MILLIGAS);

/** Enough for the largest request, but finite. */
const UNMETERED_MILLIGAS = 5_000_000_000;
