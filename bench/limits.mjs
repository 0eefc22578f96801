// The limits of this machine's Node on one thread: the ceilings that the page compares with.
import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { Worker } from "node:worker_threads";
import { blake2b } from "@noble/hashes/blake2b";
import { quiet } from "./machine.mjs";

function perSecond(step, milliseconds = 500) {
  for (let i = 0; i < 200; i++) step();
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < milliseconds) {
    for (let i = 0; i < 50; i++) step();
    count += 50;
  }
  return count / ((performance.now() - start) / 1000);
}

async function workerRoundTrips(count = 5_000) {
  const echo =
    'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (m) => parentPort.postMessage(m));';
  const worker = new Worker(echo, { eval: true });
  const message = { text: "x".repeat(1_000) };
  const trip = () =>
    new Promise((resolve) => {
      worker.once("message", resolve);
      worker.postMessage(message);
    });
  for (let i = 0; i < 200; i++) await trip();
  const start = performance.now();
  for (let i = 0; i < count; i++) await trip();
  const result = count / ((performance.now() - start) / 1000);
  await worker.terminate();
  return result;
}

export async function measureLimits(samples) {
  await quiet();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = createPublicKey({
    key: publicKey.export({ format: "der", type: "spki" }),
    format: "der",
    type: "spki",
  });
  const operation = JSON.stringify({ nonce: 1, content: "x".repeat(900), signature: "y".repeat(90) });
  const digest = blake2b(operation, { dkLen: 32 });
  const signature = sign(null, digest, privateKey);
  const receipts = new Map();
  let n = 0;
  samples.add(
    "limit",
    "ed25519 verify/s",
    perSecond(() => verify(null, digest, key, signature)),
  );
  const pipeline = () => {
    const parsed = JSON.parse(operation);
    const hash = blake2b(operation, { dkLen: 32 });
    if (!verify(null, hash, key, signature)) throw new Error("not verified");
    receipts.set(
      n++ % 1000,
      JSON.stringify({ hash: Buffer.from(hash).toString("hex"), nonce: parsed.nonce }),
    );
  };
  samples.add("limit", "parse, hash, verify, receipt/s", perSecond(pipeline));
  samples.add("limit", "worker round trips/s", await workerRoundTrips());
}
