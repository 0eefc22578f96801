// The curves of noble are evaluated when a key of theirs is used: noble prepares three at once, and no start needs one.
import { resolve } from "node:path";

/** What daemon/tezos/curves.ts uses of a curve. */
const FUNCTIONS = ["getPublicKey", "sign", "verify"];
const CURVES = /^@noble\/curves\/(p256|secp256k1)$/;
const LAZY = "lazy-curve";
const WHOLE = "whole-curve";

const lazily = (name) => `let loaded;
const curve = () => (loaded ??= require("${WHOLE}:${name}").${name});
export const ${name} = {
  get CURVE() { return curve().CURVE; },
  ${FUNCTIONS.map((one) => `${one}: (...given) => curve().${one}(...given),`).join("\n  ")}
};`;

/** A plugin of esbuild. */
export const lazyCurves = {
  name: "lazy-curves",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: CURVES }, ({ path, namespace }) =>
      namespace === WHOLE ? undefined : { path: CURVES.exec(path)[1], namespace: LAZY },
    );
    onResolve({ filter: new RegExp(`^${WHOLE}:`) }, ({ path }) => ({
      path: path.slice(WHOLE.length + 1),
      namespace: WHOLE,
    }));
    onLoad({ filter: /./, namespace: LAZY }, ({ path }) => ({ contents: lazily(path) }));
    // Only what is exported here gets into the bundle.
    onLoad({ filter: /./, namespace: WHOLE }, ({ path }) => ({
      contents: `export { ${path} } from "@noble/curves/${path}";`,
      resolveDir: resolve("."),
    }));
  },
};
