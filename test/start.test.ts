// What a start must not do: load what most sandboxes never use.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type BuiltCli, builtCli } from "./support/built-cli.ts";

let cli: BuiltCli;
afterEach(() => cli.dispose());

it("loads neither TLS nor HTTP/2", async () => {
  cli = builtCli();
  const spy = join(cli.configHome, "spy.cjs");
  writeFileSync(
    spy,
    `const module_ = require("node:module");
const load = module_._load;
module_._load = function (name, ...more) {
  console.error("LOADED", name);
  return load.call(this, name, ...more);
};`,
  );
  cli.env["NODE_OPTIONS"] = `--require ${JSON.stringify(spy)}`;
  const daemon = cli.start("sandboxd", ["run", "--free-ports", "--json"]);
  await daemon.line(/"ready":true/);
  const loaded = [...daemon.output().matchAll(/^LOADED (\S+)$/gm)].map(([, name]) => name);
  expect(loaded).toContain("node:http");
  expect(loaded.filter((name) => /^(?:node:)?(?:tls|https|http2)$/.test(name ?? ""))).toEqual([]);
});
