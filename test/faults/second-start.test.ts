// The second start of a daemon runs code compiled by the first one: everything that works first must work second.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltCli, builtCli, DIST } from "../support/built-cli.ts";
import { ready, until } from "../support/processes.ts";

const FETCHES = `export default async (request) => {
  const answer = await fetch(await request.text());
  return new Response(answer.status + " " + await answer.text());
};`;

let cli: BuiltCli;
let noTls: Server;
beforeAll(async () => {
  cli = builtCli();
  mkdirSync(join(cli.configHome, "functez", "code-cache"), { recursive: true, mode: 0o700 }); // with no code yet
  noTls = createServer((socket) => socket.on("error", () => undefined).end("this is no TLS"));
  await new Promise<void>((resolve) => noTls.listen(0, "127.0.0.1", resolve));
  writeFileSync(join(cli.configHome, "fetches.js"), FETCHES);
});
afterAll(async () => {
  noTls.close();
  await cli.dispose();
});

/** The response to a function that fetches an https URL in a newly started sandbox. */
async function httpsInANewSandbox(): Promise<string> {
  const file = join(cli.configHome, "sandbox.json");
  writeFileSync(file, JSON.stringify({ runtime_node: { oracle: { allow_private: true } } }));
  const daemon = cli.start("sandboxd", ["run", file, "--free-ports", "--lifeline", "--json"], {
    stdin: "pipe",
  });
  cli.env["FUNCTEZ_SANDBOX_URL"] = (await ready(daemon)).sandboxd;
  await cli.functez(["deploy", join(cli.configHome, "fetches.js"), "--name", "fetches", "--force"]);
  const url = `https://localhost:${(noTls.address() as AddressInfo).port}/`;
  const { stdout } = await cli.functez(["run", "fetches/", "-m", "POST", "--data-raw", url]);
  const cache = join(cli.configHome, "functez", "code-cache");
  await until("the code cache is written", 20_000, () => readdirSync(cache).length > 0);
  daemon.child.kill("SIGTERM");
  await daemon.ended;
  return stdout;
}

it("of a sandbox fetches https like the first", async () => {
  expect(await cli.functez(["account", "create", "alice"])).toMatchObject({ code: 0 });
  for (const start of ["first", "second", "third"])
    expect(await httpsInANewSandbox(), start).toMatch(/^502 .*(SSL|EPROTO|wrong version)/);
});

it.each(["run-sandboxd.cjs", "engine-worker.cjs"])(
  "%s loads nothing by import(), which the cache cannot",
  (name) => {
    expect(/\bimport\(/.test(readFileSync(join(DIST, name), "utf8"))).toBe(false);
  },
);
