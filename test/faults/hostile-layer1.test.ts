// Scripts that try to run for ever, sent to layer 1 in every way at once: the daemon responds, others are served,
// blocks are made, and it stops when told to.
import { afterEach, expect, it } from "vitest";
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import { HOSTILE_CODE, hostileScript } from "../../daemon/layer1/testing/hostile-scripts.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { addressOf } from "../../daemon/tezos/address.ts";
import { encodeBase58 } from "../../daemon/tezos/base58.ts";
import type { Content } from "../../daemon/tezos/content.ts";
import { signBytes } from "../../daemon/tezos/keys.ts";
import { forgeOperation, signedBytes } from "../../daemon/tezos/operation-codec.ts";
import { DEFAULT_PROTOCOL, protocolOf } from "../../daemon/tezos/protocols.ts";
import { type BuiltCli, startedSandbox } from "../support/built-cli.ts";
import { ownerOf } from "../support/processes.ts";

/** How long the owner's tools and other clients may have to wait. */
const OWNER_MS = 1_000;
const CLIENT_MS = 2_000;
/** A whole transfer: it asks several times in a row, each answer as above, and its simulation takes turns with hostile ones. */
const TRANSFER_MS = 2 * CLIENT_MS;
const FLOOD_MS = 8_000;
/** Hostile requests in flight, for each entry point. */
const LANES = 8;
const LIMIT_MS = 120_000;

let cli: BuiltCli | undefined;
afterEach(() => cli?.dispose());

const HEAD = "/chains/main/blocks/head";
const ATTACKER = BOOTSTRAP_ACCOUNTS[3];
const attackerKey = parseSecretKey(ATTACKER.secretKey);
const victimKey = parseSecretKey(BOOTSTRAP_ACCOUNTS[1].secretKey);
const RECEIVER = BOOTSTRAP_ACCOUNTS[2].address;
const UNIT = { prim: "Unit" };

interface Flood {
  /** Number of answers to hostile requests, by entry point and status. */
  readonly answers: Map<string, number>;
  stop(): Promise<void>;
}

/** Sends hostile requests to every entry point until stopped. */
function flood(layer1: string, contracts: readonly string[]): Flood {
  const codes = Object.values(HOSTILE_CODE);
  const answers = new Map<string, number>();
  let isOver = false;
  const post = async (way: string, path: string, body: unknown): Promise<void> => {
    const init = { method: "POST", headers: { "content-type": "text/plain" }, body: JSON.stringify(body) };
    const status = await fetch(layer1 + path, init).then(
      async (response) => (await response.text(), response.status),
      () => 0, // the daemon ended
    );
    const key = `${way} ${status}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
  };
  const counter = async (): Promise<bigint> => {
    const path = `${layer1}${HEAD}/context/contracts/${ATTACKER.address}/counter`;
    return BigInt((await (await fetch(path)).json()) as string);
  };
  const branchOf = async (): Promise<string> =>
    (await (await fetch(`${layer1}${HEAD}/hash`)).json()) as string;
  const callOf = (destination: string, next: bigint): Content => ({
    kind: "transaction",
    source: ATTACKER.address,
    fee: "200000",
    counter: next.toString(),
    gas_limit: "1040000",
    storage_limit: "60000",
    amount: "0",
    destination: addressOf(destination),
  });
  const sign = (
    branch: string,
    contents: readonly Content[],
  ): { bytes: Uint8Array; signature: Uint8Array } => {
    const unsigned = forgeOperation(branch, contents);
    const signature = signBytes(attackerKey, Buffer.concat([Uint8Array.of(3), unsigned]));
    return { bytes: signedBytes(unsigned, signature), signature };
  };
  const ways: Readonly<Record<string, (n: number) => Promise<void>>> = {
    run_code: (n) =>
      post("run_code", `${HEAD}/helpers/scripts/run_code`, {
        script: hostileScript(codes[n % codes.length]!),
        storage: UNIT,
        input: UNIT,
        amount: "0",
        balance: "0",
      }),
    simulate: async (n) => {
      const operation = {
        branch: await branchOf(),
        contents: [callOf(contracts[n % contracts.length]!, (await counter()) + 1n)],
        signature: encodeBase58("sig", new Uint8Array(64)),
      };
      await post("simulate", `${HEAD}/helpers/scripts/simulate_operation`, {
        operation,
        chain_id: "NetXany",
      });
    },
    preapply: async (n) => {
      const branch = await branchOf();
      const contents = [callOf(contracts[n % contracts.length]!, (await counter()) + 1n)];
      const { signature } = sign(branch, contents);
      await post("preapply", `${HEAD}/helpers/preapply/operations`, [
        {
          protocol: protocolOf(DEFAULT_PROTOCOL).hash,
          branch,
          contents,
          signature: encodeBase58("sig", signature),
        },
      ]);
    },
    inject: async (n) => {
      const { bytes } = sign(await branchOf(), [
        callOf(contracts[n % contracts.length]!, (await counter()) + 1n),
      ]);
      await post("inject", "/injection/operation", Buffer.from(bytes).toString("hex"));
    },
  };
  const lanes = Object.values(ways).flatMap((send) =>
    Array.from({ length: LANES }, async (_, lane) => {
      for (let n = lane; !isOver; n += 1 + lane) await send(n).catch(() => undefined);
    }),
  );
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}

/** Repeats an action until `isOver`. @returns its longest duration, in ms */
async function longest(isOver: () => boolean, action: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let times = 0;
  while (!isOver()) {
    const start = performance.now();
    await action();
    most = Math.max(most, performance.now() - start);
    times++;
  }
  expect(times).toBeGreaterThan(3);
  return most;
}

async function get(url: string): Promise<void> {
  const response = await fetch(url);
  await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
}

/** A contract for each kind of hostile code that layer 1 accepts at all. */
async function originateAll(layer1: string): Promise<readonly string[]> {
  const client = createLayer1Client(layer1);
  const contracts: string[] = [];
  for (const code of Object.values(HOSTILE_CODE)) {
    const script = { code: hostileScript(code), storage: UNIT };
    const made = await client.sendAll(attackerKey, [{ kind: "origination", script }]).catch(() => undefined);
    contracts.push(...(made?.contracts ?? []));
  }
  return contracts;
}

it(
  "serves its owner within a second and others within two, whatever is sent to layer 1",
  async () => {
    const started = await startedSandbox();
    cli = started.cli;
    const { ready, process: daemon } = started;
    const contracts = await originateAll(ready.layer1);
    expect(contracts.length).toBeGreaterThan(20);
    const client = createLayer1Client(ready.layer1);
    const levelBefore = await client.level();

    const hostile = flood(ready.layer1, contracts);
    const end = performance.now() + FLOOD_MS;
    const isOver = (): boolean => performance.now() > end;
    const [health, runtime, header, storage, transfer] = await Promise.all([
      longest(isOver, () => get(`${ready.sandboxd}/health`)),
      longest(isOver, () => get(`${ready.runtime}/health`)),
      longest(isOver, () => get(`${ready.layer1}${HEAD}/header`)),
      longest(isOver, () => get(`${ready.layer1}${HEAD}/context/contracts/${RECEIVER}`)),
      longest(isOver, () => client.send({ key: victimKey, destination: RECEIVER, amount: 1n })),
    ]);
    const figures = { health, runtime, header, storage, transfer };
    process.stderr.write(`figures: ${JSON.stringify(figures)} ${JSON.stringify([...hostile.answers])}\n`);
    expect(figures.health).toBeLessThan(OWNER_MS);
    expect(Math.max(runtime, header, storage)).toBeLessThan(CLIENT_MS);
    expect(figures.transfer).toBeLessThan(TRANSFER_MS);
    expect(await client.level()).toBeGreaterThan(levelBefore + 3);
    // Operations and simulations were answered, each in its own form.
    const ways = [...hostile.answers.keys()];
    expect(ways).toContain("inject 200");
    expect(ways.some((way) => /^(run_code|simulate|preapply) (200|500)$/.test(way))).toBe(true);
    expect([...hostile.answers.keys()].filter((key) => key.endsWith(" 0"))).toEqual([]);

    const asked = performance.now();
    const { status } = await fetch(`${ready.sandboxd}/shutdown`, {
      method: "PUT",
      headers: ownerOf(cli, ready),
    });
    expect(status).toBe(204);
    expect(performance.now() - asked).toBeLessThan(OWNER_MS);
    expect(await daemon.ended).toBe(0);
    await hostile.stop();
  },
  LIMIT_MS,
);

it(
  "ends on SIGTERM while hostile scripts run",
  async () => {
    const started = await startedSandbox();
    cli = started.cli;
    const { ready, process: daemon } = started;
    const hostile = flood(ready.layer1, (await originateAll(ready.layer1)).slice(0, 8));
    await longest(
      () => hostile.answers.size > 0,
      () => get(`${ready.sandboxd}/health`),
    );
    const stopped = performance.now();
    daemon.child.kill("SIGTERM");
    expect(await daemon.ended).toBe(0);
    expect(performance.now() - stopped).toBeLessThan(OWNER_MS);
    await hostile.stop();
  },
  LIMIT_MS,
);
