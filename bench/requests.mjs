// HTTP as every measured server gets it: one client process, kept connections, polling without a pause.
import { Agent, request } from "node:http";
import { sleep } from "./machine.mjs";

export const keepAlive = (connections) => new Agent({ keepAlive: true, maxSockets: connections });

const ATTEMPTS = 3;

/**
 * A kept connection that the server closed just now is no failure of it: the request goes out once more.
 * @returns {Promise<{ status: number, text: string }>}
 */
export async function ask(port, path, options = {}) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(port, path, options);
    } catch (error) {
      if (attempt === ATTEMPTS || !error.onKeptConnection || error.code !== "ECONNRESET") throw error;
    }
  }
}

function askOnce(port, path, { method = "GET", body, agent }) {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = request({ host: "127.0.0.1", port, method, path, agent, headers }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
      );
      response.on("error", reject);
    });
    outgoing.on("error", (error) => {
      error.onKeptConnection = outgoing.reusedSocket;
      reject(error);
    });
    outgoing.end(body);
  });
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

/** Deals a number of items into lanes: `make(lane)` is called in order. */
export function deal(count, lanes, make) {
  const dealt = Array.from({ length: lanes }, () => []);
  for (let i = 0; i < count; i++) dealt[i % lanes].push(make(i % lanes));
  return dealt;
}
