// Pauses between pieces of work on the thread of the servers.
import { isArriving } from "./arrivals.ts";

/** Turns of the event loop in one pause at most. An idle one takes some ten microseconds, one with requests a millisecond. */
const TURNS = 32;

/** Milliseconds after which a pause ends: with much to do in each turn, some of them are long enough. */
const MOST_MS = 15;

/**
 * Calls back after some turns of the event loop. A server takes one new connection in each turn: with work of ten
 * milliseconds in each, three hundred connections would keep the next one waiting for three seconds.
 * @param most turns; more while connections arrive
 */
export function afterABreath(run: () => void, most = TURNS): void {
  const until = performance.now() + MOST_MS;
  let turns = 0;
  const turn = (): void => {
    const now = performance.now();
    const isOver = ++turns >= most || now >= until;
    if (isOver && !isArriving(now)) run();
    else setImmediate(turn);
  };
  setImmediate(turn);
}
