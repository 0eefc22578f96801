// The arrows between folders (CONTRIBUTING.md, "Where is what") and the ban on cycles. Run by `npm run lint`.
const allowed = {
  "daemon/tezos": [],
  "daemon/protocol": ["daemon/tezos"],
  "daemon/client": ["daemon/tezos", "daemon/protocol"],
  "daemon/http": ["daemon/protocol"],
  "daemon/layer1": ["daemon/tezos", "daemon/protocol", "daemon/client", "daemon/http"],
  "daemon/runtime": ["daemon/tezos", "daemon/protocol", "daemon/client", "daemon/http"],
  "daemon/config": ["daemon/tezos", "daemon/protocol", "daemon/client"],
  "daemon/supervisor": ["daemon/protocol", "daemon/client", "daemon/http", "daemon/config"],
  "daemon/control": [
    "daemon/tezos",
    "daemon/protocol",
    "daemon/client",
    "daemon/http",
    "daemon/config",
    "daemon/supervisor",
  ],
  cli: ["daemon/tezos", "daemon/protocol", "daemon/client"],
  extension: ["daemon/tezos", "daemon/protocol", "daemon/client"],
  // The test kit is an entry like those in daemon/, and bundles functions as the command line does.
  testing: ["daemon", "cli"],
};

// Inside layer 1, from the bottom up; each folder may import those above it here. Those that only jobs need, a file.
const layer1 = ["job.ts", "michelson", "turns.ts", "state", "operations", "rollup", "chain", "rpc"];
layer1.forEach((folder, i) => {
  allowed[`daemon/layer1/${folder}`] = [
    ...allowed["daemon/layer1"],
    ...layer1.slice(0, i).map((below) => `daemon/layer1/${below}`),
  ];
});

const tests = "\\.(test|bench)\\.ts$";

const at = (path) => `^${path}${path.endsWith(".ts") ? "$" : "/"}`;

const arrows = Object.entries(allowed).map(([folder, targets]) => ({
  name: `arrows-of-${folder.replaceAll("/", "-")}`,
  severity: "error",
  from: { path: at(folder), pathNot: tests },
  to: {
    path: "^(daemon|cli|extension|testing|test|bench|tools)/",
    pathNot: [folder, ...targets].map(at),
  },
}));

export default {
  forbidden: [
    ...arrows,
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "vscode-only-in-extension",
      severity: "error",
      from: { pathNot: "^(extension|test/editor)/" },
      to: { path: "^vscode$" },
    },
    {
      name: "dockerode-only-in-cli-container",
      severity: "error",
      from: { pathNot: "^(cli/container|test)/" },
      to: { path: "node_modules/dockerode" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".mjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node"],
    },
  },
};
