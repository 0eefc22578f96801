// The whole check: `npm test`. Runs each stage, continues after a failure, and ends with `N passed, N failed`. A stage
// without tests of its own (types, lint, format, build) counts as one.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { installClients } from "./clients.mjs";
import { describeFailures, failedTests } from "./failed-tests.mjs";

const only = process.argv.slice(2);
const results = [];
const failures = [];
mkdirSync(".cache", { recursive: true });

/** Runs a command with our output. */
function run(command, args) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
    const end = (status) =>
      resolve({ status: status ?? 1, seconds: ((Date.now() - started) / 1000).toFixed(1) });
    child.on("error", () => end(1));
    child.on("close", end);
  });
}

/**
 * Runs a command and buffers its output, to be shown as a whole.
 * @param priority of its processes, when it is not that of this one
 */
function runQuietly(command, args, priority) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined && priority !== undefined) setPriority(child.pid, priority);
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
    child.on("error", (error) => output.push(`${error}\n`));
    child.on("close", (status) =>
      resolve({
        status: status ?? 1,
        output: Buffer.concat(output.map((chunk) => Buffer.from(chunk))).toString(),
        seconds: ((Date.now() - started) / 1000).toFixed(1),
      }),
    );
  });
}

/** Read-only checks, scripts of package.json: two at a time, with the processor time that the suites leave. */
async function checks(all) {
  const waiting = all.filter(([name]) => isWanted(name));
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, script] = next;
      const { status, output, seconds } = await runQuietly(
        "npm",
        ["run", "--silent", script],
        constants.priority.PRIORITY_LOW,
      );
      process.stdout.write(`\n== ${name}\n${output}`);
      stageEnded(name, status === 0, seconds, output);
    }
  };
  await Promise.all([lane(), lane()]);
}

/** A stage without tests of its own: its last lines say what is wrong. */
function stageEnded(name, hasPassed, seconds, output = "") {
  results.push({ name, passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: 0, seconds });
  if (!hasPassed) failures.push({ suite: name, title: "failed", message: output.slice(-1_000) });
}

/** Suites of what is built. */
const BUILT = ["background", "editor", "system", "container", "alone"];

const isWanted = (name) => only.length === 0 || only.includes(name);

/** With the processor time that others leave: less than theirs, more than that of the checks. */
const inBackground = (command, args) => runQuietly(command, args, constants.priority.PRIORITY_BELOW_NORMAL);

/**
 * A suite of vitest: the projects whose names begin with its name.
 * @param runIt how: with `runQuietly` and `inBackground` its output is shown as a whole
 */
async function suite(name, runIt = run) {
  if (!isWanted(name)) return;
  if (runIt === run) process.stdout.write(`\n== ${name}\n`);
  const report = `.cache/report-${name}.json`;
  rmSync(report, { force: true });
  const projects = ["--project", `${name}*`, "--passWithNoTests"];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const command = ["--no-install", "vitest", "run", ...projects, ...reporters];
  const { status, seconds, output } = await runIt("npx", command);
  if (output !== undefined) process.stdout.write(`\n== ${name}\n${output}`);
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
  const passed = counts?.numPassedTests ?? 0;
  const failed = counts === undefined ? [] : failedTests(counts);
  if (status !== 0 && failed.length === 0)
    failed.push({ title: `ended with code ${status} outside of a test`, message: "" });
  failures.push(...failed.map((test) => ({ suite: name, ...test })));
  results.push({ name, passed, failed: failed.length, skipped: counts?.numPendingTests ?? 0, seconds });
}

const editorInstalled =
  process.env.FUNCTEZ_INSTALL_EDITOR && isWanted("editor")
    ? runQuietly("bash", ["tools/editor/setup.sh"], constants.priority.PRIORITY_BELOW_NORMAL)
    : undefined;

/** The suite in a real editor; its output is buffered, because others run at the same time. */
async function editorSuite() {
  const script = "test/editor/run.mjs";
  if (!isWanted("editor")) return;
  const installed = await editorInstalled;
  if (installed && installed.status !== 0) {
    process.stdout.write(`\n== editor\n${installed.output}`);
    stageEnded("editor", false, installed.seconds, installed.output);
    return;
  }
  const report = ".cache/report-editor.json";
  rmSync(report, { force: true });
  const { status, output, seconds } = await runQuietly(process.execPath, [script, report]);
  process.stdout.write(`\n== editor\n${output}`);
  const counts = existsSync(report)
    ? JSON.parse(readFileSync(report, "utf8"))
    : {
        passed: 0,
        failed: 1,
        skipped: 0,
        failures: [{ title: `ended with code ${status}`, message: output.slice(-1_000) }],
      };
  const failed = status === 0 ? counts.failed : Math.max(counts.failed, 1);
  results.push({ name: "editor", passed: counts.passed, failed, skipped: counts.skipped, seconds });
  failures.push(...counts.failures.map((test) => ({ suite: "editor", ...test })));
}

installClients();
if (isWanted("build")) {
  process.stdout.write("\n== build\n");
  const { status, seconds } = await run(process.execPath, ["esbuild.mjs"]);
  stageEnded("build", status === 0, seconds);
} else if (BUILT.some(isWanted)) {
  const { status, seconds } = await run(process.execPath, ["tools/ensure-built.mjs"]);
  if (status !== 0) stageEnded("build", false, seconds); // the suites of what was built before still run
}
const checked = checks([
  ["lint", "lint:code"],
  ["format", "format:check"],
  ["dead code", "lint:dead"],
  ["arrows", "lint:arrows"],
]);
await suite("unit");
// Nothing may slow down the editor, whose steps a person would see: beside it runs what needs no certain time.
const background = suite("background", inBackground);
await editorSuite();
// They mostly wait: for blocks, processes and grace periods.
await Promise.all([suite("system"), suite("container", runQuietly), background, checked]);
await suite("alone");

process.stdout.write(`\n${describeFailures(failures, process.cwd())}\n`);
let passed = 0;
let failed = 0;
let skipped = 0;
for (const result of results) {
  passed += result.passed;
  failed += result.failed;
  skipped += result.skipped;
  const line = `${result.name.padEnd(9)} ${String(result.passed).padStart(5)} passed ${String(result.failed).padStart(4)} failed ${String(result.skipped).padStart(4)} skipped  ${result.seconds} s`;
  process.stdout.write(`${line}\n`);
}
// In CI the editor suite must have run; other suites that may lack something (the network, a container engine) report
// it themselves.
const editor = results.find(({ name }) => name === "editor");
if (process.env.CI && editor?.skipped) {
  process.stdout.write("the editor suite or a part of it was skipped, which counts as a failure in CI\n");
  failed += editor.skipped;
  skipped -= editor.skipped;
}
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed > 0 ? 1 : 0;
