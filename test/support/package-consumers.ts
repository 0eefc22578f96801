// Programs and test suites that use the packed package: one for each way of loading the test kit.

import { LONG } from "./long-run.ts";

/** Each makes a deposit, a deploy of TypeScript, and a call. */
const USE = `const sandbox = await startSandbox();
  try {
    const alice = await sandbox.createAccount({ tez: "2" });
    const hello = await sandbox.deploy(file, { from: alice, tez: "1" });
    const answer = await hello.call("/x", { from: alice });
    result = [await answer.text(), String(await alice.balance())].join(" ");
  } finally {
    await sandbox.stop();
  }`;
const FUNCTION = `import { greet } from "./greet";
export default (request: Request): Response => new Response(greet(new URL(request.url).pathname));
`;
const GREET = "export const greet = (name: string): string => `hello ${name}`;\n";
/** The expected result. */
const RESULT = "hello /x 1000000";

const commonJs = (test: string): string =>
  `const { startSandbox } = require("functez/testing");
const file = require("node:path").join(__dirname, "function.ts");
${test}`;
const module = (test: string): string =>
  `import { startSandbox } from "functez/testing";
import { fileURLToPath } from "node:url";
const file = fileURLToPath(new URL("./function.ts", import.meta.url));
${test}`;
const program = `let result;
(async () => {
  ${USE}
  console.log(result);
})();
`;
const suite = (imports: string, check: string): string => `${imports}
test("the kit", async () => {
  let result;
  ${USE}
  ${check}
}, 60000);
`;
const assertion = `if (result !== ${JSON.stringify(RESULT)}) throw new Error(result);`;
const mochaSuite = `it("the kit", async function () {
  this.timeout(60000);
  let result;
  ${USE}
  ${assertion}
});
`;

export interface Consumer {
  /** The module type in its package.json. */
  readonly type: "commonjs" | "module";
  readonly files: Readonly<Record<string, string>>;
  /** Program in node_modules/.bin, or node, and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Expected output after success. */
  readonly shows: RegExp;
}

const consumer = (
  type: Consumer["type"],
  files: Readonly<Record<string, string>>,
  command: Consumer["command"],
  shows: RegExp,
): Consumer => ({ type, files: { "function.ts": FUNCTION, "greet.ts": GREET, ...files }, command, shows });

/** By description. */
export const CONSUMERS: Readonly<Record<string, Consumer>> = {
  "a CommonJS program": consumer(
    "commonjs",
    { "use.js": commonJs(program) },
    ["node", "use.js"],
    new RegExp(`^${RESULT}\n$`),
  ),
  "a module": consumer(
    "module",
    { "use.js": module(program) },
    ["node", "use.js"],
    new RegExp(`^${RESULT}\n$`),
  ),
  "Jest as it comes": consumer(
    "commonjs",
    { "use.test.js": commonJs(suite("", `expect(result).toBe(${JSON.stringify(RESULT)});`)) },
    ["jest", "--ci", "--watchman=false"],
    /Tests: +1 passed/,
  ),
  Vitest: consumer(
    "module",
    {
      "use.test.js": module(
        suite('import { expect, test } from "vitest";', `expect(result).toBe(${JSON.stringify(RESULT)});`),
      ),
      "vitest.config.js": "export default {};\n",
    },
    ["vitest", "run", "--root", "."],
    /1 passed/,
  ),
  "mocha, with require": consumer(
    "commonjs",
    { "use.test.js": commonJs(mochaSuite) },
    ["mocha", "--exit", "use.test.js"],
    /1 passing/,
  ),
  "mocha, with import": consumer(
    "module",
    { "use.test.js": module(mochaSuite) },
    ["mocha", "use.test.js"],
    /1 passing/,
  ),
  "node:test, with require": consumer(
    "commonjs",
    {
      "use.test.js": `const { test } = require("node:test");\n${commonJs(suite("", assertion).replace(", 60000", ""))}`,
    },
    ["node", "--test", "use.test.js"],
    /# pass 1/,
  ),
  "node:test, with import": consumer(
    "module",
    { "use.test.js": module(suite('import { test } from "node:test";', assertion).replace(", 60000", "")) },
    ["node", "--test", "use.test.js"],
    /# pass 1/,
  ),
};

/** A source that TypeScript checks; the expected error is only found with the types. */
export const TYPED_SOURCE = `import { SandboxError, startSandbox, type Sandbox } from "functez/testing";
export async function use(): Promise<bigint> {
  const sandbox: Sandbox = await startSandbox();
  const alice = await sandbox.createAccount({ tez: "2" });
  // @ts-expect-error amounts are texts
  await sandbox.createAccount({ tez: 2 });
  const failure: unknown = undefined;
  if (failure instanceof SandboxError) console.log(failure.code);
  return alice.balance();
}
export const count: number = Kv.get<number>("count") ?? 0;
`;

/** TypeScript settings with which the package has its types. `nodenext` resolves as `node16` does: only the long run has it. */
export const TYPESCRIPT_SETTINGS = [
  { type: "commonjs", module: "commonjs", moduleResolution: "node10" },
  { type: "commonjs", module: "node16", moduleResolution: "node16" },
  { type: "module", module: "node16", moduleResolution: "node16" },
  { type: "module", module: "esnext", moduleResolution: "bundler" },
  ...(LONG
    ? [
        { type: "commonjs", module: "nodenext", moduleResolution: "nodenext" },
        { type: "module", module: "nodenext", moduleResolution: "nodenext" },
      ]
    : []),
] as const;
