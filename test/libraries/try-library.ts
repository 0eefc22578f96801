// Tries a package: the same program in Node, and as a smart function in a sandbox.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { isError, reasonOf } from "../../daemon/protocol/errors.ts";
import type { Sandbox } from "../../testing/testing.ts";
import type { LibraryCase } from "./cases.ts";

const exec = promisify(execFile);

export interface Answer {
  readonly value?: unknown;
  /** Why there is no value. */
  readonly failure?: string;
}

/** @param folder a folder from which the package is found */
export async function inNode(folder: string, { package: name, imports, run }: LibraryCase): Promise<Answer> {
  const file = join(folder, `${fileName(name)}-node.mjs`);
  const contents = `${imports}\nconst value = await (async () => { ${run} })();\nconsole.log(JSON.stringify(value));`;
  await build({
    stdin: { contents, resolveDir: folder, loader: "js" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: file,
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "silent",
  });
  const { stdout } = await exec(process.execPath, [file], { env: { ...process.env, TZ: "UTC" } });
  return { value: JSON.parse(stdout) };
}

const GAS_LIMIT = 240_000_000;

/** Deploys and calls it twice: the second call must not depend on the first. */
export async function inSandbox(
  sandbox: Sandbox,
  folder: string,
  name: string,
  program: string,
): Promise<Answer> {
  const file = join(folder, `${fileName(name)}-function.js`);
  writeFileSync(file, program);
  const from = await sandbox.createAccount();
  try {
    const deployed = await sandbox.deploy(file, { from });
    const answers: string[] = [];
    for (let call = 0; call < 2; call++) {
      const response = await deployed.call("/", { from, gasLimit: GAS_LIMIT });
      const text = await response.text();
      if (response.status !== 200) return { failure: text };
      answers.push(text);
    }
    if (answers[0] !== answers[1]) return { failure: `two calls differ: ${answers.join(" and ")}` };
    return { value: JSON.parse(answers[0]!) };
  } catch (error) {
    if (isError(error, "INTERNAL")) throw error;
    return { failure: reasonOf(error) };
  }
}

const fileName = (name: string): string => name.replaceAll(/\W+/g, "-").replace(/^-|-$/g, "");
