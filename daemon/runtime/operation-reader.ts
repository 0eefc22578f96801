// Entry of the worker thread that reads large operations, one after the other: to parse and hash ten megabytes takes
// longer than others should wait for an answer.
import { parentPort } from "node:worker_threads";
import { createBLAKE2b } from "hash-wasm";
import type { Digest } from "../protocol/runtime-operation.ts";
import { readOperation } from "./operations/read-operation.ts";
import type { ReadingAnswer, ReadingRequest } from "./operations/reading-thread.ts";

const port = parentPort!;
// Thirty times as fast as the one of the main thread, and loaded only when it is needed.
const blake2b = createBLAKE2b(256);

port.on("message", ({ what, body }: ReadingRequest) => {
  void blake2b.then((hasher) => {
    const digest = (): Digest => {
      hasher.init();
      return { update: (part) => hasher.update(part), digest: () => hasher.digest("binary") };
    };
    port.postMessage(readOperation(what, body, digest) satisfies ReadingAnswer);
  });
});
