// Tells whether new connections are still arriving. A server takes one of them in each turn of the event loop, so turns
// must be short until all of them are in: a hundred, with long work in each turn, would keep the next client waiting
// for seconds.

/** Turns after a connection in which the next one may still come: the servers of the process do not take turns alike. */
const TURNS = 2;
/** Milliseconds that others may wait for arrivals, in each period of twice as many: a stream of them stops no work. */
const MOST_MS = 250;

let turnsLeft = 0;

/** Called for each new connection. */
export function arrived(): void {
  const isCounting = turnsLeft > 0;
  turnsLeft = TURNS;
  if (!isCounting) setImmediate(countTurn);
}

function countTurn(): void {
  if (--turnsLeft > 0) setImmediate(countTurn);
}

/**
 * Whether long work should let another turn pass, because a connection arrived in this turn or the one before.
 * @param now milliseconds of a monotonic clock
 */
export const isArriving = (now: number): boolean => turnsLeft > 0 && now % (2 * MOST_MS) < MOST_MS;
