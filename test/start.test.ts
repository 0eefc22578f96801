// What a start must not do: load what most sandboxes never use, or compile what is compiled.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type BuiltCli, builtCli, type RunningProcess } from "./support/built-cli.ts";

let cli: BuiltCli;
afterEach(() => cli.dispose());

/** Starts a daemon after a piece of CommonJS has run in its process. */
async function startedAfter(code: string): Promise<RunningProcess> {
  cli = builtCli();
  const spy = join(cli.configHome, "spy.cjs");
  writeFileSync(spy, code);
  cli.env["NODE_OPTIONS"] = `--require ${JSON.stringify(spy)}`;
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  await daemon.line(/"ready":true/);
  return daemon;
}

it("loads neither TLS nor HTTP/2", async () => {
  const daemon = await startedAfter(
    `const module_ = require("node:module");
const load = module_._load;
module_._load = function (name, ...more) {
  console.error("LOADED", name);
  return load.call(this, name, ...more);
};`,
  );
  const loaded = [...daemon.output().matchAll(/^LOADED (\S+)$/gm)].map(([, name]) => name);
  expect(loaded).toContain("node:http");
  expect(loaded.filter((name) => /^(?:node:)?(?:tls|https|http2)$/.test(name ?? ""))).toEqual([]);
});

it("changes V8's flags only when all is loaded: with others it refuses compiled code, Node's own included", async () => {
  const daemon = await startedAfter(
    `const v8 = require("node:v8");
const set = v8.setFlagsFromString;
v8.setFlagsFromString = (flag) => {
  console.error("FLAG", flag);
  set(flag);
};
require("node:module").syncBuiltinESMExports();`,
  );
  expect(daemon.output()).not.toContain("FLAG");
  await daemon.line(/^FLAG --heap-growing-percent=/);
});
