// Tools for suites about processes: free ports, waiting for a condition, configurations on fixed ports.
import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { findAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { portHolder } from "../../daemon/local/port-holder.ts";
import { ownerHeaders } from "../../daemon/protocol/admin-secret.ts";
import type { BuiltCli, ReadyLine, RunningProcess } from "./built-cli.ts";

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** @param what is waited for; a function is called when it did not come */
export async function until(
  what: string | (() => string),
  limitMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > end)
      throw new Error(`${typeof what === "string" ? what : what()}: not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const canBind = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => server.close(() => resolve(true)));
  });

/** Waits until nobody has the ports. @throws Error who has one of them, and `what` it was about */
export async function untilFree(ports: readonly number[], what: () => string): Promise<void> {
  for (const port of ports) {
    await until(`port ${port} is free`, 5_000, () => canBind(port)).catch(async (error: Error) => {
      throw new Error(`${error.message}; ${String(await portHolder(port))} has it. ${what()}`);
    });
  }
}

export const portOf = (url: string): number => Number(new URL(url).port);

/** Headers of the owner of a started sandbox, as the command line finds them. */
export const ownerOf = (cli: Pick<BuiltCli, "env">, { sandboxd }: Pick<ReadyLine, "sandboxd">) =>
  ownerHeaders(findAdminSecret(sandboxd, cli.env)?.text);

export async function ready(process_: RunningProcess): Promise<ReadyLine> {
  return JSON.parse(await process_.line(/^\{"ready"/)) as ReadyLine;
}

const BELOW_EPHEMERAL = { from: 12_000, to: 32_000 };
/** Suites that may run at the same time (vitest.config.ts numbers them), and the most processes of each. */
const SUITES = 5;
const WORKERS = 8;
const SLICE = (BELOW_EPHEMERAL.to - BELOW_EPHEMERAL.from) / (SUITES * WORKERS);

/** Each process of tests has ports of its own: one that a test looks at again is taken by no other test. */
function firstPort(): number {
  const suite = Number(process.env["FUNCTEZ_TEST_SUITE"] ?? 0);
  const worker = Number(process.env["VITEST_POOL_ID"] ?? 1) % WORKERS;
  return BELOW_EPHEMERAL.from + (suite * WORKERS + worker) * SLICE;
}

/**
 * Ports that can be bound now, below the range from which systems assign ports, so that no connection and no server on
 * port 0 takes one of them before the test does.
 */
export async function freePorts(count: number): Promise<number[]> {
  const from = firstPort();
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(from, from + SLICE);
    if (await canBind(port)) found.add(port);
  }
  return [...found];
}

/** A configuration with fixed free ports, written to a file. */
export async function configFile(
  cli: BuiltCli,
  over: object = {},
): Promise<{ file: string; ports: number[] }> {
  const ports = await freePorts(3);
  const file = join(cli.configHome, "sandbox.json");
  const config = {
    server_port: ports[0],
    layer1_node: { rpc_endpoint: `127.0.0.1:${ports[1]}` },
    runtime_node: { endpoint: `127.0.0.1:${ports[2]}` },
    ...over,
  };
  writeFileSync(file, JSON.stringify(config));
  return { file, ports };
}
