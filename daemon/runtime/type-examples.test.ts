// The examples in the documentation of the types, which editors show when the mouse rests on a name: each compiles and runs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { transformSync } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Signer, startNode, type StartedNode } from "./test-node.ts";

const TYPES = resolve(import.meta.dirname, "../../types/runtime.d.ts");
const text = readFileSync(TYPES, "utf8");

/** Examples by the declaration below them. */
const examples = [...text.matchAll(/```ts\n([^]*?)```[^]*?\*\/\s*([^\n{(<]*)/g)].map(
  ([, code = "", name = ""]) => ({ name: name.trim(), code: code.replaceAll(/^ *\* ?/gm, "") }),
);

let node: StartedNode;
let folder: string;
beforeAll(async () => {
  node = await startNode();
  folder = mkdtempSync(join(tmpdir(), "functez-examples-"));
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await node.stop();
});

it("has an example for each global and each of its main functions", () => {
  const names = examples.map(({ name }) => name.replace("declare const ", "").replace(/:$/, ""));
  expect(names).toEqual([
    ...["Kv", "get", "set", "delete", "contains", "Ledger", "transfer", "SmartFunction"],
    ...["interface RequestConstructorWithTransfer", "interface ResponseConstructorWithTransfer"],
  ]);
});

it("has examples that compile, with the types that they document", () => {
  const files = examples.map(({ code }, i) => {
    const file = join(folder, `example${i}.ts`);
    writeFileSync(file, code);
    return file;
  });
  const program = ts.createProgram([TYPES, ...files], {
    ...{ strict: true, noEmit: true, skipLibCheck: false, skipDefaultLibCheck: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  expect(problems).toEqual([]);
});

it.each(examples)("runs the example of $name", async ({ code }) => {
  const signer = new Signer(node.client);
  const address = await signer.deploy(transformSync(code, { loader: "ts" }).code);
  const answer = await signer.run(`jstz://${address}/`);
  expect([answer.statusCode, answer.body]).toEqual([
    expect.toSatisfy((status: number) => status < 300),
    answer.body,
  ]);
});
