// The plugin in a real TypeScript server, asked as the editor asks.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TYPESCRIPT_PLUGIN, typescriptPlugin } from "../../tools/typescript-plugin.mjs";
import { isSmartFunction } from "./plugin.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FUNCTION = `export default (request: Request): Response => {
  Kv.set("visits", (Kv.get<number>("visits") ?? 0) + 1);
  return Response.json(Ledger.selfAddress, { status: Missing });
};
`;

let folder: string;
let server: ChildProcessByStdio<Writable, Readable, null>;
let send: Send;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "functez-plugin-"));
  const extension = join(folder, "extension");
  mkdirSync(join(extension, "types"), { recursive: true });
  cpSync(join(ROOT, "types/runtime.d.ts"), join(extension, "types/runtime.d.ts"));
  await build(typescriptPlugin(join(extension, "node_modules", TYPESCRIPT_PLUGIN)));
  const args = [
    join(ROOT, "node_modules/typescript/lib/tsserver.js"),
    ...["--globalPlugins", TYPESCRIPT_PLUGIN, "--pluginProbeLocations", extension],
    ...["--disableAutomaticTypingAcquisition", "--allowLocalPluginLoads"],
  ];
  server = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  send = sender(server);
});
afterAll(async () => {
  const ended = once(server, "exit");
  server.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

interface Message {
  readonly request_seq?: number;
  readonly body?: readonly { readonly text: string; readonly code: number }[];
}

type Send = (command: string, body: object) => Promise<Message["body"]>;

/** Talks to a server with the plugin. */
function sender({ stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>): Send {
  const answers = new Map<number, (body: Message["body"]) => void>();
  createInterface({ input: stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const { request_seq: seq, body } = JSON.parse(line) as Message;
    if (seq !== undefined) answers.get(seq)?.(body);
  });
  let seq = 0;
  return (command, body) =>
    new Promise((resolved) => {
      answers.set(++seq, resolved);
      stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: body })}\n`);
    });
}

/** Opens files, and closes them afterwards. @returns the names that each of them misses, by file */
async function missingNames(files: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  for (const [file, fileContent] of Object.entries(files)) void send("open", { file, fileContent });
  const found: Record<string, string[]> = {};
  for (const file of Object.keys(files)) {
    const diagnostics = (await send("semanticDiagnosticsSync", { file })) ?? [];
    found[file] = diagnostics.map(({ text }) => /'(\w+)'/.exec(text)?.[1] ?? text);
  }
  for (const file of Object.keys(files)) void send("close", { file });
  return found;
}

it("declares the globals for a function without any project, also one without a file", async () => {
  const alone = join(folder, "alone/handler.ts");
  const untitled = "^/untitled/ts-nul-authority/Untitled-1.ts";
  expect(await missingNames({ [alone]: FUNCTION, [untitled]: FUNCTION })).toEqual({
    [alone]: ["Missing"],
    [untitled]: ["Missing"],
  });
});

it("declares them in a project once a function of it is open, and not otherwise", async () => {
  const project = join(folder, "project");
  mkdirSync(project);
  const config = { compilerOptions: { target: "es2022", lib: ["es2023", "dom"], types: [] } };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  const other = join(project, "other.ts");
  const handler = join(project, "handler.ts");
  writeFileSync(other, "export const n = Kv;\n");
  writeFileSync(handler, FUNCTION);
  expect(await missingNames({ [other]: "export const n = Kv;\n" })).toEqual({ [other]: ["Kv"] });
  expect(await missingNames({ [other]: "export const n = Kv;\n", [handler]: FUNCTION })).toEqual({
    [other]: [],
    [handler]: ["Missing"],
  });
});

it("leaves a project alone that has the types itself", async () => {
  const project = join(folder, "own");
  mkdirSync(project);
  writeFileSync(join(project, "tsconfig.json"), "{}");
  const own = "declare const Kv: { mine(): void };\ndeclare const Ledger: { selfAddress: string };\n";
  writeFileSync(join(project, "functez.d.ts"), own);
  const handler = join(project, "handler.ts");
  const calling = `${FUNCTION}SmartFunction;\n`; // its types do not know it, ours do
  writeFileSync(handler, calling);
  const found = await missingNames({ [handler]: calling });
  expect(found[handler]).toEqual(expect.arrayContaining(["set", "get", "Missing", "SmartFunction"]));
});

it.each([
  ["export default () => Kv.get('a');", true],
  ["const h = () => Ledger . balance('a');\nexport { h as default };", true],
  ["export default () => new Response();", false],
  ["Kv.get('a');", false],
  ["", false],
])("knows a smart function by its text: %j", (text, is) => {
  expect(isSmartFunction(text)).toBe(is);
});
