// The other programs: installed from npm into .cache/bench, one folder each, and their start commands.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryFolder } from "./machine.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
export const cache = join(root, ".cache", "bench");
const at = (...parts) => join(cache, ...parts);

/** The public development mnemonic of anvil and hardhat. */
export const MNEMONIC = "test test test test test test test test test test test junk";

const PACKAGES = {
  node22: ["node@22.23.3"],
  tools: ["viem@2.57.20", "solc@0.8.37", "fastify@5.12.8"],
  anvil: ["@foundry-rs/anvil@1.7.1"],
  hardhat: ["hardhat@3.18.0"],
  ganache: ["ganache@7.9.2"],
  miniflare: ["miniflare@4.20260730.0"],
  azurite: ["azurite@3.37.0"],
};
// Their packages require Node 22; hardhat silently omits its native part when npm runs on an older version.
const ON_NODE_22 = ["hardhat", "miniflare", "azurite"];
export const node22 = at("node22", "node_modules", "node", "bin", "node");

/** Installs what is missing. Each folder gets its own npm cache, so that its download can be summed. */
export function installPeers() {
  for (const [name, packages] of Object.entries(PACKAGES)) {
    const marker = at(name, "installed.json");
    const wanted = JSON.stringify(packages);
    if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) continue;
    process.stderr.write(`installing ${packages.join(", ")}\n`);
    npmInstall(at(name), packages, ON_NODE_22.includes(name));
    writeFileSync(marker, wanted);
  }
}

export function npmInstall(folder, packages, onNode22 = false) {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true,"type":"module"}\n');
  const path = onNode22 ? `${dirname(node22)}:${process.env.PATH}` : process.env.PATH;
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--cache", "./.npm-cache"];
  execFileSync("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Loads a module of an installed folder. */
export const importFrom = (name, module) =>
  import(pathToFileURL(createRequire(at(name, "package.json")).resolve(module)).href);
export const requireFrom = (name) => createRequire(at(name, "package.json"));

function binary(name, packageName) {
  const folder = at(name, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : (bin[name] ?? Object.values(bin)[0]));
}

export const anvilBinary = () =>
  at(
    `anvil/node_modules/@foundry-rs/anvil-linux-${process.arch === "x64" ? "amd64" : process.arch}/bin/anvil`,
  );
const server = (name) => join(root, "bench", "servers", name);

/** Commands of the EVM nodes by name, as functions of a port; `cwd` if needed. */
export const EVM_NODES = {
  anvil: {
    command: (port) => [anvilBinary(), "--port", port, "--host", "127.0.0.1", "--silent"],
  },
  hardhat: {
    command: (port) => [
      node22,
      binary("hardhat", "hardhat"),
      "node",
      "--port",
      port,
      "--hostname",
      "127.0.0.1",
    ],
    cwd: () => {
      const config = at("hardhat", "hardhat.config.js");
      if (!existsSync(config))
        writeFileSync(config, 'export default { solidity: { version: "0.8.28" }, networks: {} };\n');
      return at("hardhat");
    },
  },
  ganache: {
    command: (port) => [
      process.execPath,
      binary("ganache", "ganache"),
      ...["--port", port, "--host", "127.0.0.1", "--logging.quiet", "--wallet.mnemonic", MNEMONIC],
    ],
  },
};

export const fastifyHello = (port) => [process.execPath, server("hello-fastify.mjs"), port, at("tools")];
export const anvilLauncher = (port) => [
  process.execPath,
  binary("anvil", "@foundry-rs/anvil"),
  ...["--port", port, "--host", "127.0.0.1", "--silent"],
];
export const isInstalled = (name) => existsSync(at(name, "installed.json"));
export const helloWorker = (port) => [node22, server("hello-worker.mjs"), port, at("miniflare")];
export const miniflare = (port) => [node22, server("durable-counter.mjs"), port, at("miniflare")];
export const azurite = (port, queuePort, tablePort) => [
  node22,
  binary("azurite", "azurite"),
  ...["--silent", "--skipApiVersionCheck", "--inMemoryPersistence", "--disableTelemetry"],
  ...["--blobPort", port, "--queuePort", queuePort, "--tablePort", tablePort],
];

/** Command and options for launching an EVM node. */
export function evmLaunch(name, port) {
  const { command, cwd } = EVM_NODES[name];
  return [command(port), { cwd: cwd?.() ?? temporaryFolder(name) }];
}

/** MiB of a folder's files, and of the package archives downloaded to its own npm cache. */
export function sizesOf(folder) {
  const MIB = 1024 * 1024;
  const walk = (path, visit) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const file = join(path, entry.name);
      if (entry.isDirectory()) walk(file, visit);
      else if (entry.isFile()) visit(file);
    }
  };
  let installed = 0;
  walk(join(folder, "node_modules"), (file) => (installed += statSync(file).size));
  let download = 0;
  const archives = join(folder, ".npm-cache", "_cacache", "content-v2");
  if (existsSync(archives)) {
    walk(archives, (file) => {
      const bytes = readFileSync(file);
      if (bytes[0] === 0x1f && bytes[1] === 0x8b) download += bytes.length;
    });
  }
  return { installed: installed / MIB, download: download / MIB };
}
