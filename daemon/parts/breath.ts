// Pauses between pieces of work on the thread of the servers.

/** Turns of the event loop in one pause. An idle one takes some ten microseconds, one with requests a millisecond. */
const TURNS = 32;

/**
 * Calls back after some turns of the event loop. A server takes one new connection in each turn: with work of ten
 * milliseconds in each, three hundred connections would keep the next one waiting for three seconds.
 */
export function afterABreath(run: () => void, turns = TURNS): void {
  setImmediate(() => (turns > 1 ? afterABreath(run, turns - 1) : run()));
}
