// Builds everything that ships into dist/: `npm run build`. The npm package and the VSIX carry the same files.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, context } from "esbuild";
import { REQUIRE_BANNER } from "./tools/bundle.mjs";
import { buildEngine } from "./tools/engine/build-engine.mjs";
import { fastifyDefaults } from "./tools/fastify-options.mjs";
import { routerWithoutText } from "./tools/find-my-way.mjs";
import { LAZY_CRYPTO, lazyCrypto } from "./tools/lazy-crypto.mjs";
import { lazyCurves } from "./tools/lazy-curves.mjs";
import { lazyIdna } from "./tools/lazy-idna.mjs";
import { packedLiterals } from "./tools/packed-literals.mjs";
import { copyPortableBundler } from "./tools/portable-bundler.mjs";
import { sharedEngine } from "./tools/shared-engine.mjs";
import { typescriptPlugin } from "./tools/typescript-plugin.mjs";

// Built beside the old one and moved into its place: nobody sees half a build.
const dist = `dist-${process.pid}`; // at the same depth, for the paths inside source maps
const target = "dist";
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

/** Commit and date of the sources, so that two builds of one commit are byte-identical. */
function sourceStamp() {
  try {
    const git = (...args) =>
      execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return {
      commit: git("rev-parse", "--short=10", "HEAD"),
      date: git("show", "-s", "--format=%cs", "HEAD"),
    };
  } catch {
    return { commit: "unknown", date: "unknown" }; // built from a package without its history
  }
}

const stamp = sourceStamp();
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  minify: true,
  sourcemap: "external",
  legalComments: "none",
  logLevel: "warning",
  define: {
    __COMMIT__: JSON.stringify(stamp.commit),
    __BUILD_DATE__: JSON.stringify(stamp.date),
  },
  external: ["esbuild", "esbuild-wasm", "vscode", "cpu-features", "*.node"],
  plugins: [fastifyDefaults, routerWithoutText, lazyCurves, lazyIdna],
};

const absent = resolve("tools/absent-module.cjs");
common.alias = {
  "hash-wasm": resolve("tools/hash-functions.mjs"),
  ssh2: absent,
  "@grpc/grpc-js": absent,
  "@grpc/proto-loader": absent,
};
// Parts of fastify and pino that nothing here calls: the compilers of JSON schemas, 60 % of fastify's size
// (daemon/http/server.ts, NO_COMPILERS), request injection for tests, version checks of plugins, log redaction, log
// transports in threads, addresses of trusted proxies, and the check of regular expressions in routes, of which there are
// none.
Object.assign(common.alias, {
  "@fastify/ajv-compiler": absent,
  "@fastify/fast-json-stringify-compiler": absent,
  "light-my-request": absent,
  "@pinojs/redact": absent,
  "@fastify/proxy-addr": absent,
  semver: absent,
  "safe-regex2": resolve("tools/trusted-regex.cjs"),
  "thread-stream": absent,
  "toad-cache": resolve("tools/fifo-map.mjs"),
});

/** The web page of sandboxd. */
function explorerPage(outdir) {
  return {
    bundle: true,
    entryPoints: { app: "explorer/main.tsx" },
    outdir,
    platform: "browser",
    target: ["chrome123", "firefox121", "safari17.5"], // the first ones with light-dark()
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    sourcemap: "external",
    legalComments: "none",
    logLevel: "warning",
  };
}

/** The files of the page that are what they are in the sources. */
function copyExplorerFiles(outdir) {
  for (const file of ["index.html", "icon.svg"]) cpSync(`explorer/${file}`, `${outdir}/${file}`);
}

/** All bundles, into a folder. */
function bundles(outdir) {
  const modules = (entryPoints) => ({
    ...common,
    entryPoints,
    outdir,
    format: "esm",
    splitting: true,
    plugins: [...common.plugins, lazyCrypto("..")], // imported from chunks/
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    banner: { js: REQUIRE_BANNER },
  });
  const commonJs = (entryPoints) => ({
    ...common,
    entryPoints,
    outdir,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    plugins: [...common.plugins, lazyCrypto(".")],
    // V8 gives code from its cache no way to import(): modules are required, when they are asked for.
    supported: { "dynamic-import": false },
  });
  return [
    // The daemon and its workers apart from the rest: sharing code with the others would cut them into dozens of
    // small files, and each file costs at every start. One CommonJS file each, because that is what the code cache
    // takes (daemon/code-cache.ts).
    commonJs({
      "run-sandboxd": "daemon/run-sandboxd.ts",
      "engine-worker": "daemon/runtime/engine-worker.ts",
      "operation-reader": "daemon/runtime/operation-reader.ts",
      "runtime-documents": "daemon/runtime/api/runtime-documents.ts",
      "debug-server": "daemon/runtime/debug/debug-server.ts",
      "place-worker": "daemon/runtime/debug/place-worker.ts",
      "indexer-worker": "daemon/indexer/indexer-worker.ts",
      "explorer-server": "daemon/explorer/explorer-server.ts",
    }),
    { ...commonJs(LAZY_CRYPTO), plugins: [...common.plugins, packedLiterals] },
    {
      ...commonJs({
        "debug-worker": "daemon/runtime/debug/debug-worker.ts",
        "debug-session": "daemon/runtime/debug/session/session-worker.ts",
      }),
      plugins: [...common.plugins, lazyCrypto("."), sharedEngine],
    },
    // Each in one file, for each further one costs at every start; in CommonJS, since Node needs 6 ms of processor time more
    // to reach an ES module, and a thread 3 ms.
    {
      ...commonJs({
        sandboxd: "daemon/sandboxd.ts",
        "engine-worker-cached": "daemon/engine-worker-cached.ts",
      }),
      define: { ...common.define, "import.meta.dirname": "__dirname" },
    },
    modules({
      functez: "cli/main.ts",
      "layer1-node": "daemon/layer1-node.ts",
      "runtime-node": "daemon/runtime-node.ts",
      testing: "testing/testing.ts",
    }),
    commonJs({ extension: "extension/extension.ts" }),
    typescriptPlugin(`${outdir}/typescript-plugin`),
    explorerPage(`${outdir}/explorer`),
    // For test runners and programs that require it: Jest as it comes, Node below 22.
    {
      ...commonJs({ testing: "testing/testing.ts" }),
      define: { ...common.define, "import.meta.url": "__fileUrl" },
      banner: { js: 'const __fileUrl = require("node:url").pathToFileURL(__filename).href;' },
    },
  ];
}

export async function buildAll() {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await Promise.all([...bundles(dist).map(build), buildEngine(dist), writeConfigSchema()]);
  copyExplorerFiles(`${dist}/explorer`);
  if (process.argv.includes("--portable-bundler"))
    copyPortableBundler("node_modules/esbuild-wasm", `${dist}/esbuild-wasm`);
  rmSync(`${dist}-old`, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, `${dist}-old`);
  renameSync(dist, target);
  rmSync(`${dist}-old`, { recursive: true, force: true });
  return { version: manifest.version, ...stamp };
}

/** Writes what changes into dist/ itself, until it is ended: for work on the sources. Says when all is there with its maps. */
async function watch() {
  let isComplete = false;
  const firstBuilds = bundles(target).map(async (options) => {
    const { promise: built, resolve: reportBuilt } = withResolvers();
    const report = {
      name: "report",
      setup: ({ onEnd }) =>
        onEnd(({ errors }) => {
          if (errors.length > 0) process.stderr.write("not built\n");
          else if (isComplete) process.stderr.write("built\n");
          reportBuilt();
        }),
    };
    const { watch: begin } = await context({
      ...options,
      sourcemap: "linked",
      plugins: [...(options.plugins ?? []), report],
    });
    await begin();
    await built;
  });
  await Promise.all(firstBuilds);
  isComplete = true;
  process.stderr.write("watching\n");
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

/** JSON schema of sandboxd's configuration, for editors: made from the schema that validates. */
async function writeConfigSchema() {
  const file = resolve(".cache/config-schema.mjs");
  await build({
    ...common,
    sourcemap: false,
    entryPoints: ["daemon/config/schema.ts"],
    outfile: file,
    format: "esm",
  });
  const { configSchema } = await import(`${pathToFileURL(file).href}?${Date.now()}`);
  const plain = JSON.stringify(
    { $schema: "http://json-schema.org/draft-07/schema#", ...configSchema },
    (key, value) => (key === "format" ? undefined : value),
  );
  writeFileSync(`${dist}/config-schema.json`, plain);
}

const started = Date.now();
const { version, commit } = await buildAll();
process.stderr.write(
  `built functez ${version} (${commit}) in ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
);
if (process.argv.includes("--watch")) await watch();
