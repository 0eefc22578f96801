// What michelson-time.mjs measures, bundled as the product is.
export { INSTRUCTION_LOOPS } from "../daemon/layer1/testing/instruction-loops.ts";
export { timePerGas } from "../daemon/layer1/testing/instruction-time.ts";
export { loadBls, loadSecp256k1 } from "../daemon/tezos/curves.ts";
export { loadHashes } from "../daemon/tezos/fast-hashes.ts";
