// The npm package as a stranger gets it: packed, installed into an empty folder, used without this repository.
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "./support/built-cli.ts";

const exec = promisify(execFile);
const MIB = 1024 * 1024;
const BUILT = existsSync(join(ROOT, "dist/sandboxd.mjs"));

let folder: string;
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
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const offline = () => ({
  cwd: folder,
  env: {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, "config"),
    NO_COLOR: "1",
    // No package manager and no program can reach anything from here on.
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

it("gives tests the kit and functions their types", async () => {
  writeFileSync(
    join(folder, "kit.mjs"),
    'import { startSandbox } from "functez/testing"; const s = await startSandbox(); const a = await s.createAccount({ tez: "1" }); console.log(await a.balance()); await s.stop();',
  );
  expect((await exec(process.execPath, ["kit.mjs"], offline())).stdout).toBe("1000000n\n");
  expect(existsSync(join(folder, "node_modules/functez/types/runtime.d.ts"))).toBe(true);
});

it("makes a project that installs, checks its types, passes its tests, and does what its README says", async () => {
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
  // The README's lines, in one sandbox; `dev` goes on until it is ended.
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

it("is small, and holds what it needs and nothing else", () => {
  const own = join(folder, "node_modules/functez");
  const files = (readdirSync(own, { recursive: true }) as string[]).filter((name) =>
    statSync(join(own, name)).isFile(),
  );
  const size = files.reduce((sum, name) => sum + statSync(join(own, name)).size, 0);
  expect(size).toBeLessThan(8 * MIB);
  const foreign = files.filter(
    (name) =>
      !/^(dist\/|types\/|docs\/|container\/|deploy\/|media\/|package\.json$|README\.md$|CHANGELOG\.md$|LICENSE$|NOTICE\.md$)/.test(
        name,
      ),
  );
  expect(foreign).toEqual([]);
  expect(files.filter((name) => /\.map$|\.test\.|esbuild-wasm/.test(name))).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as {
    dependencies: object;
  };
  expect(Object.keys(dependencies)).toEqual(["esbuild"]);
});
