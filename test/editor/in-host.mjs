// Runs tests inside the extension host of a workbench page: bundles a file of test/editor/suite, opens a page that
// loads it, and returns the report it wrote.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT, until } from "./rig.mjs";

const FOLDER = join(ROOT, ".cache/editor-suite");

/** Environment variable with which the editor's server passes on the path of a suite's report. */
export const REPORT_VARIABLE = "FUNCTEZ_TEST_REPORT";

/**
 * Bundles `test/editor/suite/<name>.ts` into a folder with the empty extension that the editor uses as the one in
 * development, so that the extension under test is the installed one.
 * @returns path of the bundle
 */
export async function bundleSuite(name) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(
    join(FOLDER, "package.json"),
    JSON.stringify({
      name: "stub",
      publisher: "test",
      version: "0.0.1",
      engines: { vscode: "^1.100.0" },
      type: "commonjs",
    }),
  );
  const outfile = join(FOLDER, `${name}.cjs`);
  await build({
    entryPoints: [join(ROOT, `test/editor/suite/${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    mainFields: ["module", "main"],
    external: ["vscode"],
    logLevel: "warning",
  });
  return outfile;
}

/**
 * Runs a bundled suite in a new page of an editor that was started with REPORT_VARIABLE in its environment.
 * @param limitMs how long the suite may leave its report as it is; longer than its longest test
 * @returns the report; @throws Error when the suite wrote none
 */
export async function runInHost(editor, suite, report, limitMs = 300_000) {
  rmSync(report, { force: true });
  const page = await editor.browser.newPage();
  try {
    const exit = new Promise((done) => page.exposeFunction("codeAutomationExit", done));
    await page.exposeFunction("codeAutomationLog", () => undefined);
    await page.goto(
      editor.url([
        ["extensionDevelopmentPath", editor.remoteUri(FOLDER)],
        ["extensionTestsPath", editor.remoteUri(suite)],
        ["skipWelcome", "true"],
      ]),
    );
    let code;
    void exit.then((found) => (code = found));
    const started = Date.now();
    const lastChange = () => (existsSync(report) ? statSync(report).mtimeMs : started);
    await until(() => code !== undefined || Date.now() - lastChange() > limitMs, Infinity);
    code ??= `nothing new within ${limitMs} ms`;
    if (!existsSync(report)) {
      const picture = report.replace(/\.json$/, ".png");
      await page.screenshot({ path: picture });
      throw new Error(`the suite wrote no report (exit ${code}); see ${picture}`);
    }
    return JSON.parse(readFileSync(report, "utf8"));
  } finally {
    await page.close();
  }
}
