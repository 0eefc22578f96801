// The debugger's threads run the same engine as the executor's: their bundles take it from that one instead of carrying a
// second copy, which would be half a megabyte.

/** Modules that `engine-worker.ts` exports whole to others. */
const SHARED =
  /\/(?:engine\/engine|engine\/guest-error|engine\/pure-operations|operations\/executor|call\/engine-adapter|engine\/source-map)\.ts$/;

/** Plugin of esbuild for the bundles `debug-worker.cjs` and `debug-session.cjs`, which lie beside `engine-worker.cjs`. */
export const sharedEngine = {
  name: "shared-engine",
  setup({ onResolve }) {
    onResolve({ filter: SHARED }, ({ importer }) =>
      /[\\/]runtime[\\/]debug[\\/]/.test(importer)
        ? { path: "./engine-worker.cjs", external: true }
        : undefined,
    );
  },
};
