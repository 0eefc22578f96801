// Responses, logs and errors of hostile functions on a user's terminal; and bodies that look like file names.
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BuiltCli, DIST, ROOT, startedSandbox } from "../support/built-cli.ts";
import { onTerminal } from "../support/terminal.ts";

/**
 * Sets the clipboard and the window title, clears the screen and moves up a line, in both escape forms; and reverses
 * text.
 */
const OBEYED = "\u001b]52;c;QUJD\u0007\u001b]0;owned\u0007\u001b[2J\u001b[1A\u009b2J\rover\u202etxt.exe";
const HOSTILE = `export default async (request) => {
  const text = ${JSON.stringify(OBEYED)};
  console.log("logged " + text);
  const { pathname } = new URL(request.url);
  if (pathname === "/throw") throw new Error("thrown " + text);
  if (pathname === "/echo") return new Response("got " + await request.text());
  Kv.set("key", "kept " + text);
  return new Response("answered " + text, { headers: { "x-kind": "plain" } });
};`;

let cli: BuiltCli;
let folder: string;
beforeAll(async () => {
  ({ cli } = await startedSandbox());
  folder = mkdtempSync(join(tmpdir(), "functez-bodies-"));
  writeFileSync(join(folder, "hostile.js"), HOSTILE);
  writeFileSync(join(folder, "secret.txt"), "TOP SECRET");
  writeFileSync(join(folder, "data.bin"), Buffer.from([0xff, 0x00, 0xfe]));
  expect(await cli.functez(["account", "create", "alice"])).toMatchObject({ code: 0 });
  const deployed = await cli.functez(["deploy", join(folder, "hostile.js"), "--name", "hostile"]);
  expect(deployed).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await cli.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The output of a command on a terminal, without our own colours and the movements of our spinner and prompts. */
async function outputOf(...args: readonly string[]): Promise<string> {
  const terminal = onTerminal([process.execPath, join(DIST, "functez.mjs"), ...args], {
    env: cli.env,
    cwd: ROOT,
  });
  await terminal.ended;
  return terminal.output().replace(/\u001b\[[\d;?]*[mKGhl]|\r\n/g, "\n");
}

describe("a hostile function, seen on a terminal", () => {
  it.each([
    ["answers", ["run", "hostile/", "-i"], /answered /],
    ["logs", ["run", "hostile/", "--trace"], /logged /],
    ["throws", ["run", "hostile/throw", "--trace"], /logged /],
    ["stores", ["kv", "get", "key", "-a", "hostile"], /kept /],
    ["answers as JSON", ["run", "hostile/", "--json"], /answered /],
  ])("%s", async (_what, args, expected) => {
    const text = await outputOf(...args);
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/\u001b\]|\u001b\[2J|\u001b\[1A|[\u0007\u0080-\u009f\u202e]|\rover/);
  });

  it("is in a call tree", async () => {
    const { stdout } = await cli.functez(["run", "hostile/throw", "--json"]);
    const { operation } = JSON.parse(stdout) as { operation: string };
    const text = await outputOf("call", "trace", operation);
    expect(text).toContain("thrown \\u001b]52");
    expect(text).not.toContain("\u001b]52");
  });

  it("is shown with the escapes it tried", async () => {
    expect(await outputOf("run", "hostile/")).toContain("\\u001b]52;c;QUJD\\u0007");
  });

  it("follows logs without executing their escapes", async () => {
    const words = [process.execPath, join(DIST, "functez.mjs"), "logs", "trace", "hostile"];
    const terminal = onTerminal(words, { env: cli.env, cwd: ROOT });
    await terminal.shows(/Connected to smart function/);
    await cli.functez(["run", "hostile/"]);
    await terminal.shows(/logged \\u001b\]52/);
    expect(terminal.output()).not.toContain("\u001b]52");
    terminal.end();
    await terminal.ended;
  });

  it("passes bytes to programs unchanged", async () => {
    const piped = await cli.functez(["run", "hostile/"]);
    expect(piped.stdout).toBe(`answered ${OBEYED}\n`);
  });
});

describe("a terminal of any size", () => {
  it.each([0, 1, 19, 40])("of %i columns gets bounded output", async (columns) => {
    for (const args of [
      ["bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "1"],
      ["run", "hostile/"],
      ["sandbox", "snapshot"],
    ]) {
      const terminal = onTerminal([process.execPath, join(DIST, "functez.mjs"), ...args], {
        env: cli.env,
        cwd: ROOT,
        columns,
      });
      expect(await terminal.ended).toBe(0);
      expect(terminal.output().length).toBeLessThan(10_000);
    }
  });
});

describe("a body", () => {
  const send = async (...args: readonly string[]) => {
    const { stdout, stderr, code } = await cli.functez(["run", "hostile/echo", "-m", "POST", ...args], {
      cwd: folder,
    });
    return { stdout: stdout.trim(), stderr, code };
  };

  it("is a file if one has that name, and the command says so", async () => {
    for (const name of ["secret.txt", "@secret.txt", "./secret.txt"]) {
      const { stdout, stderr } = await send("-d", name);
      expect(stdout).toBe("got TOP SECRET");
      expect(stderr).toContain("the content of the file");
      expect(stderr).toContain("secret.txt (10 bytes)");
    }
    expect((await send("-d", "no-such-file")).stdout).toBe("got no-such-file");
    expect((await send("-d", ".")).stdout).toBe("got .");
  });

  it("that is raw is never a file", async () => {
    for (const text of ["secret.txt", "@secret.txt", "@-"])
      expect(await send("--data-raw", text)).toMatchObject({ stdout: `got ${text}`, code: 0 });
  });

  it("is no file that a link takes from the folder with the accounts", async () => {
    symlinkSync(join(cli.configHome, "functez/config.json"), join(folder, "body.json"));
    const { code, stdout } = await send("--json", "-d", "@body.json");
    expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([
      1,
      "FILE_UNREADABLE",
    ]);
  });

  it("is no copy of the accounts file, nor is code", async () => {
    // What a hard link becomes with the next change of the accounts.
    copyFileSync(join(cli.configHome, "functez/config.json"), join(folder, "copy.json"));
    writeFileSync(
      join(folder, "thief.ts"),
      'import k from "./copy.json"; export default () => Response.json(k);',
    );
    for (const args of [
      ["run", "hostile/echo", "-m", "POST", "-d", "@copy.json"],
      ["deploy", "thief.ts"],
    ]) {
      const { code, stdout } = await cli.functez([...args, "--json"], { cwd: folder });
      expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([
        1,
        "FILE_UNREADABLE",
      ]);
    }
  });

  it("is no copy of the record of a sandbox, and code has neither it nor an accounts file as bytes", async () => {
    const own = join(cli.configHome, "functez");
    const [record] = readdirSync(join(own, "run")).filter((name) => name.startsWith("sandboxd-"));
    copyFileSync(join(own, "run", record!), join(folder, "record.json"));
    copyFileSync(join(own, "config.json"), join(folder, "accounts.json"));
    const thief = (name: string, type = ""): string =>
      `import k from "./${name}"${type}; export default () => new Response(k);`;
    writeFileSync(join(folder, "record.ts"), thief("record.json"));
    for (const name of ["record", "accounts"])
      for (let before = 0; before < 3; before++) {
        const copy = `${name}-${before}.bin`;
        writeFileSync(
          join(folder, copy),
          " ".repeat(before) + readFileSync(join(folder, `${name}.json`), "utf8"),
        );
        writeFileSync(join(folder, `${name}-${before}.ts`), thief(copy, ' with { type: "bytes" }'));
      }
    const sources = [
      "record",
      ...["record", "accounts"].flatMap((name) => [0, 1, 2].map((i) => `${name}-${i}`)),
    ];
    for (const args of [
      ["run", "hostile/echo", "-m", "POST", "-d", "@record.json"],
      ...sources.map((name) => ["deploy", `${name}.ts`]),
    ]) {
      const { code, stdout } = await cli.functez([...args, "--json"], { cwd: folder });
      const { error } = JSON.parse(stdout) as { error?: { code: string } };
      expect([args.at(-1), code, error?.code]).toEqual([args.at(-1), 1, "FILE_UNREADABLE"]);
    }
  });

  it("has no secret key of an account as a text either, from whatever program it comes", async () => {
    const accounts = readFileSync(join(cli.configHome, "functez/config.json"), "utf8");
    for (const given of [
      { args: ["--data-raw", accounts] },
      { args: ["-d", accounts] },
      { args: ["-d", "@-"], input: accounts },
      { args: [], input: accounts },
    ]) {
      const { args, ...options } = given;
      const sent = await cli.functez(["run", "hostile/echo", "-m", "POST", ...args, "--json"], options);
      const { error } = JSON.parse(sent.stdout) as { error?: { code: string } };
      expect([sent.code, error?.code]).toEqual([1, "FILE_UNREADABLE"]);
    }
  });

  it("with a private key of another program is sent with a warning, and code is deployed with one, unless a language model chose it", async () => {
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${"b3BlbnNzaC1rZXktdjEA".repeat(4)}\n`;
    writeFileSync(join(folder, "id.txt"), key);
    const imported =
      'import key from "./id.txt" with { type: "text" }; export default () => new Response(key);';
    writeFileSync(join(folder, "signs.ts"), imported);
    for (const args of [
      ["run", "hostile/echo", "-m", "POST", "-d", "@id.txt"],
      ["deploy", "signs.ts"],
    ]) {
      const { code, stderr } = await cli.functez(args, { cwd: folder });
      expect([code, stderr]).toEqual([0, expect.stringContaining("has a private key")]);
    }
    const { code, stdout } = await cli.functez(["deploy", "--within", folder, "--json", "signs.ts"], {
      cwd: folder,
    });
    expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([
      1,
      "FILE_UNREADABLE",
    ]);
  });

  it("comes from standard input", async () => {
    const { stdout } = await cli.functez(["run", "hostile/echo", "-m", "POST", "-d", "@-"], {
      input: "secret.txt",
      cwd: folder,
    });
    expect(stdout.trim()).toBe("got secret.txt");
  });

  it("must exist, and be given only once", async () => {
    for (const [args, expected] of [
      [["-d", "@missing.txt"], "FILE_UNREADABLE"],
      [["-d", "a", "--data-raw", "b"], "BAD_OPTION"],
    ] as const) {
      const { code, stdout } = await send("--json", ...args);
      expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([1, expected]);
    }
  });
});
