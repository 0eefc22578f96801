// How the plugin of the editor's TypeScript server is built: a package of its own, because the server finds plugins only
// as packages below the extension's node_modules.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const TYPESCRIPT_PLUGIN = "functez-typescript-plugin";

/** Options of esbuild that write the package into `folder`. */
export function typescriptPlugin(folder) {
  return {
    bundle: true,
    entryPoints: { index: join(import.meta.dirname, "../extension/typescript-plugin/plugin.ts") },
    outdir: folder,
    platform: "node",
    target: "node20",
    format: "cjs",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    // The server calls what the module is.
    footer: { js: "module.exports=module.exports.plugin;" },
    plugins: [
      {
        name: "package.json",
        setup: ({ onEnd }) =>
          onEnd(() =>
            writeFileSync(
              join(folder, "package.json"),
              `${JSON.stringify({ name: TYPESCRIPT_PLUGIN, version: "1.0.0", main: "index.js" })}\n`,
            ),
          ),
      },
    ],
  };
}
