// The programs of docs/tezos.md, unchanged, against a running layer 1.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { ROOT } from "../support/built-cli.ts";
import { type StartedNode, startNode } from "./started-node.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/tezos.md"), "utf8");

let node: StartedNode;
/** Where the packages lie that a program imports: octez.js is installed apart. */
const folderOf = (name: string): string =>
  join(name === "octez.js" ? join(ROOT, "test/clients/apart") : ROOT, ".cache", "documented");
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

it.each([
  ["taquito", "42"],
  ["taquito-fast-blocks", "true"],
  ["octez.js", "applied"],
])("the program with %s prints %s", async (name, printed) => {
  const program = new RegExp(`\`\`\`js ${name}\\n([\\s\\S]*?)\`\`\``).exec(DOCUMENT)![1]!;
  mkdirSync(folderOf(name), { recursive: true });
  const file = join(folderOf(name), `${name}.mjs`);
  writeFileSync(file, program.replaceAll("http://127.0.0.1:18730", node.endpoint));
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout).toBe(`${printed}\n`);
});

it("the keys are those of the accounts", () => {
  for (const { label, address, secretKey } of BOOTSTRAP_ACCOUNTS)
    expect(DOCUMENT).toContain(`| \`${label}\` | \`${address}\` | \`${secretKey}\` |`);
});
