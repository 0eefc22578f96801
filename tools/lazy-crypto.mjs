// Some cryptography is large, and most runs need none of it: each module is a bundle of its own in dist/, which
// all programs there share and load on first use.
import { posix } from "node:path";

/** Bundles by their names in dist/: their sources. */
export const LAZY_CRYPTO = {
  "bls-curve": "daemon/tezos/bls-curve.ts",
  "wasm-hashes": "daemon/tezos/wasm-hashes.ts",
  "wasm-secp256k1": "daemon/tezos/wasm-secp256k1.ts",
};

const MODULES = new RegExp(`^\\./(${Object.keys(LAZY_CRYPTO).join("|")})\\.ts$`);

/** Plugin of esbuild. @param folder of the bundles, as seen from the files that import them */
export const lazyCrypto = (folder) => ({
  name: "lazy-crypto",
  setup({ onResolve }) {
    onResolve({ filter: MODULES }, ({ path, kind }) =>
      kind === "dynamic-import"
        ? { path: `${folder}/${posix.basename(path, ".ts")}.cjs`, external: true }
        : undefined,
    );
  },
});
