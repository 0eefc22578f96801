// Explanations from profiles for figures that miss their targets, and possible remedies. The page shows a note only
// when its figure is missed in that run.
const START =
  "From the second start on V8's code cache has the bundle, and Node's own modules are not compiled either. The rest is Node's own start, evaluating the bundle (11 ms), reading V8's cache (5 ms), two hashes (3 ms), Node's expression of IPv6 addresses (3 ms) and the first blocks. The engine's thread loads in parallel, so a machine without an idle core pays for both.";

export const NOTES = {
  1: START,
  2: "As figure 1.",
  3: "Two V8 heaps, the compiled bundle, three warm instances of 2.3 MB and the base image.",
  5: "The server's time: injection a third (half of that is the signature), writing responses a fifth, making the block a thirtieth.",
  6: "Two requests, one message to the engine's thread and one back, and a fresh environment: no step dominates on an idle machine.",
  7: "Main thread: the signature is a fifth of it, HTTP most of the rest. Engine's thread: restoring an instance is a fifth of it. Three threads (client, main, engine) pass each call on five times, and on a busy machine each of these waits for a core, unlike the single thread of an EVM node: this figure needs a quiet machine. Beyond that: the wasm rewrite would have to track written pages, so that only those of the 1.2 MB are restored, and each store would cost a little more.",
  8: "Injection is a third of the server's time (half of that is the signature).",
  9: "As figure 8, without the receipts.",
  11: "As figure 7; the function's own 33,000 units of gas take nearly twice as long as a counter's call.",
  12: "Latencies of a few milliseconds: on a busy machine their ratio is noise. Neither chain nor runtime iterates over data that grows with height.",
  13: "A slope of the whole process's memory includes garbage that is not collected yet.",
  15: "Between injection and balance are the block's line on the stream, which carries the deposit, and a job of the engine's thread.",
};
