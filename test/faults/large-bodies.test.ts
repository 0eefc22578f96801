// Operation bodies that are slow to parse or to hash, sent endlessly: requests of the owner and small ones of others do
// not wait for them.
import { request } from "node:http";
import { afterEach, expect, it } from "vitest";
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { Signer } from "../../daemon/runtime/test-node.ts";
import { type BuiltCli, startedSandbox } from "../support/built-cli.ts";

const OWNER_MS = 1_000;
const CLIENT_MS = 2_000;
const FLOOD_MS = 5_000;

let cli: BuiltCli | undefined;
afterEach(() => cli?.dispose());

const signature =
  "edsigtwqy6s8i5ezpHgYnGoDHRkTKf3aQ211WxXrLJJJ7jYYxu6Xpen9BiG6ymRG64zaQFm2tFrff8EuzwD7nfCByMZhr6Nn6CG";
const run = { _type: "RunFunction", uri: "jstz://KT1abc/", method: "POST", headers: {}, body: null };
const headers = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, "\u4e00"]));

/** Contents by what makes them slow; each is close to the limit of 10 MiB. */
const CONTENTS: Readonly<Record<string, () => object>> = {
  "bytes whose preimage is four times as long": () => ({
    ...run,
    body: Buffer.alloc(7_500_000, 200).toString("base64"),
  }),
  "a header that is escaped": () => ({ ...run, headers: { a: "\u4e00".repeat(3_300_000) } }),
  "as many headers as there may be": () => ({ ...run, headers: headers(32_768) }),
  "many more headers": () => ({ ...run, headers: headers(500_000) }),
  code: () => ({ _type: "DeployFunction", functionCode: "\u4e00".repeat(3_300_000), accountCredit: 0 }),
  "a list of bytes": () => ({
    _type: "OracleResponse",
    requestId: 1,
    response: {
      status: 200,
      status_text: "",
      headers: [],
      body: Array.from({ length: 2_400_000 }, () => 200),
    },
  }),
  "long integers": () => ({ _type: "x", a: Array.from({ length: 550_000 }, () => 12_345_678_901_234_568) }),
  "small objects": () => ({ _type: "x", a: Array.from({ length: 1_200_000 }, () => ({ a: 1 })) }),
  "empty lists": () => ({ _type: "x", a: Array.from({ length: 3_400_000 }, () => []) }),
};

it("answers its owner within a second and small requests within two", async () => {
  const started = await startedSandbox();
  ({ cli } = started);
  const { ready } = started;
  const runtime = createRuntimeClient(ready.runtime);
  const signer = new Signer(runtime);
  const address = await signer.deploy(`export default () => new Response("hello")`);
  const attacker = new Signer(runtime);

  let isOver = false;
  const answers = new Map<string, number>();
  const lanes = Object.entries(CONTENTS).map(async ([name, content]) => {
    const inner = {
      publicKey: attacker.key.publicKey.text,
      nonce: 0,
      content: { gasLimit: 1, ...content() },
    };
    const body = JSON.stringify({ inner, signature, verifier: null });
    for (const route = `${ready.runtime}/operations`; !isOver;) {
      const sent = await fetch(route, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      }).then(
        async (response) => (await response.text(), response.status),
        () => 0,
      );
      const key = `${name}: ${sent}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
    }
  });

  const slowest = { health: 0, accounts: 0, call: 0 };
  const time = async (what: keyof typeof slowest, work: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    await work();
    slowest[what] = Math.max(slowest[what], performance.now() - begun);
  };
  const ok = async (url: string): Promise<void> => {
    const response = await fetch(url);
    await response.text();
    expect(response.status).toBe(200);
  };
  const isRead = (name: string): boolean =>
    [...answers.keys()].some((key) => key.startsWith(`${name}: `) && !key.endsWith(" 503"));
  const end = performance.now() + FLOOD_MS;
  while (performance.now() < end || !Object.keys(CONTENTS).every(isRead)) {
    await time("health", () => ok(`${ready.sandboxd}/health`));
    await time("accounts", () => ok(`${ready.runtime}/accounts/${address}`));
    await time("call", async () => expect((await signer.run(`jstz://${address}/`)).body).toBe("hello"));
  }
  isOver = true;
  await Promise.all(lanes);
  process.stderr.write(`figures: ${JSON.stringify(slowest)} ${JSON.stringify([...answers])}\n`);

  expect(slowest.health).toBeLessThan(OWNER_MS);
  expect(slowest.accounts).toBeLessThan(CLIENT_MS);
  expect(slowest.call).toBeLessThan(CLIENT_MS);
  // Each was processed at least once: accepted (the receipt reports its wrong signature) or rejected.
  const requestsWith = (status: number): string[] =>
    [...answers.keys()].filter((key) => key.endsWith(`: ${status}`));
  expect(requestsWith(200)).toHaveLength(5);
  expect(requestsWith(422)).toEqual([]);
  expect(requestsWith(400)).toHaveLength(4);
}, 120_000);

it("accepts new clients while a hundred connections bring long bodies at once", async () => {
  const started = await startedSandbox();
  ({ cli } = started);
  const { ready } = started;
  const body = JSON.stringify({
    branch: "BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2",
    contents: [{ kind: "event", value: Array.from({ length: 60_000 }, () => ({ int: "1" })) }],
  });
  /** A request on a connection of its own. @returns status and milliseconds */
  const ask = (url: string, sent?: string): Promise<readonly [number, number]> =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      const asked = request(
        url,
        {
          agent: false,
          method: sent === undefined ? "GET" : "POST",
          headers: { "content-type": "application/json" },
        },
        (response) =>
          response.resume().once("end", () => resolve([response.statusCode!, performance.now() - begun])),
      );
      asked.once("error", reject).end(sent);
    });
  const forge = `${ready.layer1}/chains/main/blocks/head/helpers/forge/operations`;
  const flood = Array.from({ length: 100 }, () => ask(forge, body));
  const [status, ms] = await ask(`${ready.sandboxd}/health`);
  process.stderr.write(`figures: health after ${Math.round(ms)} ms\n`);
  expect(status).toBe(200);
  expect(ms).toBeLessThan(OWNER_MS);
  // Each is parsed, or refused when too many wait.
  for (const [answer] of await Promise.all(flood)) expect([400, 500, 503]).toContain(answer);
}, 60_000);
