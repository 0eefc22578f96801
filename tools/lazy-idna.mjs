// Host names beyond ASCII need 70 kB of regular expressions, which V8 reads when their module is evaluated, and the engine's
// thread did so before it was ready. In the bundles the first such name does.
import { createRequire } from "node:module";
import { dirname } from "node:path";

const LAZY = "lazy-idna";
const require = createRequire(import.meta.url);

/** A plugin of esbuild. */
export const lazyIdna = {
  name: LAZY,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/lib\/regexes\.js$/ }, ({ importer, namespace }) =>
      namespace === "file" && /[\\/]tr46[\\/]index\.js$/.test(importer)
        ? { path: importer, namespace: LAZY }
        : undefined,
    );
    onLoad({ filter: /./, namespace: LAZY }, ({ path }) => {
      const folder = dirname(path);
      const names = Object.keys(require(`${folder}/lib/regexes.js`));
      const getters = names.map((name) => `get ${name}() { return whole().${name}; },`).join("\n  ");
      return {
        contents: `const whole = () => require("./lib/regexes.js");\nmodule.exports = {\n  ${getters}\n};`,
        resolveDir: folder,
      };
    });
  },
};
