// Fastify checks the options of a server by a validator of 20 kB. Ours come from one place, typed (daemon/http/server.ts), so
// the bundles carry its defaults only, as they are in the package. Nor does it load TLS and HTTP/2, which no server uses:
// each start would wait for them.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const FASTIFY = /[\\/]fastify[\\/]lib[\\/][^\\/]+$/;
const DEFAULTS = /^module\.exports\.defaultInitOptions = (\{.*\})$/m;

/** A plugin of esbuild. */
export const fastifyDefaults = {
  name: "fastify-defaults",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:(https|http2)$/ }, ({ importer }) =>
      FASTIFY.test(importer) ? { path: resolve("tools/absent-module.cjs") } : undefined,
    );
    onLoad({ filter: /[\\/]fastify[\\/]lib[\\/]config-validator\.js$/ }, ({ path }) => {
      const defaults = DEFAULTS.exec(readFileSync(path, "utf8"))?.[1];
      if (defaults === undefined) throw new Error(`${path} has no defaults of this form`);
      const contents = `const defaults = ${defaults};
module.exports = (options) => {
  for (const name in defaults) if (options[name] === undefined) options[name] = defaults[name];
  return true;
};
module.exports.defaultInitOptions = defaults;`;
      return { contents, loader: "js" };
    });
  },
};
