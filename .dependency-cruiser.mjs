// The arrows between folders (CONTRIBUTING.md, "Where is what") and the ban on cycles. Run by `npm run lint`.
const clock = "daemon/local/time-of-day.ts";
const allowed = {
  "daemon/tezos": [],
  "daemon/protocol": ["daemon/tezos"],
  "daemon/text": ["daemon/protocol"],
  "daemon/local": ["daemon/tezos", "daemon/protocol", "daemon/text/byte-size.ts"],
  "daemon/parts": ["daemon/tezos", "daemon/protocol"],
  "daemon/client": ["daemon/tezos", "daemon/protocol"],
  // Runs in the command line and in editors, so it knows neither.
  "daemon/debug-adapter": ["daemon/tezos", "daemon/protocol", "daemon/text/visible-text.ts"],
  "daemon/http": ["daemon/protocol", "daemon/parts"],
  "daemon/layer1": ["daemon/tezos", "daemon/protocol", "daemon/parts", "daemon/client", "daemon/http", clock],
  "daemon/runtime": [
    "daemon/tezos",
    "daemon/protocol",
    "daemon/parts",
    "daemon/client",
    "daemon/http",
    "daemon/text/source-mappings.ts",
    clock,
  ],
  "daemon/indexer": ["daemon/tezos", "daemon/protocol", "daemon/parts", "daemon/client"],
  "daemon/explorer": ["daemon/tezos", "daemon/protocol", "daemon/client"],
  "daemon/config": ["daemon/tezos", "daemon/protocol", "daemon/local", "daemon/client"],
  "daemon/supervisor": ["daemon/protocol", "daemon/parts", "daemon/client", "daemon/http", "daemon/config"],
  "daemon/control": [
    "daemon/tezos",
    "daemon/protocol",
    "daemon/text",
    "daemon/local",
    "daemon/parts",
    "daemon/client",
    "daemon/http",
    "daemon/config",
    "daemon/supervisor",
  ],
  cli: [
    "daemon/tezos",
    "daemon/protocol",
    "daemon/text",
    "daemon/local",
    "daemon/client",
    "daemon/debug-adapter",
  ],
  extension: [
    "daemon/tezos",
    "daemon/protocol",
    "daemon/text",
    "daemon/local",
    "daemon/client",
    "daemon/debug-adapter",
  ],
  // The page takes little but types, which the rule `types-only-in-explorer` checks.
  explorer: [
    "daemon/protocol",
    "daemon/text/byte-size.ts",
    "daemon/text/hex-dump.ts",
    "daemon/text/source-places.ts",
    "daemon/text/visible-text.ts",
  ],
  // The test kit is an entry like those in daemon/, and bundles functions as the command line does.
  testing: ["daemon", "cli"],
};

/** Inside a part, from the bottom up: each may import those before it in the list, and no others. */
const inOrder = (part, names) =>
  names.forEach((name, i) => {
    allowed[`${part}/${name}`] = [...allowed[part], ...names.slice(0, i).map((below) => `${part}/${below}`)];
  });
inOrder("daemon/layer1", [
  "job.ts",
  "michelson",
  "turns.ts",
  "state",
  "operations",
  "rollup",
  "chain",
  "rpc",
]);
inOrder("daemon/runtime", [
  "inbox",
  "ledger",
  "engine",
  "call",
  "operations",
  "job-entrance.ts",
  "store",
  "debug",
]);

inOrder("daemon/indexer", [
  "human",
  "heap-keeper.ts",
  "chain",
  "indexer-messages.ts",
  "query",
  "indexer.ts",
  "answers",
  "hub",
]);
inOrder("explorer", ["state", "parts", "views", "shell.tsx"]);
inOrder("cli", [
  "interruptible.ts",
  "render",
  "config/parse-config.ts",
  "config/config-file.ts",
  "context.ts",
  "config",
  "lcov",
  "completions",
  "bundle",
  "bundle-function.ts",
  "check",
  "shelve-source.ts",
  "source-texts.ts",
  "send-operation.ts",
  "sandbox-process.ts",
  "response-body.ts",
  "fa-bridge.ts",
  "bip39-key.ts",
  "commands",
  "container",
  "mcp",
  "program",
  "program.ts",
]);
inOrder("extension", [
  "ids.ts",
  "messages.ts",
  "session",
  "first-steps.ts",
  "editor",
  "requests",
  "views",
  "commands",
]);

/** Tests, and what only they use. */
const tests = "(\\.(test|bench)|/test-[^/]+)\\.ts$";

const at = (path) => `^${path}${/\.tsx?$/.test(path) ? "$" : "/"}`;

const arrows = Object.entries(allowed).map(([folder, targets]) => ({
  name: `arrows-of-${folder.replaceAll("/", "-")}`,
  severity: "error",
  from: { path: at(folder), pathNot: tests },
  to: {
    path: "^(daemon|cli|extension|explorer|testing|test|bench|tools)/",
    pathNot: [folder, ...targets].map(at),
  },
}));

export default {
  forbidden: [
    ...arrows,
    {
      // Curves and digests, and whether a text is an IP address, are all that they ask of Node.
      name: "no-effects-at-the-bottom",
      severity: "error",
      from: { path: "^daemon/(tezos|protocol|text)/", pathNot: tests },
      to: { dependencyTypes: ["core"], pathNot: "^(crypto|net)$" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      // Code of the daemon would come with its dependencies, and the page is small. These files have none.
      name: "types-only-in-explorer",
      severity: "error",
      from: { path: "^explorer/", pathNot: tests },
      to: {
        path: "^daemon/",
        pathNot:
          "^daemon/(protocol/(json-layout|operation-outcome|request-copies|tez-text|wait)|text/(byte-size|hex-dump|source-places|visible-text))\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "vscode-only-in-extension",
      severity: "error",
      from: { pathNot: "^(extension|test/editor)/" },
      to: { path: "^vscode$" },
    },
    {
      // It judges our codecs, so they must not be made of it; and it is large.
      name: "taquito-only-in-tests",
      severity: "error",
      from: { pathNot: [tests, "^test/", "^daemon/layer1/testing/"] },
      to: { path: "node_modules/@taquito/" },
    },
    {
      name: "dockerode-only-in-cli-container",
      severity: "error",
      from: { pathNot: "^(cli/container|test)/" },
      to: { path: "node_modules/dockerode" },
    },
  ],
  options: {
    doNotFollow: { path: ["node_modules", "^esbuild\\.mjs$"] }, // the package esbuild is taken for the latter
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node"],
    },
  },
};
