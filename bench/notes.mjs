// Explanations from profiles for figures that miss their targets, and possible remedies. The page shows a note only
// when its figure is missed in that run.
const START =
  "From the second start on the bundle comes out of V8's code cache. What is left is Node's own start, evaluating the bundle, three servers, the first blocks and the questions after `/health`. The engine's thread needs about as long and loads at the same time, so a machine without an idle core pays for both. Needed: TypeBox and the curves on demand.";

export const NOTES = {
  1: START,
  2: "As figure 1.",
  3: "Two V8 heaps, the compiled bundle, three warm instances of 2.3 MB and the base image.",
  5: "The server's time: injection a third (half of that is the signature), writing answers a fifth, making the block a thirtieth.",
  6: "Two requests, one message to the engine's thread and one back, and a fresh environment: no part stands out when nothing else runs.",
  7: "Main thread: the signature is a fifth of it, HTTP most of the rest. Engine's thread: putting an instance back is a fifth of it. Three threads (client, main, engine) hand each call on five times, and on a busy machine each hand-over waits for a core, which one thread of an EVM node does not: this figure needs a quiet machine. Needed beyond that: the wasm rewrite would have to note written pages, so that only those of the 1.2 MB are put back, and each store would cost a little more.",
  8: "Injection is a third of the server's time (half of that is the signature).",
  9: "As figure 8, without the receipts.",
  11: "As figure 7; the function's own 33,000 units of gas take nearly twice as long as a counter's call.",
  12: "Latencies of a few milliseconds: on a busy machine their ratio is noise. Neither chain nor runtime walks anything that grows with height.",
  13: "A slope of the whole process's memory carries the garbage that was not collected yet.",
  15: "The block's line on the stream, which carries the deposit, and a job of the engine's thread lie between injection and balance.",
};
