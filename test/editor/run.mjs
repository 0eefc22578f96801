// The editor suite: packs the VSIX, runs the in-host tests and the walk through the user interface.
// `node test/editor/run.mjs [report.json]`; without an editor or a browser it says why it was skipped.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineMissing, removeContainer, removeImages } from "./container-engine.mjs";
import { bundleSuite, REPORT_VARIABLE, runInHost } from "./in-host.mjs";
import { packageOutcomes } from "./package.mjs";
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
const settings = async () => ({
  "functez.sandbox.serverPort": await freePort(),
  "functez.sandbox.layer1Port": 0,
  "functez.sandbox.runtimePort": 0,
});

const only = process.env.FUNCTEZ_EDITOR_ONLY; // package, host or walk, for quick loops
let skipped = 0;
const wanted = (part) => only === undefined || only === part;
const outcomes = [
  ...(wanted("package") ? packageOutcomes(vsix) : []),
  ...(wanted("host") ? await inHost() : []),
  ...(wanted("walk") ? await userInterface() : []),
];
for (const { title, passed, ms, message } of outcomes) {
  process.stdout.write(`${passed ? "  ✓" : "  ✗"} ${title} (${ms} ms)\n${message ? `${message}\n` : ""}`);
}
finish(
  outcomes.filter(({ passed }) => passed).length,
  outcomes.filter(({ passed }) => !passed).length,
  skipped,
);

async function inHost() {
  const report = join(ROOT, ".cache/editor-host.json");
  const noEngine = engineMissing();
  if (noEngine !== undefined) {
    process.stdout.write(`container tests of the editor suite skipped: ${noEngine}\n`);
    skipped++;
  } else removeImages();
  const editor = await startEditor({
    vsix,
    settings: await settings(),
    env: { [REPORT_VARIABLE]: report, ...(noEngine ? {} : { FUNCTEZ_TEST_CONTAINER: "1" }) },
  });
  const started = Date.now();
  try {
    return (await runInHost(editor, await bundleSuite("main"), report)).outcomes;
  } catch (error) {
    const ms = Date.now() - started;
    return [{ title: "the in-host suite runs", passed: false, ms, message: error.stack }];
  } finally {
    await editor.dispose();
    if (noEngine === undefined) removeContainer();
  }
}

async function userInterface() {
  const started = Date.now();
  // A loaded machine may take longer over a reload than the usual grace.
  const own = { ...(await settings()), "functez.sandbox.reloadGrace": 25 };
  const editor = await startEditor({ vsix, settings: own });
  editor.sandboxPort = own["functez.sandbox.serverPort"];
  const pictures = process.env.FUNCTEZ_PICTURES ?? join(ROOT, ".cache/pictures");
  mkdirSync(pictures, { recursive: true });
  const outcome = (title, message) => ({
    title,
    passed: message === undefined,
    ms: Date.now() - started,
    message,
  });
  try {
    const pid = await walk(editor, pictures);
    await editor.dispose();
    const gone = await until(() => !isAlive(pid), 40_000);
    return [
      outcome("a walk through the user interface"),
      outcome("closing the editor leaves no sandbox behind", gone ? undefined : `process ${pid} still runs`),
    ];
  } catch (error) {
    for (const file of editor.extensionLogs()) {
      if (file.endsWith(".log")) process.stdout.write(`${file}:\n${readFileSync(file, "utf8")}\n`);
    }
    const health = await fetch(`http://127.0.0.1:${editor.sandboxPort}/health`).then(
      (answer) => answer.text(),
      (reason) => String(reason.cause ?? reason),
    );
    process.stdout.write(`health of the sandbox: ${health}\n`);
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

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition, limitMs) {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) return false;
    await new Promise((done) => setTimeout(done, 100));
  }
  return true;
}
