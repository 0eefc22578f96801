// What work costs. One unit is about one bytecode of the interpreter or one turn of one of its native loops, counted
// by the rewritten wasm itself; the host's work is added here, by size, so that the sum is the same on every run and
// machine. The table's version is part of the engine manifest together with the hash of the wasm: another engine
// or another table means other numbers.

/** Raise it with every change of a figure below. */
export const GAS_SCHEDULE_VERSION = 1;

interface Price {
  /** For the call itself. */
  readonly base: number;
  /** For each byte (UTF-16 unit of text) that goes in, and that comes back. */
  readonly perByteIn: number;
  readonly perByteOut: number;
}

const price = (base: number, perByteIn: number, perByteOut: number): Price => ({
  base,
  perByteIn,
  perByteOut,
});

/** Host operations and the engine's own. Anything not listed costs `DEFAULT_PRICE`. */
const PRICES: Readonly<Record<string, Price>> = {
  "kv.get": price(200, 1, 0.25),
  "kv.set": price(400, 1, 0),
  "kv.delete": price(200, 1, 0),
  "kv.has": price(100, 1, 0),
  "ledger.self": price(20, 0, 0),
  "ledger.balance": price(100, 0, 0),
  "ledger.transfer": price(500, 0, 0),
  "function.create": price(10_000, 1, 0),
  console: price(100, 0.5, 0),
  fetch: price(2_000, 0.25, 0),
  done: price(0, 0.25, 0),
  digest: price(200, 0.5, 0),
  random: price(50, 0, 1),
  "url.parse": price(500, 2, 0),
  "url.set": price(500, 2, 0),
  "utf8.encode": price(20, 0.1, 0),
  "utf8.decode": price(20, 0.1, 0),
  "encoding.decode": price(100, 1, 0),
  compress: price(1_000, 4, 1),
  decompress: price(1_000, 1, 1),
};

const DEFAULT_PRICE: Price = price(20, 0.1, 0);

/** A response that is delivered to a waiting fetch, and the request that starts a call: per byte of body. */
export const BODY_PER_BYTE = 0.25;

/** A call whose instance cannot be used again pays for the next one. */
export const INSTANCE_GAS = 2_000_000;

/** @returns gas for a host operation before it runs */
export function priceOfCall(name: string, bytesIn: number): number {
  const entry = PRICES[name] ?? DEFAULT_PRICE;
  return entry.base + Math.ceil(entry.perByteIn * bytesIn);
}

/** @returns gas for the answer of a host operation */
export const priceOfAnswer = (name: string, bytesOut: number): number =>
  Math.ceil((PRICES[name] ?? DEFAULT_PRICE).perByteOut * bytesOut);
