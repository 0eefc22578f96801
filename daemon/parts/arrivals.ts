// Tells whether new connections are still arriving. A server takes one of them in each turn of the event loop, so turns
// must be short until all of them are in: a hundred, with long work in each turn, would keep the next client waiting
// for seconds.

/** Turns after a connection in which the next one may still come: the servers of the process do not take turns alike. */
const TURNS = 2;
/**
 * Milliseconds of each period in which others wait for arrivals: a stream of connections without end stops no work. Who
 * opens a connection for each request waits for the answer before the next, and so is not slowed.
 */
const MOST_MS = 400;
const PERIOD_MS = 500;

let turnsLeft = 0;

/** Called for each new connection. */
export function reportArrival(): void {
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
export const isArriving = (now: number): boolean => turnsLeft > 0 && now % PERIOD_MS < MOST_MS;
