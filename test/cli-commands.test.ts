// Every command of the built command line, against one running sandbox.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../daemon/protocol/constants.ts";
import {
  type BuiltCli,
  DIST,
  type ReadyLine,
  type RunningProcess,
  startedSandbox,
} from "./support/built-cli.ts";
import { freePorts, ownerOf, until } from "./support/processes.ts";

let cli: BuiltCli;
let ready: ReadyLine;
beforeAll(async () => {
  ({ cli, ready } = await startedSandbox());
  await cli.functez(["account", "create", "alice"]);
  await cli.functez(["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "50"]);
  await cli.functez(["deploy", "examples/counter/index.ts", "--name", "counter"]);
});
afterAll(() => cli.dispose());

const run = (...args: string[]) => cli.functez(args);

async function json<T>(...args: string[]): Promise<T> {
  const { stdout } = await cli.functez(["--json", ...args]);
  return JSON.parse(stdout) as T;
}

async function refusal(...args: string[]): Promise<string> {
  const result = await cli.functez(args);
  expect([result.code, result.stdout]).toEqual([1, ""]);
  // One paragraph: what happened and what to do, without a stack of ours.
  expect(result.stderr).not.toMatch(/\n\s+at /);
  return /ERROR (\w+): /.exec(result.stderr)?.[1] ?? result.stderr;
}

it("shows version and help without a sandbox", async () => {
  expect((await run("--version")).stdout).toMatch(/^functez \d+\.\d+\.\d+\S* \(\w+, \d{4}-\d\d-\d\d\)\n$/);
  const help = await run("bridge", "deposit", "--help");
  expect(help.code).toBe(0);
  expect(help.stdout).toMatch(/Usage: functez bridge deposit[\s\S]*--from <account>[\s\S]*--json/);
  expect(await run("no-such-command")).toMatchObject({ code: 1, stdout: "" });
});

it("opens the explorer, at what an alias names", async () => {
  const page = `${ready.sandboxd}/explorer/`;
  expect((await run("open", "--no-browser")).stdout).toBe(`${page}\n`);
  const { url } = await json<{ url: string }>("open", "counter");
  expect(url).toMatch(new RegExp(`^${page}#/find/KT1\\w{33}$`));
  const opened = join(cli.configHome, "opened");
  const browser = join(cli.configHome, "browser.sh");
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    { mode: 0o755 },
  );
  await cli.functez(["open", "a b"], { env: { BROWSER: browser } });
  await until("the browser is started", 5_000, () => existsSync(opened));
  expect(readFileSync(opened, "utf8")).toBe(`${page}#/find/a%20b`);
});

it("manages accounts: create, import, list, alias, login, logout, delete", async () => {
  expect((await run("account", "list")).stdout).toMatch(
    /^Accounts:\nalice: tz1\w{33}\ncounter: KT1\w{33}\n$/,
  );
  const { secretKey, address } = BOOTSTRAP_ACCOUNTS[3];
  expect((await cli.functez(["account", "import", "bob"], { input: `${secretKey}\n` })).stdout).toBe(
    `User imported with address: ${address}\n`,
  );
  expect((await run("account", "list")).stdout + (await run("account", "list")).stderr).not.toContain(
    secretKey,
  );
  expect((await run("account", "list", "--long")).stdout).toContain(`Secret Key: ${secretKey}`);
  expect((await run("whoami")).stdout).toMatch(/^Logged in to account alice with address tz1/);
  await run("login", "bob");
  expect((await run("whoami")).stdout).toBe(`Logged in to account bob with address ${address}\n`);
  expect((await run("logout")).stdout).toBe("You have been logged out.\n");
  expect(await refusal("whoami")).toBe("NOT_LOGGED_IN");
  await run("login", "alice");
  expect((await run("account", "delete", "bob", "--yes")).stdout).toBe("Deleted account bob.\n");
  expect(await refusal("login", "bob")).toBe("UNKNOWN_ALIAS");
});

it("imports an account of a Jstz configuration", async () => {
  const { secretKey, publicKey, address } = BOOTSTRAP_ACCOUNTS[4];
  const file = join(cli.configHome, "jstz.json");
  const User = { address, public_key: publicKey, secret_key: secretKey };
  writeFileSync(file, JSON.stringify({ accounts: { carol: { User } } }));
  expect((await run("account", "import", "carol", "--from-jstz", file)).stdout).toBe(
    `User imported with address: ${address}\n`,
  );
  expect(await refusal("account", "import", "dave", "--from-jstz", file)).toBe("UNKNOWN_ALIAS");
});

it.each([
  [["account", "create", "alice"], "ALIAS_EXISTS"],
  [["account", "create", "bootstrap1"], "BAD_ALIAS"],
  [["account", "create", "a b"], "BAD_ALIAS"],
  [["account", "import", "x", "--key", "edsk123"], "BAD_SECRET_KEY"],
  [["account", "delete", "nobody"], "UNKNOWN_ALIAS"],
  [["account", "delete", "alice"], "INPUT_NEEDED"],
  [["account", "code", "-a", "alice"], "BAD_ADDRESS"],
  [["account", "alias", "x", "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx"], "BAD_ADDRESS"],
  [["deploy", "no/such/file.ts"], "FILE_UNREADABLE"],
  [["deploy", "examples"], "FILE_UNREADABLE"],
  [["deploy", "media/icon.png"], "FILE_UNREADABLE"],
  [["deploy", "examples/hello/index.ts", "--balance", "1000000"], "DEPLOY_FAILED"],
  [["run", "ftp://counter/"], "BAD_URL"],
  [["run", "counter/", "-g", "many"], "BAD_OPTION"],
  [["run", "counter/", "-H", "nonsense"], "BAD_OPTION"],
  [["run", "counter/", "-a", "0"], "BAD_AMOUNT"],
  [["transfer", "1000", "bootstrap0"], "INSUFFICIENT_BALANCE"],
  [["kv", "get", "nothing", "-a", "counter"], "NO_VALUE"],
  [["logs", "trace", "counter", "-l", "loud"], "BAD_OPTION"],
  [["call", "trace", "xyz"], "BAD_OPTION"],
  [["call", "trace", "0".repeat(64)], "NOT_FOUND"],
  [["profile", "xyz"], "BAD_OPTION"],
  [["profile", "0".repeat(64)], "REPLAY_IMPOSSIBLE"],
  [["network", "delete", "dev"], "NETWORK_RESERVED"],
  [["network", "update", "nowhere", "--jstz-node-endpoint", "http://127.0.0.1:1"], "UNKNOWN_NETWORK"],
  [
    ["network", "add", "x", "--octez-node-rpc-endpoint", "nowhere", "--jstz-node-endpoint", "http://a"],
    "BAD_OPTION",
  ],
  [["completions", "-s", "tcsh"], "BAD_OPTION"],
  [["repl", "-a", "counter"], "BAD_ADDRESS"],
  [["repl", "-a", "nobody"], "UNKNOWN_ALIAS"],
])("refuses %j", async (args, code) => {
  const before = readFileSync(join(cli.configHome, "functez", "config.json"), "utf8");
  expect(await refusal(...args)).toBe(code);
  expect(readFileSync(join(cli.configHome, "functez", "config.json"), "utf8")).toBe(before);
});

it("deploys code text, piped code and a project's imports", async () => {
  const code = "export default () => new Response('hi');";
  const typed = await json<{ address: string; bytes: number }>("deploy", code, "--name", "typed");
  expect(typed.bytes).toBe(code.length);
  expect((await run("account", "code", "-a", "typed")).stdout).toBe(`${code}\n`);
  const piped = await cli.functez(["deploy", "--name", "piped"], { input: `${code}\n` });
  expect(piped.stdout).toMatch(/^Smart function deployed by alice at address: KT1/);
  expect(await refusal("deploy", code, "--name", "typed")).toBe("ALIAS_EXISTS");
  expect(await run("deploy", code, "--name", "typed", "--force")).toMatchObject({ code: 0 });
});

it("calls with method, headers, body and tez, and shows status and headers on request", async () => {
  const echo =
    "export default async (r) => Response.json({ m: r.method, h: r.headers.get('x-a'), t: r.headers.get('content-type'), b: await r.text(), p: r.headers.get('x-jstz-amount') }, { status: 201 });";
  await run("deploy", echo, "--name", "echo");
  const shown = await run(
    "run",
    "echo/",
    "-m",
    "post",
    "-d",
    '{"a":1}',
    "-H",
    "X-A: b",
    "-a",
    "0.5",
    "--include",
  );
  expect(shown.stdout).toMatch(/^201 Created\ncontent-type: application\/json\n\n\{/);
  const answer = await json<{ statusCode: number; body: object }>(
    "run",
    "echo/",
    "-m",
    "POST",
    "-d",
    "text",
    "-a",
    "0.5",
  );
  expect(answer).toMatchObject({ statusCode: 201, body: { m: "POST", h: null, b: "text", p: "500000" } });
  const piped = await cli.functez(["run", "echo/", "-m", "POST"], { input: "from a pipe" });
  expect(JSON.parse(piped.stdout)).toMatchObject({ b: "from a pipe" });
});

it("gives what was sent: numbers, text and bytes, in both directions", async () => {
  const echo = `export default async (r) => new Response(await r.arrayBuffer(), {
    headers: { "content-type": r.headers.get("x-type") ?? "text/plain", "x-all": r.headers.get("x-foo") ?? "" },
  });`;
  await run("deploy", echo, "--name", "mirror");
  const numbers = '{"n":9007199254740993,"e":1e400,"f":1.0,"z":18446744073709551615}';
  const call = ["run", "mirror/", "-m", "POST"];
  expect((await run(...call, "-d", numbers)).stdout).toBe(
    '{\n  "n": 9007199254740993,\n  "e": 1e400,\n  "f": 1.0,\n  "z": 18446744073709551615\n}\n',
  );
  const line = (await run(...call, "-d", numbers, "--json")).stdout;
  expect(line).toContain(`"body":${numbers},"bodyType":"json"`);
  for (const text of ["12345678901234567890", '"quoted"', "null", "5"]) {
    expect((await run(...call, "-d", text)).stdout).toBe(`${text}\n`);
    expect(await json(...call, "-d", text)).toMatchObject({ body: text, bodyType: "text" });
  }
  expect(await json(...call, "-d", '{"a": 1}', "-H", "x-type: text/html")).toMatchObject({
    body: '{"a": 1}',
    bodyType: "text",
  });
  expect(await json(...call, "-H", "X-Foo: a", "-H", "x-foo: b")).toMatchObject({
    headers: { "x-all": "a, b" },
    body: null,
    bodyType: null,
  });

  const bytes = Buffer.from("89504e4700fffe800d0a", "hex");
  const file = join(cli.configHome, "image.png");
  writeFileSync(file, bytes);
  expect(await json(...call, "-d", file)).toMatchObject({
    body: bytes.toString("base64"),
    bodyType: "base64",
  });
  const through = spawnSync(process.execPath, [join(DIST, "functez.mjs"), ...call], {
    env: cli.env,
    input: bytes,
  });
  expect(through.stdout.toString("hex")).toBe(bytes.toString("hex"));
});

it("shows the logs of the called functions, also for a failing call", async () => {
  const inner = "export default () => { console.warn('inside'); return new Response(); };";
  const { address } = await json<{ address: string }>("deploy", inner, "--name", "inner");
  const outer = `export default async (request) => {
    console.log("one", 2); await fetch("jstz://${address}/"); console.log("three");
    if (request.url.endsWith("/throw")) throw new Error("no");
    return new Response("done");
  };`;
  await run("deploy", outer, "--name", "outer");
  const lines =
    /Connected to trace smart function "KT1\w+"\n\[INFO\]: one 2\n\[WARN\]: inner: inside\n\[INFO\]: three\n/;
  expect(await run("run", "outer/", "--trace")).toEqual({
    code: 0,
    stdout: "done\n",
    stderr: expect.stringMatching(lines) as string,
  });
  expect(await run("run", "outer/throw", "-t")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(lines) as string,
  });
  expect(await json("run", "outer/", "-t")).toMatchObject({
    body: "done",
    logs: [{ level: "INFO" }, { address, level: "WARN", text: "inside\n" }, { text: "three\n" }],
  });
  const { operation } = await json<{ operation: string }>("run", "outer/");
  expect((await run("call", "trace", operation)).stdout).toMatch(
    /info one 2\n[^]*warn inside\n[^]*info three\n/,
  );
});

it("names places of the source in errors and logs, and leaves the body as it was sent", async () => {
  const file = join(cli.configHome, "thrower.ts");
  writeFileSync(
    file,
    `interface Answer { readonly n: number }

export default (request: Request): Response => {
  const answer: Answer = { n: 1 };
  console.log(new Error("logged"));
  if (request.url.endsWith("/ok")) return new Response("ok");
  throw new Error(String(answer.n));
};
`,
  );
  const { address } = await json<{ address: string }>("deploy", file, "--name", "thrower");
  const ended = await run("run", "thrower/", "--trace");
  expect(ended.stdout).toMatch(new RegExp(`jstz://${address}:\\d+:\\d+`));
  expect(ended.stderr).toMatch(/logged\n +at \S+ \(.*thrower\.ts:5:\d+\)/);
  expect(ended.stderr).toMatch(/Status 500[^]*Error: 1\n +at \S+ \(.*thrower\.ts:7:\d+\)/);
  expect(ended.stderr).not.toContain(`jstz://${address}:`);
  const { operation } = await json<{ operation: string }>("run", "thrower/");
  expect((await run("call", "trace", operation)).stdout).toMatch(/thrower\.ts:7:\d+/);
});

it("tells programs the sources beside the texts, which stay as they were", async () => {
  interface Told {
    readonly operation: string;
    readonly thrown: string;
    readonly logs: readonly { readonly text: string }[];
    readonly sources: readonly { readonly place: string; readonly source: string; readonly line: number }[];
  }
  const file = join(cli.configHome, "thrower.ts"); // of the test before
  const ran = await json<Told>("run", "thrower/", "--trace");
  const lineOf = (text: string): number | undefined => {
    const [place] = /jstz:\/\/\w+:\d+:\d+/.exec(text)!;
    return ran.sources.find((one) => one.place === place && one.source === file)?.line;
  };
  expect([lineOf(ran.thrown), lineOf(ran.logs[0]!.text)]).toEqual([7, 5]);
  const traced = await json<Told>("call", "trace", ran.operation);
  expect(traced.sources).toEqual(expect.arrayContaining([...ran.sources]));
  expect(await json("run", "thrower/ok")).not.toHaveProperty("thrown");

  const logs = cli.start("functez", ["logs", "trace", "thrower", "--json"]);
  let isShown = false;
  const line = logs.line(/logged/).finally(() => (isShown = true));
  while (!isShown) await run("run", "thrower/ok"); // nothing tells when it has connected
  logs.child.kill("SIGINT");
  await logs.ended;
  const told = JSON.parse(await line) as Told;
  expect(told.sources).toMatchObject([{ source: file, line: 5 }]);
});

it("transfers, and reads keys and values", async () => {
  expect((await run("transfer", "1.25", "counter")).stdout).toBe("Transferred 1.25 XTZ to counter\n");
  expect((await run("account", "balance", "-a", "counter")).stdout).toBe("1.25ꜩ\n");
  await run("run", "counter/increment");
  const { address } = await json<{ address: string }>("whoami");
  expect((await run("kv", "list", "-a", "counter")).stdout).toBe("counters\n");
  expect((await run("kv", "list", "counters", "-a", "counter")).stdout).toBe(`${address}\n`);
  expect((await run("kv", "get", `counters/${address}`, "-a", "counter")).stdout).toBe("1\n");
});

it("shows the call tree of an operation", async () => {
  const { operation } = await json<{ operation: string }>("run", "counter/get");
  expect((await run("call", "trace", operation)).stdout).toMatch(
    /RunFunction by alice: succeeded\n\nGET counter\/get → 200/,
  );
});

it("shows where the gas of an operation went, in the source", async () => {
  const { operation } = await json<{ operation: string }>("run", "counter/increment");
  const { stdout: table } = await run("profile", operation);
  expect(table).toMatch(/^operation [0-9a-f]{64}\n {2}\d+ gas\n/);
  expect(table).toMatch(/ % {2}handler {2}\S*examples[/\\]counter[/\\]index\.ts:\d+\n/);
  const { gas } = await json<{ gas: number }>("profile", "last");
  const file = join(cli.configHome, "last");
  expect((await run("profile", "last", "-o", file)).stdout).toMatch(/^Profile of \d+ gas written to /);
  const profile = JSON.parse(readFileSync(`${file}.cpuprofile`, "utf8")) as {
    endTime: number;
    nodes: { callFrame: { functionName: string; url: string } }[];
    samples: number[];
    timeDeltas: number[];
  };
  expect(profile.endTime).toBe(gas);
  expect(profile.samples).toHaveLength(profile.timeDeltas.length);
  const frames = profile.nodes.map(({ callFrame }) => callFrame);
  expect(frames.map(({ functionName }) => functionName)).toEqual(
    expect.arrayContaining(["counter", "handler"]),
  );
  expect(frames.find(({ functionName }) => functionName === "handler")!.url).toMatch(
    /^file:.*counter.*index\.ts$/,
  );
  expect(await refusal("profile", "last", "-o", "no/such/folder/p")).toBe("FILE_UNWRITABLE");
  const traced = await run("call", "trace", operation, "--source");
  expect(traced.stdout).toMatch(/GET counter\/increment → 200/);
  expect(traced.stdout).toMatch(/index\.ts\n[^]* 1× +\d+ gas +\d+ │ .*Kv\.set\(/);
  expect(traced.stdout).toContain(`\n${gas} gas, `);
  const { lines } = await json<{ lines: { gas: number }[] }>("call", "trace", operation, "--source");
  expect(lines.length).toBeGreaterThan(3);
});

it("profiles code that was deployed as it is, and as text", async () => {
  await run(
    "deploy",
    "export default () => new Response(String([1, 2].map((n) => n + 1)))",
    "--name",
    "plain",
  );
  const { operation } = await json<{ operation: string }>("run", "plain/");
  expect((await run("call", "trace", operation, "-s")).stdout).toMatch(
    /\njstz:\/\/plain\n +\d×? +\d+ gas +1 │ export default \(\) => /,
  );
});

it("withdraws to layer 1", async () => {
  const owner = ownerOf(cli, ready);
  await fetch(`${ready.layer1}/admin/bake`, { method: "POST", headers: owner });
  const waiting = run("bridge", "withdraw", "--to", "bootstrap5", "--amount", "2");
  // Commitments come with blocks: bake until it is cemented, instead of waiting for the heartbeat.
  let done = false;
  void waiting.then(() => (done = true));
  const limit = performance.now() + 20_000;
  while (!done) {
    if (performance.now() > limit) throw new Error("The withdrawal did not end, though blocks were baked.");
    await fetch(`${ready.layer1}/admin/bake`, {
      method: "POST",
      headers: { "content-type": "application/json", ...owner },
      body: '{"blocks":4}',
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await waiting).toMatchObject({ code: 0, stdout: "Withdrew 2 XTZ from alice to bootstrap5\n" });
});

it("follows logs until it is interrupted", async () => {
  await run(
    "deploy",
    "export default () => { console.log('hello', { a: 1 }); console.debug('quiet'); return new Response(); }",
    "--name",
    "talker",
  );
  const logs = cli.start("functez", ["logs", "trace", "talker"]);
  await logs.line(/Connected to smart function/);
  await run("run", "talker/");
  expect(await logs.line(/hello/)).toBe("[INFO]: hello { a: 1 }");
  logs.child.kill("SIGINT");
  await logs.ended;
  expect(logs.output()).not.toContain("quiet");
});

it("evaluates lines inside a smart function", async () => {
  const result = await cli.functez(["repl"], {
    input: "1 + 1\nKv.set('a', 5)\nKv.get('a') * 2\nnope\nconst x = 3; return x + 1;\nexit\n",
  });
  expect(result.stdout).toBe("2\nundefined\n10\n4\n");
  expect(result.stderr).toMatch(/nope is not defined|'nope'/);
  expect(result.stderr).not.toMatch(/\bat |jstz:\/\/.*:\d+/); // no frames of the prompt itself
  expect(result.code).toBe(1); // piped input is a script
});

const REMEMBERED: readonly (readonly [what: string, input: string, stdout: string, stderr?: RegExp])[] = [
  [
    "values",
    "const x = 5\nlet y = { a: [1, 2n], d: new Date(5) }\nx + y.a[0]\ny.d.getTime()\n",
    "6\n5\n",
    /kept: x\n[^]*kept: y\n/,
  ],
  ["functions", "function twice(n) { return 2 * n }\nconst four = () => twice(2)\nfour()\n", "4\n"],
  [
    "classes",
    "class Point { constructor(x) { this.x = x } get double() { return 2 * this.x } }\nnew Point(4).double\n",
    "8\n",
  ],
  ["what changes", "let n = 1\nn++\nn\nn = 7, 0\nn\n", "1\n2\n0\n7\n"],
  ["the value of the last statement", "Kv.set('last', 1); Kv.get('last')\n", "1\n"],
  ["objects in braces", "{ a: 1 }\n", '{\n  "a": 1\n}\n'],
  ["what is awaited", "const z = await Promise.resolve(8)\nz\nawait Promise.resolve(z + 1)\n", "8\n9\n"],
  [
    "inputs of several lines",
    "function sum(a,\n  b) {\n  return a + b // }\n}\nsum(1,\n2)\n`a\nb`\n",
    '3\n"a\\nb"\n',
  ],
  ["a new declaration of a name", "const x = 1\nconst x = 2\nx\n", "2\n"],
  [
    "what cannot be kept, by name",
    "const response = new Response('x')\n1\n",
    "1\n",
    /not kept: response \(Response\)/,
  ],
  ["all that is kept", "const x = [1]\n.kept\n", "x = [1]\n"],
];

it.each(REMEMBERED.map(([what, ...row]) => ({ what, row })))(
  "remembers in the prompt: $what",
  async ({ row }) => {
    const [input, stdout, stderr = /Ctrl-D/] = row;
    const result = await cli.functez(["repl"], { input });
    expect([result.stdout, result.code]).toEqual([stdout, 0]);
    expect(result.stderr).toMatch(stderr);
  },
);

it("keeps nothing of an input that fails", async () => {
  const input =
    "let n = 1\nn = 2; const m = 3; Kv.set('n', n); throw new TypeError('no')\nn\nKv.get('n')\ntypeof m\n";
  const result = await cli.functez(["repl"], { input });
  expect([result.stdout, result.code]).toEqual(['1\nnull\n"undefined"\n', 1]);
  expect(result.stderr).toContain("TypeError: no\n");
});

it("reports an alias whose function belonged to an earlier sandbox", async () => {
  await run("account", "alias", "left", "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ");
  for (const args of [
    ["run", "left/"],
    ["kv", "get", "x", "-a", "left"],
    ["kv", "list", "-a", "left"],
    ["account", "code", "-a", "left"],
    ["account", "balance", "-a", "left"],
    ["logs", "trace", "left"],
  ])
    expect(await refusal(...args), args.join(" ")).toBe("FUNCTION_GONE");
  await run("account", "delete", "left", "-y");
});

it("manages networks and uses them", async () => {
  const add = [
    "network",
    "add",
    "mine",
    "--octez-node-rpc-endpoint",
    ready.layer1,
    "--jstz-node-endpoint",
    ready.runtime,
  ];
  expect((await run(...add)).stdout).toBe("Added network 'mine'.\n");
  expect(await refusal(...add)).toBe("NETWORK_EXISTS");
  expect((await run("network", "list")).stdout).toMatch(
    /\| dev {2}\| http:\/\/127\.0\.0\.1:\d+ +\| http:\/\/127\.0\.0\.1:\d+ +\|[\s\S]*\| mine \| http:\/\/127\.0\.0\.1/,
  );
  await run("network", "set-default", "mine");
  expect((await run("network", "get-default")).stdout).toBe("mine\n");
  expect((await run("run", "counter/get")).stdout).toMatch(/"count"/);
  await run("network", "delete", "mine");
  expect((await run("network", "get-default")).stdout).toBe("Default network is not set.\n");
});

it("creates a complete project, and never writes into a folder with files", async () => {
  const folder = join(cli.configHome, "my token");
  expect((await run("init", folder)).stdout).toBe(`Created my-token in ${folder}\n`);
  for (const file of ["package.json", "src/index.ts", "test/index.test.ts"])
    expect(existsSync(join(folder, file))).toBe(true);
  expect(await refusal("init", folder)).toBe("FOLDER_NOT_EMPTY");
  expect((await run("deploy", join(folder, "src/index.ts"), "--name", "fresh")).code).toBe(0);
});

it("reports a failed call by its exit code on request", async () => {
  const status = (n: number) => `export default () => new Response(null, { status: ${n} });`;
  for (const [n, code] of [
    [200, 0],
    [302, 0],
    [404, 22],
    [500, 22],
  ] as const) {
    await run("deploy", status(n), "--name", "status", "--force");
    expect((await run("run", "status/")).code).toBe(0);
    expect((await run("run", "status/", "--fail")).code).toBe(code);
  }
});

it("deploys on every save", async () => {
  const folder = join(cli.configHome, "dev");
  mkdirSync(folder);
  const file = join(folder, "watched.ts");
  const version = (n: number) =>
    `export default (request: Request): Response => { console.log("v${n}"); return new Response("v${n}"); };`;
  writeFileSync(file, version(1));
  const dev = cli.start("functez", ["dev", file]);
  await dev.line(/Watching/);
  expect((await run("run", "watched/")).stdout).toBe("v1\n");
  await dev.line(/\[INFO\]: v1/);
  writeFileSync(file, "export default (");
  await dev.line(/BUILD_FAILED/);
  writeFileSync(file, version(2));
  for (;;) {
    if ((await run("run", "watched/")).stdout === "v2\n") break;
  }
  dev.child.kill("SIGINT");
  expect(await dev.ended).toBe(0);
});

it("keeps or resets the store from save to save, as requested, and says which", async () => {
  const file = join(cli.configHome, "kept.ts");
  const version = (n: number) =>
    `export default (): Response => { const n = (Kv.get<number>("n") ?? 0) + 1; Kv.set("n", n); return new Response("v${n} " + n); };`;
  for (const [store, second, says] of [
    ["keep", "v2 2", /Watching.*takes over the previous store/],
    ["reset", "v2 1", /Watching.*whose store is empty/],
  ] as const) {
    writeFileSync(file, version(1));
    const dev = cli.start("functez", ["dev", file, "--name", store, "--store", store]);
    await dev.line(says);
    expect((await run("run", `${store}/`)).stdout).toBe("v1 1\n");
    const rounds = dev.output().split("Watching").length;
    writeFileSync(file, version(2));
    await expect.poll(() => dev.output().split("Watching").length, { timeout: 20_000 }).toBe(rounds + 1);
    expect((await run("run", `${store}/`)).stdout).toBe(`${second}\n`);
    expect(/has the store of the previous version: 1 value/.test(dev.output())).toBe(store === "keep");
    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
  }
});

it("deploys on a save of any input of the function, wherever it is, and of no other file", async () => {
  const folder = join(cli.configHome, "wide");
  const [src, shared, elsewhere] = ["src", "shared", "elsewhere"].map((name) => join(folder, name));
  mkdirSync(join(src!, "lib"), { recursive: true });
  for (const each of [shared!, elsewhere!]) mkdirSync(each);
  const versions = { lib: 0, shared: 0, data: 0, linked: 0 };
  const write = {
    lib: () => writeFileSync(join(src!, "lib", "z.ts"), `export const lib = "lib${++versions.lib}";`),
    // Like editors on save: a new file takes the name of the old one.
    shared: () => {
      writeFileSync(join(shared!, "x.tmp"), `export const shared = "shared${++versions.shared}";`);
      renameSync(join(shared!, "x.tmp"), join(shared!, "x.ts"));
    },
    data: () => writeFileSync(join(shared!, "d.json"), JSON.stringify({ data: `data${++versions.data}` })),
    linked: () =>
      writeFileSync(join(elsewhere!, "real.ts"), `export const linked = "linked${++versions.linked}";`),
  };
  for (const each of Object.values(write)) each();
  symlinkSync(join(elsewhere!, "real.ts"), join(src!, "linked.ts"));
  const file = join(src!, "index.ts");
  writeFileSync(
    file,
    `import { lib } from "./lib/z";
     import { shared } from "../shared/x";
     import { data } from "../shared/d.json";
     import { linked } from "./linked";
     export default () => new Response([lib, shared, data, linked].join(" "));`,
  );
  const dev = cli.start("functez", ["dev", file, "--name", "wide"]);
  const rounds = () => dev.output().split("Watching").length - 1;
  await until("the first deploy", 20_000, () => rounds() === 1);
  const answer = async () => (await cli.functez(["run", "wide/"])).stdout.trim();
  for (const [name, save] of Object.entries(write)) {
    const before = rounds();
    save();
    await until(`a deploy after ${name}`, 20_000, () => rounds() > before);
    const { lib, shared, data, linked } = versions;
    expect(await answer()).toBe(`lib${lib} shared${shared} data${data} linked${linked}`);
  }
  const before = rounds();
  writeFileSync(join(src!, "other.ts"), "export default 1;");
  write.lib();
  await until("a deploy after lib", 20_000, () => rounds() > before);
  expect(rounds()).toBe(before + 1);
  // A missing file is waited for.
  writeFileSync(file, 'import { later } from "./lib/later"; export default () => new Response(later);');
  await dev.line(/Could not resolve "\.\/lib\/later"/);
  writeFileSync(join(src!, "lib", "z.ts"), "export const lib = 1;"); // a change in a watched folder
  writeFileSync(join(src!, "lib", "later.ts"), 'export const later = "here";');
  await expect.poll(answer, { timeout: 20_000 }).toBe("here");
  dev.child.kill("SIGINT");
  expect(await dev.ended).toBe(0);
});

it.each([
  ["the editor that started it has exited", (dev: RunningProcess) => dev.child.stdin?.end()],
  ["the editor stops it", (dev: RunningProcess) => dev.child.kill("SIGINT")],
])("dev with --lifeline ends when %s", async (_what, end) => {
  const file = join(cli.configHome, "held.js");
  writeFileSync(file, "export default () => new Response('held');\n");
  const dev = cli.start("functez", ["dev", file, "--lifeline"], { stdin: "pipe" });
  await dev.line(/Watching/);
  end(dev);
  expect(await dev.ended).toBe(0);
});

it("a deploy continues and stores its alias after the reader of its progress has exited", async () => {
  const file = join(cli.configHome, "unread.js");
  writeFileSync(file, "export default () => new Response('unread');\n");
  const deploy = cli.start("functez", ["--json", "deploy", file, "--name", "unread"]);
  for (const pipe of [deploy.child.stdout, deploy.child.stderr]) pipe?.destroy();
  await deploy.ended;
  expect((await run("account", "list")).stdout).toMatch(/^unread: KT1/m);
});

it("runs a command with its own sandbox and passes on its exit code", async () => {
  const script =
    "fetch(process.env.FUNCTEZ_SANDBOX_URL + '/health').then((r) => process.exit(r.status === 200 ? 7 : 1))";
  expect(await run("exec", "--", process.execPath, "-e", script)).toMatchObject({ code: 7 });
  expect(await run("exec", "--", "no-such-program-anywhere")).toMatchObject({
    code: 127,
    stderr: expect.stringContaining("COMMAND_NOT_FOUND"),
  });
  expect(await run("exec", "--", "")).toMatchObject({
    code: 126,
    stderr: expect.stringContaining("COMMAND_NOT_FOUND"),
  });
});

it("shows state and log of the sandbox", async () => {
  const status = await run("sandbox", "status");
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(
    new RegExp(`Sandbox healthy: functez .*process ${ready.pid}[\\s\\S]*runtime_node +healthy`),
  );
  expect(await json("sandbox", "status")).toMatchObject({
    running: true,
    pid: ready.pid,
    endpoints: { runtime: ready.runtime },
  });
  expect((await run("sandbox", "logs")).stdout).toMatch(/INFO {2}ready at/);
  expect((await run("sandbox", "start")).stdout).toMatch(
    /^The sandbox is already running![\s\S]*\(bootstrap5\) tz1/,
  );
});

it("starts in the background, restarts afresh and stops", async () => {
  const [port] = await freePorts(1);
  const file = join(cli.configHome, "background.json");
  writeFileSync(
    file,
    JSON.stringify({
      server_port: port,
      layer1_node: { rpc_endpoint: "127.0.0.1:0" },
      runtime_node: { endpoint: "127.0.0.1:0" },
    }),
  );
  const own = { env: { FUNCTEZ_SANDBOX_URL: `http://127.0.0.1:${port}` } };
  try {
    const started = await cli.functez(["sandbox", "start", "-d", "-c", file], own);
    expect([started.code, started.stdout]).toEqual([
      0,
      expect.stringMatching(/functez[\s\S]*\| Address[\s\S]*100000000000/),
    ]);
    await cli.functez(["bridge", "deposit", "--from", "bootstrap0", "--to", "alice", "--amount", "1"], own);
    expect((await cli.functez(["account", "balance", "-a", "alice"], own)).stdout).toBe("1ꜩ\n");
    expect((await cli.functez(["sandbox", "restart", "-d", "-c", file, "--yes"], own)).code).toBe(0);
    expect((await cli.functez(["account", "balance", "-a", "alice"], own)).stdout).toBe("0ꜩ\n");
    expect((await cli.functez(["sandbox", "stop"], own)).stdout).toBe("Sandbox stopped\n");
    expect((await cli.functez(["sandbox", "status"], own)).code).toBe(1);
  } finally {
    await cli.functez(["sandbox", "stop", "--yes"], own);
  }
});
