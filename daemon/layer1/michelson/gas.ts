// Gas of one operation content in milligas, and the room that its large values may take.
import { MichelsonError, temporary } from "./michelson-error.ts";
import { requireTime } from "./processor-time.ts";

/** Largest text or byte string. No operation or storage can hold a fraction of it. */
export const MAX_TEXT_BYTES = 262_144;
/** Largest number: what reading a number from bytes takes as well. */
const MAX_NUMBER_BYTES = 8_750;
/**
 * Bytes that values may take in one run, with those that are no longer in use until these have been found out. Gas alone
 * would allow for gigabytes: it pays for the time of a copy, not for the room it takes.
 */
const MAX_ALLOCATED_BYTES = 134_217_728;
/** Bytes that types made while code is checked may take: the protocol pays for the time of making them, not for the room. */
const MAX_CHECKED_BYTES = 67_108_864;
/** What a pair, an option or a cell of a list counts as. */
export const CELL_BYTES = 48;
/** Milligas from one rest of whoever reads, checks or runs to the next. */
const REST_EVERY = 200_000;
/** Milligas from one look at the clock to the next: what takes long is no longer than this without one. */
const LOOK_EVERY = 200_000;

export class GasMeter {
  readonly limit: number;
  #left: number;
  /** Where the next look at the clock is due. */
  #lookAt: number;
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
    this.#lookAt = lookAfter(limit);
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
    if (this.#left < this.#lookAt) this.#look();
  }

  #look(): void {
    if (this.#left < 0) {
      this.#left = 0;
      throw new MichelsonError(temporary("gas_exhausted.operation"));
    }
    this.#lookAt = lookAfter(this.#left);
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
    this.#lookAt = lookAfter(this.#left);
    this.#restAt = this.#left - REST_EVERY;
  }

  /** Requires that this much could be spent, without spending it. @throws MichelsonError gas_exhausted.operation */
  check(milligas: number): void {
    if (milligas > this.#left) this.spend(milligas);
  }

  /** Takes room for a text or byte string that is about to be built. @throws MichelsonError sandbox.value_too_large */
  takeText(bytes: number): void {
    if (bytes > MAX_TEXT_BYTES) throw tooLarge();
    this.#take(bytes);
  }

  /** As {@link takeText}, for a number. */
  takeNumber(bytes: number): void {
    if (bytes > MAX_NUMBER_BYTES) throw tooLarge();
    this.#take(bytes);
  }

  /** As {@link takeText}, for pairs, list cells and the like. */
  takeCells(count: number): void {
    this.#take(count * CELL_BYTES);
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

  /** Whether it is time to count what is in use. */
  get isRoomScarce(): boolean {
    return this.#room < this.#scarce;
  }

  /** Takes note of how much room there is, or that it could not be found out. */
  countedRoom(bytes: number | undefined): void {
    if (bytes === undefined) this.#scarce = this.#room > MAX_ALLOCATED_BYTES / 8 ? this.#room / 4 : 0;
    else {
      this.#room = Math.max(this.#room, bytes);
      this.#scarce = this.#room / 2;
    }
  }

  #take(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new MichelsonError(temporary("sandbox.memory_exhausted"));
  }
}

const lookAfter = (left: number): number => Math.max(0, left - LOOK_EVERY);

const tooLarge = (): MichelsonError => new MichelsonError(temporary("sandbox.value_too_large"));

/** A meter for what nobody pays for: RPCs that read and write values apart from any operation. */
export const unmetered = (): GasMeter => new GasMeter(UNMETERED_MILLIGAS);

/** Enough for the largest request, and yet an end. */
const UNMETERED_MILLIGAS = 5_000_000_000;
