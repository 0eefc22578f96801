// HTTP for every measured server: one client process, kept connections, polling without a pause. The client runs on the
// same machine as the server, so it must be cheap: undici takes half the time of node:http.
import { Pool } from "undici";
import { sleep } from "./machine.mjs";

/** Kept connections to each port, at most this many each. */
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
 * A kept connection that the server has just closed is not a failure of the server: the request is retried once.
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

/** Polls every 3 ms until `step` does not throw. */
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

/** Until the path responds with a status below 500 (exactly `status` when given). */
export const answers = (port, path, status) =>
  until(async () => {
    const found = await ask(port, path);
    if (status === undefined ? found.status >= 500 : found.status !== status)
      throw new Error(`${path} answers ${found.status}`);
    return found;
  });

/** Milliseconds of each step, run sequentially. */
export async function latencies(items, step) {
  const times = [];
  for (const item of items) {
    const start = performance.now();
    await step(item);
    times.push(performance.now() - start);
  }
  return times;
}

/** Steps per second when each lane starts its next item as soon as the previous one is done. */
export async function closedLoop(lanes, step) {
  const start = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const item of lane) await step(item);
    }),
  );
  return lanes.reduce((sum, lane) => sum + lane.length, 0) / ((performance.now() - start) / 1000);
}

/** Uncounted operations before each throughput measurement: JIT compilation takes a few hundred to settle. */
const WARM_LOOP = 1_000;

/**
 * Steps per second in closed loops of a server that has warmed up.
 * @param make creates the lanes with that many items; called twice, once for the warm-up
 */
export async function throughput(size, make, step) {
  await closedLoop(await make(WARM_LOOP), step);
  return closedLoop(await make(size), step);
}

/** Distributes a number of items over lanes: `make(lane)` is called in order. */
export function deal(count, lanes, make) {
  const dealt = Array.from({ length: lanes }, () => []);
  for (let i = 0; i < count; i++) dealt[i % lanes].push(make(i % lanes));
  return dealt;
}
