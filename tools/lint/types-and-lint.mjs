// Types and lint rules of the whole repository in one process, because most of the time of either is the same work: finding
// the types of all expressions. `node tools/lint/types-and-lint.mjs types lint`, or one of them. The exit code is 10 when
// types are wrong, 20 when a rule is broken, 30 when both are.
import { resolve } from "node:path";
import { ESLint } from "eslint";
import ts from "typescript";
import { TYPED_FILES } from "../../eslint.config.js";

const ROOT = resolve(import.meta.dirname, "../..");
/** Not 1, with which a process ends that throws. */
const [TYPES_FAILED, LINT_FAILED] = [10, 20];
const wanted = new Set(process.argv.slice(2));

const host = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ROOT,
  getNewLine: () => "\n",
};
const onUnRecoverableConfigFileDiagnostic = (problem) => {
  throw new Error(ts.formatDiagnostic(problem, host));
};
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
  resolve(ROOT, "tsconfig.json"),
  undefined,
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
);
const program = ts.createProgram(fileNames, options);

let failed = 0;
if (wanted.has("types")) {
  const problems = [...errors, ...ts.getPreEmitDiagnostics(program)];
  process.stdout.write(ts.formatDiagnostics(problems, host));
  if (problems.length > 0) failed += TYPES_FAILED;
}
if (wanted.has("lint")) {
  const overrideConfig = {
    ...TYPED_FILES,
    languageOptions: { parserOptions: { programs: [program] } },
  };
  const eslint = new ESLint({ cwd: ROOT, overrideConfig });
  const results = await eslint.lintFiles(["."]);
  const formatter = await eslint.loadFormatter("stylish");
  process.stdout.write(await formatter.format(results));
  if (results.some(({ errorCount }) => errorCount > 0)) failed += LINT_FAILED;
}
process.exitCode = failed;
