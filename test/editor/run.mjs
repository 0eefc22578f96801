// The editor suite: packs the VSIX, runs the in-host tests and the walk through the user interface. `node
// test/editor/run.mjs [report.json]`; without an editor or a browser it reports why it was skipped. Parts have editors of
// their own and mostly wait, so three lanes run at a time.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineMissing, removeContainer, removeImages } from "./container-engine.mjs";
import { bundleSuite, REPORT_VARIABLE, runInHost } from "./in-host.mjs";
import { hostsOf, kills, processesOf } from "./kills.mjs";
import { packageOutcomes } from "./package.mjs";
import {
  freePort,
  installVsix,
  isAlive,
  isFree,
  LIMIT_MS,
  missing,
  packVsix,
  ROOT,
  startEditor,
  until,
} from "./rig.mjs";
import { walk } from "./walk.mjs";
import { twoWindows } from "./windows.mjs";

const reportFile = process.argv[2] ?? join(ROOT, ".cache/report-editor.json");
const finish = (passed, failures, skipped) => {
  writeFileSync(reportFile, JSON.stringify({ passed, failed: failures.length, skipped, failures }));
  process.exit(failures.length > 0 ? 1 : 0);
};

/** Seconds. On a slow machine, beside other suites, the editor needs longer than the default for a new extension host. */
const PATIENT_GRACE = 300;

const reason = missing();
if (reason) {
  process.stdout.write(`editor suite skipped: ${reason}\n`);
  finish(0, [], 1);
}

const vsix = await packVsix(join(ROOT, "out/functez.vsix"));
const extensions = await installVsix(vsix);
const settings = async () => ({
  "functez.sandbox.serverPort": await freePort(),
  "functez.sandbox.layer1Port": 0,
  "functez.sandbox.runtimePort": 0,
});

const only = process.env.FUNCTEZ_EDITOR_ONLY; // a part, for quick loops
let skipped = 0;
const isWanted = (part) => only === undefined || only === part;
const outcomes = [];
/** The longest first. */
const parts = [
  ["host", withContainers],
  ["walk", userInterface],
  ["debugging", () => inHost("debugging")],
  ["kills", killedHosts],
  ["windows", windows],
  ["package", () => packageOutcomes(vsix)],
].filter(([name]) => isWanted(name));
async function lane() {
  for (let part = parts.shift(); part; part = parts.shift()) {
    const [name, run] = part;
    const started = performance.now();
    outcomes.push(...(await run()));
    process.stdout.write(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
}
await Promise.all([lane(), lane(), lane()]);
rmSync(extensions, { recursive: true });
for (const { title, passed, ms, message } of outcomes) {
  process.stdout.write(`${passed ? "  ✓" : "  ✗"} ${title} (${ms} ms)\n${message ? `${message}\n` : ""}`);
}
finish(
  outcomes.filter(({ passed }) => passed).length,
  outcomes.filter(({ passed }) => !passed).map(({ title, message = "" }) => ({ title, message })),
  skipped,
);

/** The suite with containers, where an engine answers. */
async function withContainers() {
  const noEngine = engineMissing();
  if (noEngine !== undefined) {
    process.stdout.write(`container tests of the editor suite skipped: ${noEngine}\n`);
    skipped++;
    return inHost("main");
  }
  removeImages();
  try {
    return await inHost("main", { FUNCTEZ_TEST_CONTAINER: "1" });
  } finally {
    removeContainer();
  }
}

/** A suite of test/editor/suite. */
async function inHost(suite, env = {}) {
  const report = join(ROOT, `.cache/editor-${suite}.json`);
  const editor = await startEditor({
    extensions,
    suites: true,
    settings: await settings(),
    env: { [REPORT_VARIABLE]: report, ...env },
  });
  const started = Date.now();
  try {
    const { outcomes, next } = await runInHost(editor, await bundleSuite(suite), report);
    if (next === undefined) return outcomes;
    const message = `the host ended in "${next}"`;
    return [...outcomes, { title: `the suite ${suite} ends`, passed: false, ms: 0, message }];
  } catch (error) {
    const ms = Date.now() - started;
    return [{ title: `the suite ${suite} runs`, passed: false, ms, message: error.stack }];
  } finally {
    await editor.dispose();
    for (const { pid } of processesOf(editor)) process.kill(pid, "SIGKILL");
  }
}

async function windows() {
  const title = "two windows share a sandbox, and the last one ends it";
  const graceSeconds = 2;
  return inEditor(title, { "functez.sandbox.reloadGrace": graceSeconds }, async (editor, pictures) => {
    const started = Date.now();
    Object.assign(editor, {
      async untilGone(pid) {
        if (!(await until(() => !isAlive(pid), LIMIT_MS))) throw new Error(`process ${pid} still runs`);
      },
      /** The sandbox outlives the window that has been closed, by twice the grace. */
      async outlives(pid) {
        if (!(await until(() => hostsOf(editor).length === 1, LIMIT_MS)))
          throw new Error("the closed window keeps its extension host");
        if (await until(() => !isAlive(pid), 2 * 1000 * graceSeconds)) throw new Error("the sandbox ended");
      },
    });
    await twoWindows(editor, pictures);
    return [{ title, passed: true, ms: Date.now() - started }];
  });
}

async function killedHosts() {
  const title = "a killed or frozen extension host loses nothing";
  const graceSeconds = 4;
  return inEditor(title, { "functez.sandbox.reloadGrace": PATIENT_GRACE }, async (editor) => {
    const started = Date.now();
    await kills(editor, graceSeconds);
    const ms = Date.now() - started;
    await editor.dispose();
    const gone = await until(() => processesOf(editor).length === 0, LIMIT_MS);
    const free = await isFree(editor.sandboxPort);
    return [
      { title, passed: true, ms },
      {
        title: "and leaves no process and no port after the grace",
        passed: gone && free,
        ms: Date.now() - started - ms,
        ...(gone && free ? {} : { message: JSON.stringify(processesOf(editor)) }),
      },
    ];
  });
}

async function userInterface() {
  const title = "a walk through the user interface";
  return inEditor(title, { "functez.sandbox.reloadGrace": PATIENT_GRACE }, async (editor, pictures) => {
    const started = Date.now();
    const pid = await walk(editor, pictures);
    const ms = Date.now() - started;
    await editor.dispose();
    const gone = await until(() => !isAlive(pid), LIMIT_MS);
    return [
      { title, passed: true, ms },
      {
        title: "closing the editor leaves no sandbox behind",
        passed: gone,
        ms: Date.now() - started - ms,
        ...(gone ? {} : { message: `process ${pid} still runs` }),
      },
    ];
  });
}

/** The latest lines of sandboxd's log, which it sends at once to new readers. */
async function sandboxLog(port) {
  const response = await fetch(`http://127.0.0.1:${port}/logs`, { signal: AbortSignal.timeout(2000) });
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
  } catch {
    // the stream never ends: use what arrived in time
  }
  return text;
}

/** An editor for a script that drives its user interface; on failure, prints what helps to find the cause. */
async function inEditor(title, more, script) {
  const started = Date.now();
  const own = { ...(await settings()), ...more };
  const editor = await startEditor({ extensions, settings: own });
  const port = own["functez.sandbox.serverPort"];
  const health = () => fetch(`http://127.0.0.1:${port}/health`).then((answer) => answer.json());
  editor.sandboxPort = port;
  editor.sandboxPid = async () => (await health()).pid;
  const pictures = process.env.FUNCTEZ_PICTURES ?? join(ROOT, ".cache/pictures");
  mkdirSync(pictures, { recursive: true });
  try {
    return await script(editor, pictures);
  } catch (error) {
    for (const file of editor.logs()) {
      if (file.endsWith(".log")) process.stdout.write(`${file}:\n${readFileSync(file, "utf8")}\n`);
    }
    const log = await sandboxLog(port).catch((reason) => String(reason.cause ?? reason));
    process.stdout.write(`log of the sandbox that runs now:\n${log}\n`);
    const found = await health().catch((reason) => String(reason.cause ?? reason));
    process.stdout.write(`health of the sandbox: ${JSON.stringify(found)}\n`);
    const pages = editor.pages();
    for (const [index, page] of pages.entries())
      await page.screenshot({ path: join(pictures, `failed-${index}.png`) }).catch(() => undefined);
    return [
      {
        title: title,
        passed: false,
        ms: Date.now() - started,
        message: error.stack,
      },
    ];
  } finally {
    await editor.dispose();
    for (const { pid } of processesOf(editor)) process.kill(pid, "SIGKILL"); // remaining only after a failure
    if (existsSync(editor.root)) process.stdout.write(`left behind: ${editor.root}\n`);
  }
}
