import { afterEach, beforeEach, expect, it } from "vitest";
import type { FastifyInstance } from "fastify";
import { silentLog } from "../parts/log.ts";
import { listen } from "./listen.ts";
import { createServer } from "./server.ts";

let server: FastifyInstance;
let base: string;
let busyMs: number;
let made: string[];
beforeEach(async () => {
  busyMs = 0;
  made = [];
  server = createServer({ log: silentLog, name: "test", access: () => "own-site", adminSecret: undefined });
  server.get<{ Params: { name: string } }>("/:name", ({ params: { name } }) => {
    made.push(name);
    const end = performance.now() + (name.startsWith("slow") ? busyMs : 0);
    while (performance.now() < end);
    return name;
  });
  base = await listen(server, { host: "127.0.0.1", port: 0, purpose: "the test", configKey: "x" });
});
afterEach(() => server.close());

const ask = async (path: string): Promise<string> => (await fetch(`${base}/${path}`)).text();

it("answers others between two answers that take long", async () => {
  busyMs = 40;
  await ask("slow"); // now it is known
  made = [];
  const all = Array.from({ length: 20 }, (_, i) => ask(`slow?${i}`));
  await expect.poll(() => made.length).toBeGreaterThan(0);
  const begun = performance.now();
  for (let i = 0; i < 3; i++) await ask("quick");
  const waited = performance.now() - begun;
  const ahead = made.filter((name) => name === "slow").length;
  expect(ahead).toBeLessThan(20); // else all of them came first
  expect(waited).toBeLessThan(20 * busyMs);
  expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, () => "slow"));
});

it("refuses more than may wait, and forgets a path that is quick again", async () => {
  busyMs = 30;
  await ask("slow");
  busyMs = 0;
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async () => (await fetch(`${base}/slow`)).status),
  );
  expect(new Set(statuses)).toContain(200);
  const again = await Promise.all(
    Array.from({ length: 300 }, async () => (await fetch(`${base}/slow`)).status),
  );
  expect(new Set(again)).toEqual(new Set([200]));
});

it("does not make answers that nobody waits for any more", async () => {
  busyMs = 40;
  await ask("slow");
  made = [];
  const aborts = Array.from({ length: 10 }, () => new AbortController());
  const all = aborts.map(({ signal }) => fetch(`${base}/slow`, { signal }).catch(() => undefined));
  await expect.poll(() => made.length).toBeGreaterThan(0);
  for (const abort of aborts) abort.abort();
  await Promise.all(all);
  await ask("quick");
  expect(made.filter((name) => name === "slow").length).toBeLessThan(10);
});
