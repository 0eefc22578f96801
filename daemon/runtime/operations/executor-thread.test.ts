import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { stringifyExact } from "../../protocol/exact-json.ts";
import { pause } from "../../protocol/wait.ts";
import { FAULTS_BEFORE_PROOF, WORKER_STACK_MB } from "../engine/limits.ts";
import { SNAPSHOT_FILE } from "../engine/manifest.ts";
import { tezDepositMessage } from "../inbox/test-deposit.ts";
import {
  engineDirectory,
  FakeRollup,
  runContent,
  Signer,
  startNode,
  type StartedNode,
} from "../test-node.ts";
import { COUNTER } from "../test-shared-node.ts";

let node: StartedNode;
afterEach(() => node.stop());

/** A function that never ends. */
const ENDLESS = "export default () => { for (;;); }";
/** Gas of an operation that takes much longer than others: 10 million units of the engine. */
const SLOW = 250n;
/** More gas than any node allows. */
const ALL_GAS = 2n ** 60n;

/** Starts the node, with two signers, a function that counts and one that never ends. */
async function startWithFunctions(options: Parameters<typeof startNode>[0]) {
  node = await startNode(options);
  const [alice, bob] = [new Signer(node.client), new Signer(node.client)];
  const counter = await alice.deploy(COUNTER);
  return { alice, bob, counter, endless: await alice.deploy(ENDLESS) };
}

type Signed = ReturnType<Signer["sign"]>;

const call = (signer: Signer, address: string, gasLimit?: bigint): Signed => {
  const content = runContent(`jstz://${address}/`);
  return signer.sign(gasLimit === undefined ? content : ({ ...content, gasLimit } as never));
};

const receiptsOf = (jobs: readonly Signed[]) =>
  Promise.all(jobs.map(async ({ hash }) => (await node.client.waitForReceipt(hash)).result));

/** A log that records the reasons of errors. */
function logOfErrors() {
  const reasons: string[] = [];
  const error = (fields: { reason?: string }): void => void reasons.push(fields.reason ?? "");
  return { reasons, log: { ...silentLog, error } };
}

describe("when the thread of guests hangs", () => {
  it("only that operation fails; the state and all others survive", async () => {
    const rollup = new FakeRollup();
    await rollup.start();
    const { alice, bob, counter, endless } = await startWithFunctions({
      watchdogMs: 1_000,
      gasCeiling: Number.MAX_SAFE_INTEGER,
      rollupEndpoint: () => rollup.endpoint,
    });
    rollup.bake(tezDepositMessage(alice.address, 5n));
    await alice.run(`jstz://${counter}/`);

    // Queue order: one before, the one that hangs, one of the same sender, one of another.
    const jobs = [
      call(bob, counter),
      call(alice, endless, ALL_GAS),
      call(alice, counter),
      call(bob, counter),
    ];
    for (const { signed } of jobs) await node.client.inject(signed);
    rollup.bake(tezDepositMessage(alice.address, 7n));
    const results = await receiptsOf(jobs);
    expect(results.map(({ _type }) => _type)).toEqual(["Success", "Failed", "Success", "Success"]);
    expect(await node.client.kv(counter, "count")).toBe(4);
    await expect.poll(() => node.client.balance(alice.address)).toBe(12n);
    await expect.poll(async () => (await node.part.health()).healthy).toBe(true);
    await rollup.stop();
  });
});

describe("when the whole process stands still during an operation", () => {
  it("that time does not count as the operation's", async () => {
    const { alice, counter, endless } = await startWithFunctions({
      watchdogMs: 1_000,
      gasCeiling: Number.MAX_SAFE_INTEGER,
    });
    await alice.run(`jstz://${counter}/`);
    const { signed, hash } = call(alice, endless, ALL_GAS);
    await node.client.inject(signed);
    // The watchdog has seen it by then.
    await pause(250);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    const begun = performance.now();
    expect((await node.client.waitForReceipt(hash)).result).toMatchObject({ _type: "Failed" });
    expect(performance.now() - begun).toBeGreaterThan(500);
  });
});

describe("when an operation is slow", () => {
  it("earlier operations do not wait for it", async () => {
    const { alice, bob, counter, endless } = await startWithFunctions({
      watchdogMs: 1_000,
      gasCeiling: Number.MAX_SAFE_INTEGER,
    });
    const quick = call(bob, counter);
    const slow = call(alice, endless, ALL_GAS);
    // Both in one packet, so that they reach the thread in one message.
    const { hostname, port, host } = new URL(node.endpoint);
    const socket = connect(Number(port), hostname);
    const posts = [quick, slow].map(({ signed }) => {
      const body = stringifyExact(signed);
      return `POST /operations HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    });
    socket.write(posts.join(""));
    // A request whose client goes away before its answer may be dropped.
    let answers = "";
    for await (const chunk of socket) {
      answers += String(chunk);
      if (answers.split("HTTP/1.1 200").length > posts.length) break;
    }
    socket.destroy();
    const ended: string[] = [];
    await Promise.all(
      [quick, slow].map(async ({ hash }) => {
        await node.client.waitForReceipt(hash);
        ended.push(hash);
      }),
    );
    expect(ended).toEqual([quick.hash, slow.hash]);
  });
});

describe("when a sender keeps sending operations that kill the thread", () => {
  it("operations of others run in between", async () => {
    const { alice, bob, counter, endless } = await startWithFunctions({
      watchdogMs: 1_000,
      gasCeiling: Number.MAX_SAFE_INTEGER,
    });
    await bob.run(`jstz://${counter}/`);
    const ended: string[] = [];
    const send = async (signer: Signer, address: string): Promise<void> => {
      const { signed, hash } = call(signer, address, ALL_GAS);
      await node.client.inject(signed);
      void node.client.waitForReceipt(hash).then(() => ended.push(signer === bob ? "bob" : "alice"));
    };
    for (let i = 0; i < 4; i++) await send(alice, endless);
    await send(bob, counter);
    await expect.poll(() => ended.length, { timeout: 60_000 }).toBe(5);
    expect(ended.indexOf("bob")).toBeLessThan(3);
  });
});

describe("when a sender keeps sending slow operations", () => {
  it("operations of others run in between, and each sender's stay in order", async () => {
    const { bob, counter, endless } = await startWithFunctions({ gasCeiling: 100_000_000 });
    const mallory = Array.from({ length: 3 }, () => new Signer(node.client));
    const ended: string[] = [];
    const send = async (name: string, signer: Signer, address: string, gas?: bigint): Promise<void> => {
      const { signed, hash } = call(signer, address, gas);
      await node.client.inject(signed);
      void node.client.waitForReceipt(hash).then(() => ended.push(name));
    };
    // Many of one sender, and some of others that call the same function; all before Bob's. The first one lasts until
    // all have arrived.
    await send("m0.0", mallory[0]!, endless);
    for (let i = 1; i < 10; i++) await send(`m0.${i}`, mallory[0]!, endless, SLOW);
    for (let i = 0; i < 5; i++) for (const n of [1, 2]) await send(`m${n}.${i}`, mallory[n]!, endless, SLOW);
    for (let i = 0; i < 3; i++) await send(`bob.${i}`, bob, counter);
    await expect.poll(() => ended.length, { timeout: 60_000 }).toBe(23);

    const last = ended.indexOf("bob.2");
    expect(last).toBeLessThan(8); // not the last, as it would be by arrival
    for (const sender of ["m0", "m1", "m2", "bob"]) {
      const own = ended.filter((name) => name.startsWith(sender));
      expect(own).toEqual([...own].sort());
    }
    expect(await node.client.kv(counter, "count")).toBe(3);
    // Senders with many operations and senders with few take turns.
    expect(ended.indexOf("m2.4")).toBeLessThan(ended.indexOf("m0.9"));
  });
});

describe("when the thread of guests runs out of memory", () => {
  it("the operation that used it fails with the reason; the state and all others survive", async () => {
    const directory = engineDirectory();
    // A heap too small for the writes of one call. The next thread has the usual one.
    const engineThread = new Worker(join(directory, "engine-worker.cjs"), {
      workerData: { engineDirectory: directory },
      resourceLimits: { maxOldGenerationSizeMb: 20, stackSizeMb: WORKER_STACK_MB },
    });
    node = await startNode({ engineThread });
    const [alice, bob] = [new Signer(node.client), new Signer(node.client)];
    const counter = await alice.deploy(COUNTER);
    const greedy = await alice.deploy(`export default () => {
      for (let i = 0; i < 30; i++) Kv.set("k" + i, i + "x".repeat(1_000_000));
      return new Response("kept");
    }`);
    const jobs = [call(bob, counter), call(alice, greedy), call(alice, counter), call(bob, counter)];
    for (const { signed } of jobs) await node.client.inject(signed);
    const results = await receiptsOf(jobs);
    expect(results.map(({ _type }) => _type)).toEqual(["Success", "Failed", "Success", "Success"]);
    expect(results[1]!.inner).toMatch(/^InternalError: .*memory/);
    expect(await node.client.kv(greedy, "k0")).toBeUndefined();
    expect(await node.client.kv(counter, "count")).toBe(3);
    // It fits into the usual heap.
    expect(await alice.run(`jstz://${greedy}/`)).toMatchObject({ statusCode: 200, body: "kept" });
    await expect.poll(async () => (await node.part.health()).healthy).toBe(true);
  });
});

describe("when the engine cannot be loaded", () => {
  it("the start fails with the reason", async () => {
    const broken = startNode({ engineDirectory: `${engineDirectory()}/missing` });
    await expect(broken).rejects.toThrow(/guest engine/);
    node = await startNode();
  });
});

describe("when the engine fails in every call", () => {
  it("reports it in its health and restarts the engine until calls work again", async () => {
    const good = engineDirectory();
    const directory = await mkdtemp(join(tmpdir(), "functez-broken-"));
    const snapshot = await readFile(join(good, SNAPSHOT_FILE));
    const { reasons, log } = logOfErrors();
    try {
      await cp(good, directory, { recursive: true });
      const damaged = Buffer.from(snapshot).fill(0, Math.floor(snapshot.length * 0.6));
      await writeFile(join(directory, SNAPSHOT_FILE), damaged);
      node = await startNode({ engineDirectory: directory, log });
      const alice = new Signer(node.client);
      for (let index = 0; index < FAULTS_BEFORE_PROOF; index += 1)
        await expect(alice.deploy(COUNTER)).rejects.toThrow("EngineError");
      await expect
        .poll(() => node.part.health())
        .toMatchObject({
          healthy: false,
          detail: expect.stringContaining("ENGINE_BROKEN") as string,
        });
      // The next thread loads the same files; that it starts does not prove that it works.
      await alice.deploy(COUNTER).catch(() => undefined);
      expect(node.part.health()).toMatchObject({ healthy: false });
      await writeFile(join(directory, SNAPSHOT_FILE), snapshot);
      let counter: string | undefined;
      for (let index = 0; index < 2 * FAULTS_BEFORE_PROOF && counter === undefined; index += 1)
        counter = await alice.deploy(COUNTER).catch(() => undefined);
      await expect.poll(() => node.part.health()).toMatchObject({ healthy: true });
      expect((await alice.run(`jstz://${counter}/`)).body).toBe("1");
      expect(reasons.filter((reason) => reason.startsWith("ENGINE_BROKEN"))).toHaveLength(2);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe("when a restore left an instance damaged", () => {
  it("the log has the error code, and the sandbox keeps running", async () => {
    // A thread that sends the message of the real one.
    const damage = { kind: "damage", seq: 0, reason: "RESTORE_DIFFERS: memory differs" };
    const engineThread = new Worker(
      `const { parentPort } = require("node:worker_threads");
       let sent = false; // keeps listening, since a thread without a listener exits
       parentPort.on("message", () => {
         if (!sent) parentPort.postMessage([{ kind: "ready" }, ${JSON.stringify(damage)}]);
         sent = true;
       });`,
      { eval: true },
    );
    const { reasons, log } = logOfErrors();
    node = await startNode({ engineThread, log });
    await expect.poll(() => reasons).toEqual(["RESTORE_DIFFERS: memory differs"]);
    expect(node.part.health()).toMatchObject({ healthy: true });
  });
});
