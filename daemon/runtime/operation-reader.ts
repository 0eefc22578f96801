// Entry of the worker thread that reads large operations, one at a time: parsing and hashing ten megabytes would block
// other requests for too long.
import { parentPort } from "node:worker_threads";
import { createBLAKE2b } from "hash-wasm";
import type { Digest } from "../protocol/runtime-operation.ts";
import { readOperation } from "./operations/read-operation.ts";
import type { ReadingAnswer, ReadingRequest } from "./operations/reading-thread.ts";

const port = parentPort!;
// Thirty times as fast as the main thread's, and loaded only when needed.
const blake2b = createBLAKE2b(256);

port.on("message", ({ what, body, strict }: ReadingRequest) => {
  void blake2b.then((hasher) => {
    const digest = (): Digest => {
      hasher.init();
      return { update: (part) => hasher.update(part), digest: () => hasher.digest("binary") };
    };
    port.postMessage(readOperation(what, body, strict, digest) satisfies ReadingAnswer);
  });
});
