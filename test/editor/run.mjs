// The editor suite: packs the VSIX, runs the in-host tests and the walk through the user interface.
// `node test/editor/run.mjs [report.json]`; without an editor or a browser it says why it was skipped.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { freePort, missing, packVsix, ROOT, startEditor } from "./rig.mjs";
import { walk } from "./walk.mjs";

const reportFile = process.argv[2] ?? join(ROOT, ".cache/report-editor.json");
const finish = (passed, failed, skipped) => {
  writeFileSync(reportFile, JSON.stringify({ passed, failed, skipped }));
  process.exit(failed > 0 ? 1 : 0);
};

const reason = missing();
if (reason) {
  process.stdout.write(`editor suite skipped: ${reason}\n`);
  finish(0, 0, 1);
}

const vsix = packVsix(join(ROOT, "out/functez.vsix"));
mkdirSync(join(ROOT, ".cache/editor-suite"), { recursive: true });
await build({
  entryPoints: [join(ROOT, "test/editor/suite.ts")],
  outfile: join(ROOT, ".cache/editor-suite/index.cjs"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  logLevel: "warning",
});
writeFileSync(
  join(ROOT, ".cache/editor-suite/package.json"),
  JSON.stringify({
    name: "stub",
    publisher: "test",
    version: "0.0.1",
    engines: { vscode: "^1.100.0" },
    type: "commonjs",
  }),
);

const settings = async () => ({
  "functez.sandbox.serverPort": await freePort(),
  "functez.sandbox.layer1Port": 0,
  "functez.sandbox.runtimePort": 0,
});

const only = process.env.FUNCTEZ_EDITOR_ONLY; // host or walk, for quick loops
const outcomes = [
  ...(only === "walk" ? [] : await inHost()),
  ...(only === "host" ? [] : await userInterface()),
];
for (const { title, passed, ms, message } of outcomes) {
  process.stdout.write(`${passed ? "  ✓" : "  ✗"} ${title} (${ms} ms)\n${message ? `${message}\n` : ""}`);
}
finish(outcomes.filter(({ passed }) => passed).length, outcomes.filter(({ passed }) => !passed).length, 0);

async function inHost() {
  const hostReport = join(ROOT, ".cache/editor-host.json");
  writeFileSync(hostReport, "");
  const editor = await startEditor({
    vsix,
    settings: await settings(),
    env: { FUNCTEZ_TEST_REPORT: hostReport },
  });
  try {
    const page = await editor.browser.newPage();
    const exit = new Promise((done) => page.exposeFunction("codeAutomationExit", done));
    await page.exposeFunction("codeAutomationLog", () => undefined);
    await page.goto(
      editor.url([
        ["extensionDevelopmentPath", editor.remoteUri(join(ROOT, ".cache/editor-suite"))],
        ["extensionTestsPath", editor.remoteUri(join(ROOT, ".cache/editor-suite/index.cjs"))],
        ["skipWelcome", "true"],
      ]),
    );
    const code = await Promise.race([
      exit,
      new Promise((done) => setTimeout(done, 300_000, "no end within 300 s")),
    ]);
    const text = readFileSync(hostReport, "utf8");
    if (text === "") {
      await page.screenshot({ path: join(ROOT, ".cache/editor-host.png") });
      return [
        {
          title: "the in-host suite runs",
          passed: false,
          ms: 0,
          message: `exit ${code}, no report; see .cache/editor-host.png`,
        },
      ];
    }
    const { outcomes: all, startMs } = JSON.parse(text);
    process.stdout.write(`start command to running tree: ${Math.round(startMs)} ms\n`);
    return all;
  } finally {
    await editor.dispose();
  }
}

async function userInterface() {
  const started = Date.now();
  const editor = await startEditor({ vsix, settings: await settings() });
  const pictures = process.env.FUNCTEZ_PICTURES ?? join(ROOT, ".cache/pictures");
  mkdirSync(pictures, { recursive: true });
  try {
    await walk(editor, pictures);
    return [{ title: "a walk through the user interface", passed: true, ms: Date.now() - started }];
  } catch (error) {
    const [page] = editor.browser.pages().slice(-1);
    await page?.screenshot({ path: join(pictures, "failed.png") }).catch(() => undefined);
    return [
      {
        title: "a walk through the user interface",
        passed: false,
        ms: Date.now() - started,
        message: error.stack,
      },
    ];
  } finally {
    await editor.dispose();
    if (existsSync(editor.root)) process.stdout.write(`left behind: ${editor.root}\n`);
  }
}
