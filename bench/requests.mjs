// HTTP as every measured server gets it: one client process, kept connections, polling without a pause. The client
// runs beside the server on the same machine, so it has to cost little: undici takes half of what node:http takes.
import { Pool } from "undici";
import { sleep } from "./machine.mjs";

/** Kept connections to each port that is asked, at most this many each. */
export function keepAlive(connections) {
  const pools = new Map();
  return {
    to(port) {
      let pool = pools.get(port);
      if (pool === undefined) {
        pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
        pools.set(port, pool);
      }
      return pool;
    },
    destroy: () => Promise.all([...pools.values()].map((pool) => pool.destroy())),
  };
}

const ATTEMPTS = 3;
const single = keepAlive(1);

/**
 * A kept connection that the server closed just now is no failure of it: the request goes out once more.
 * @returns {Promise<{ status: number, text: string }>}
 */
export async function ask(port, path, { method = "GET", body, headers: extra, agent = single } = {}) {
  const headers = body === undefined ? { ...extra } : { "content-type": "application/json", ...extra };
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await agent.to(port).request({ path, method, body, headers });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      const closed = error.code === "ECONNRESET" || error.code === "UND_ERR_SOCKET";
      if (attempt === ATTEMPTS || !closed) throw error;
    }
  }
}

/** Asks again every 3 ms until `step` does not throw. */
export async function until(step, limit = 60_000) {
  const end = performance.now() + limit;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(3);
  }
}

/** Until the path answers below 500 (exactly `status` when given). */
export const answers = (port, path, status) =>
  until(async () => {
    const found = await ask(port, path);
    if (status === undefined ? found.status >= 500 : found.status !== status)
      throw new Error(`${path} answers ${found.status}`);
    return found;
  });

/** Milliseconds of each step, one after the other. */
export async function latencies(items, step) {
  const times = [];
  for (const item of items) {
    const start = performance.now();
    await step(item);
    times.push(performance.now() - start);
  }
  return times;
}

/** Steps per second when each lane takes its next item as soon as the last one is done. */
export async function closedLoop(lanes, step) {
  const start = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const item of lane) await step(item);
    }),
  );
  return lanes.reduce((sum, lane) => sum + lane.length, 0) / ((performance.now() - start) / 1000);
}

/** Operations that do not count before each throughput: compilers of JavaScript take some hundred to end. */
const WARM_LOOP = 1_000;

/**
 * Steps per second in closed loops of a server that has warmed up.
 * @param make gives the lanes with that many items; called twice, once for those that do not count
 */
export async function throughput(size, make, step) {
  await closedLoop(await make(WARM_LOOP), step);
  return closedLoop(await make(size), step);
}

/** Deals a number of items into lanes: `make(lane)` is called in order. */
export function deal(count, lanes, make) {
  const dealt = Array.from({ length: lanes }, () => []);
  for (let i = 0; i < count; i++) dealt[i % lanes].push(make(i % lanes));
  return dealt;
}
