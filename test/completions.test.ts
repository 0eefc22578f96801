// The completion scripts in the shells themselves: bash, and fish and zsh where installed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BuiltCli, builtCli, DIST } from "./support/built-cli.ts";
import { onTerminal } from "./support/terminal.ts";

let cli: BuiltCli;
let folder: string;
let script: Readonly<Record<string, string>>;
beforeAll(async () => {
  cli = builtCli();
  folder = join(cli.configHome, "work");
  script = {
    bash: join(cli.configHome, "functez.bash"),
    zsh: join(cli.configHome, "functez.zsh"),
    fish: join(cli.configHome, "fish", "completions", "functez.fish"), // where fish looks for it
  };
  mkdirSync(join(cli.configHome, "fish", "completions"), { recursive: true });
  mkdirSync(join(folder, "docs"), { recursive: true }); // named like a command
  for (const name of ["my counter.ts", "my token.ts", "sandbox.json"]) writeFileSync(join(folder, name), "");
  const bin = join(cli.configHome, "bin");
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, "functez.mjs")}' "$@"\n`;
  writeFileSync(join(bin, "functez"), program, { mode: 0o755 });
  cli.env["PATH"] = `${bin}${delimiter}${cli.env["PATH"]}`;
  for (const args of [
    ["account", "create", "alice"],
    ["account", "alias", "counter", "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ"],
    ["network", "add", "mine", "--octez-node-rpc-endpoint", "http://a", "--jstz-node-endpoint", "http://b"],
  ])
    expect(await cli.functez(args)).toMatchObject({ code: 0 });
  for (const [shell, file] of Object.entries(script))
    writeFileSync(file, (await cli.functez(["completions", "--shell", shell])).stdout);
});
afterAll(() => cli.dispose());

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

function linesOf(shell: string, ...args: string[]): string[] {
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env: cli.env, encoding: "utf8" });
  expect(stderr.replace(/.*compopt: not currently executing.*\n/g, "")).toBe("");
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}

const BOOTSTRAP = ["bootstrap0", "bootstrap1", "bootstrap2", "bootstrap3", "bootstrap4", "bootstrap5"];
const ROWS: readonly (readonly [line: string, found: readonly string[]])[] = [
  ["br", ["bridge"]],
  ["do", ["docs"]],
  ["bridge fa-", ["fa-deploy", "fa-deposit", "fa-withdraw"]],
  ["bridge deposit --from bootstrap1 --t", ["--to"]],
  ["bridge deposit -f ", ["alice", ...BOOTSTRAP]],
  ["login ", ["alice"]],
  ["account balance -a co", ["counter"]],
  ["account delete ", ["alice", "counter"]],
  ["run ", ["counter/"]],
  ["logs trace ", ["counter"]],
  ["run -n ", ["dev", "mine"]],
  ["sandbox restore ", []], // no sandbox is running
  ["sandbox --container st", ["start", "status", "stop"]],
  ["sandbox --engine unix:///x start --det", ["--detach"]],
  ["sandbox logs --f", ["--follow"]],
  ["sandbox logs ", []], // but not `trace`, a subcommand of `logs`
  ["account ls --lo", ["--long"]],
  ["completions --shell z", ["zsh"]],
  ["deploy my", ["my counter.ts", "my token.ts"]],
  ["deploy --name x sand", ["sandbox.json"]],
  ["sandbox start --config sand", ["sandbox.json"]],
  ["exec -- ls sand", ["sandbox.json"]],
];

/** A program of bash that prints what it offers at the end of a line. */
function bashOffers(line: string): string {
  const words = ["functez", ...line.split(" ")];
  return `
    . '${script["bash"]}'
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
    _functez
    printf '%s\\n' "\${COMPREPLY[@]}"`;
}

/** Words that would be commands to a shell, or look like other ones. */
const HOSTILE = [
  "$(touch ran)",
  "`touch ran`",
  "a;touch ran",
  "-rf",
  "../x",
  "a b",
  "\u202eevil",
  "\u001b[2Jx",
];

describe("words that a shell could take for commands", () => {
  beforeEach(() => rmSync(join(folder, "ran"), { force: true }));

  const spoiledEnv = (): NodeJS.ProcessEnv => {
    const home = join(cli.configHome, "spoiled");
    mkdirSync(join(home, "functez"), { recursive: true });
    const entry = { octez_node_rpc_endpoint: "http://a", jstz_node_endpoint: "http://b" };
    const networks = Object.fromEntries([...HOSTILE, "mine"].map((name) => [name, entry]));
    writeFileSync(join(home, "functez", "config.json"), JSON.stringify({ networks }));
    return { ...cli.env, XDG_CONFIG_HOME: home };
  };
  const complete = (line: string, env: NodeJS.ProcessEnv): string[] => {
    const { stdout } = spawnSync("bash", ["--norc", "-c", bashOffers(line)], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    return stdout.split("\n").filter((one) => one !== "");
  };

  it("are neither run nor offered, when a file has them", () => {
    expect(complete("run -n ", spoiledEnv())).toEqual(["dev", "mine"]);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("nor when a program that holds the sandbox's port answers them", async () => {
    const answer = JSON.stringify({
      snapshots: [...HOSTILE, "good"].map((id) => ({ id, level: 1, takenAt: "2026-01-01T00:00:00.000Z" })),
    });
    const server = spawn(process.execPath, [
      "-e",
      `require("node:http").createServer((_, to) => to.setHeader("content-type", "application/json").end(${JSON.stringify(answer)}))
        .listen(0, "127.0.0.1", function () { console.log(this.address().port); })`,
    ]);
    try {
      const [port] = (await once(server.stdout, "data")) as [Buffer];
      const env = { ...cli.env, FUNCTEZ_SANDBOX_URL: `http://127.0.0.1:${port.toString().trim()}` };
      expect(complete("sandbox restore ", env)).toEqual([]);
      expect(existsSync(join(folder, "ran"))).toBe(false);
    } finally {
      server.kill();
    }
  });

  it("nor run by the script, whatever the program says", () => {
    const bin = join(cli.configHome, "other");
    mkdirSync(bin);
    writeFileSync(join(bin, "functez"), "#!/bin/sh\nprintf '%s\\n' '$(touch ran)' '`touch ran`' '*'\n", {
      mode: 0o755,
    });
    const env = { ...cli.env, PATH: `${bin}${delimiter}${cli.env["PATH"]}` };
    expect(complete("account delete ", env)).toEqual(["$(touch ran)", "`touch ran`", "*"]);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});

describe("bash", () => {
  it.each(ROWS)("completes `functez %s`", (line, found) => {
    expect(linesOf("bash", "--norc", "-c", bashOffers(line))).toEqual(found);
  });

  it("is registered, and offers programs after exec", () => {
    const program = `
      . '${script["bash"]}'
      complete -p functez
      COMP_WORDS=(functez exec -- slee); COMP_CWORD=3; _functez; echo "\${COMPREPLY[@]}"`;
    const lines = linesOf("bash", "--norc", "-c", program);
    expect(lines).toContain("complete -F _functez functez");
    expect(lines.some((one) => one.includes("sleep"))).toBe(true);
  });
});

describe.runIf(isInstalled("fish"))("fish", () => {
  it.each(ROWS)("completes `functez %s`", (line, found) => {
    const lines = linesOf("fish", "-c", `source '${script["fish"]}'; complete -C 'functez ${line}'`);
    expect(lines.map((one) => one.split("\t")[0])).toEqual(found);
  });

  it("describes its suggestions", () => {
    const program = `source '${script["fish"]}'; complete -C 'functez kv g'`;
    expect(linesOf("fish", "-c", program)).toEqual(["get\tshow the value of a key"]);
  });
});

describe.runIf(isInstalled("zsh"))("zsh", () => {
  it.each([
    ["br", "idge "],
    ["bridge fa-w", "ithdraw "],
    ["sandbox --engine unix:///x start --det", "ach "],
    ["account ls --lo", "ng "],
    ["completions --shell z", "sh "],
    ["deploy sand", "box.json "],
    ["exec -- ls sand", "box.json "],
    ["exec -- mktem", "p "],
  ])("completes `functez %s`", async (line, completion) => {
    const shell = onTerminal(["zsh", "-f"], { env: cli.env, cwd: folder });
    try {
      const setUp = `PS1=; autoload -U compinit; compinit -u -D; source '${script["zsh"]}'; print ready-$((1 + 1))`;
      shell.type(`${setUp}\n`);
      await shell.shows(/ready-2/);
      // The line after the completion, run by a function that prints its arguments.
      shell.type('functez() { print -r -- "<$*>" }\n');
      shell.type(`functez ${line}\t\n`);
      await shell.shows(/<[^$]*>/);
      expect(/<([^$>]*)>/.exec(shell.output())?.[1]).toBe(`${line}${completion}`.trim());
    } finally {
      shell.end();
    }
  });
});
