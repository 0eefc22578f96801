// How much a suite of hostile conditions does: a fixed, bounded amount in the normal run, far more in the long one.

/** True in `npm run test:faults -- --long` (or with FUNCTEZ_LONG=1). */
export const LONG = process.env["FUNCTEZ_LONG"] === "1";

/** The number for this run. */
export function amount(normal: number, long: number): number {
  return LONG ? long : normal;
}

/** Seed of all random choices, so that a run can be repeated; FUNCTEZ_SEED sets another one. */
export const SEED = Number(process.env["FUNCTEZ_SEED"] ?? 20_261_127);

/** Random numbers from 0 to 1, the same in every run with one seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
