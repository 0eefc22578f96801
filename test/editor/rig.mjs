// A real VS Code workbench for tests: packs the VSIX, installs it into code-server's editor, drives it with a headless
// browser. Everything lives in one temporary folder and ends with `dispose`.
import { execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

export const ROOT = resolve(import.meta.dirname, "../..");
const TOOLS = join(ROOT, "tools/editor");
const VSCODE = join(TOOLS, "node_modules/code-server/lib/vscode");
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
const require = createRequire(join(TOOLS, "package.json"));

/** Only a hang takes as long: several times what the slowest machine needs beside other suites. */
export const LIMIT_MS = 150_000;
export const LONG = { timeout: LIMIT_MS };

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.tips.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "workbench.enableExperiments": false,
  "workbench.reduceMotion": "on",
  // What opens at its own time takes the focus from the palette, which must wait for the answer of a script.
  "workbench.quickOpen.closeOnFocusLost": false,
  "git.enabled": false,
  // One TypeScript server instead of two, and no installer of types beside it.
  "typescript.tsserver.useSyntaxServer": "never",
  "typescript.disableAutomaticTypeAcquisition": true,
  "editor.cursorBlinking": "solid",
  "remote.autoForwardPorts": false,
  "remote.restoreForwardedPorts": false,
  "files.simpleDialog.enable": true,
  "terminal.integrated.gpuAcceleration": "off",
  "terminal.integrated.enablePersistentSessions": false,
  "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
};

/** Why the suite cannot run here, or undefined when it can. */
export function missing() {
  if (!existsSync(join(VSCODE, "out/server-main.js")))
    return "the editor is not installed: run tools/editor/setup.sh";
  if (!BROWSERS.some((path) => existsSync(path))) return `no browser (${BROWSERS.join(", ")})`;
  return undefined;
}

/** Ports of this range go to connections as they come, so one that is free now may be taken when it is needed. */
const firstShared = () => {
  const range = "/proc/sys/net/ipv4/ip_local_port_range";
  return existsSync(range) ? Number.parseInt(readFileSync(range, "utf8"), 10) : 32_768;
};

/** A port that stays free until its user listens. */
export async function freePort() {
  for (;;) {
    const port = randomInt(10_000, firstShared());
    if (await isFree(port)) return port;
  }
}

/** Packs the extension and returns the VSIX. The output of the packer shows when it fails. */
export async function packVsix(target) {
  const packer = spawn(process.execPath, [join(ROOT, "tools/package-vsix.mjs"), target], { cwd: ROOT });
  const output = [];
  for (const stream of [packer.stdout, packer.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [status] = await once(packer, "close");
  if (status !== 0) throw new Error(`packing the VSIX failed:\n${Buffer.concat(output)}`);
  return target;
}

/** Installs the VSIX into a new folder of extensions, which several editors may use. @returns the folder */
export async function installVsix(vsix) {
  const folder = mkdtempSync(join(tmpdir(), "functez-extensions-"));
  const flags = ["server-data-dir", "user-data-dir"].flatMap((name) => [`--${name}`, join(folder, name)]);
  const extensions = join(folder, "extensions");
  const main = join(VSCODE, "out/server-main.js");
  await promisify(execFile)(
    process.execPath,
    [main, ...flags, "--extensions-dir", extensions, "--install-extension", vsix],
    { env: { ...process.env, HOME: folder, EXTENSIONS_GALLERY: "{}" } },
  );
  return folder;
}

/** A TypeScript module of the tests, for scripts that Node runs directly. @param path from the root */
export async function importTypeScript(path) {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, path)],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Whether nothing listens on a port. */
export function isFree(port) {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => server.close(() => done(true)));
  });
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls ten times a second. @returns false at the deadline */
export async function until(condition, limitMs) {
  const end = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > end) return false;
    await new Promise((done) => setTimeout(done, 100));
  }
  return true;
}

/**
 * Removes a folder into which exiting processes may still write: a terminal's shell saves its history after the editor
 * has exited. `rmSync` with retries lists a folder once, and then always fails on a file created later.
 * @throws {Error} listing what still keeps the folder after 30 s
 */
async function removeFolder(folder) {
  let reason;
  const removed = await until(() => {
    try {
      rmSync(folder, { recursive: true, force: true });
      return true;
    } catch (error) {
      if (error.code !== "ENOTEMPTY") throw error;
      reason = error;
      return false;
    }
  }, 30_000);
  if (!removed)
    throw new Error(`${reason.message}: it holds ${readdirSync(folder).join(", ")}`, { cause: reason });
}

/**
 * One editor with the packed extension in it.
 * @param options.extensions as installed by {@link installVsix}
 * @param options.suites whether suites run inside its extension host. Newer editors run them only with the flag of
 * their own smoke tests, which makes them refuse modal dialogs: scripts that answer dialogs do without
 */
export async function startEditor({ extensions, settings = {}, env = {}, suites = false }) {
  const root = mkdtempSync(join(tmpdir(), "functez-editor-"));
  const workspace = join(root, "workspace");
  const dirs = ["server-data", "user-data/User", "user-data/Machine", "config"];
  for (const dir of dirs) mkdirSync(join(root, dir), { recursive: true });
  cpSync(join(ROOT, "examples/counter"), join(workspace, "counter"), { recursive: true });
  let current = { ...SETTINGS, ...settings };
  const writeSettings = (folder) =>
    writeFileSync(join(root, "user-data", folder, "settings.json"), JSON.stringify(current));
  writeSettings("User");
  writeSettings("Machine");

  const port = await freePort();
  const dataFlags = [
    "--server-data-dir",
    join(root, "server-data"),
    "--user-data-dir",
    join(root, "user-data"),
    "--extensions-dir",
    join(extensions, "extensions"),
  ];
  const serverEnv = {
    ...process.env,
    HOME: root,
    XDG_CONFIG_HOME: join(root, "config"),
    EXTENSIONS_GALLERY: "{}",
    ...env,
  };
  const main = join(VSCODE, "out/server-main.js");
  const server = spawn(
    process.execPath,
    [
      main,
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--without-connection-token",
      "--accept-server-license-terms",
      "--telemetry-level",
      "off",
      ...(suites ? ["--enable-smoke-test-driver"] : []),
      ...dataFlags,
    ],
    { env: serverEnv, stdio: "ignore", detached: true },
  );
  const base = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(base).then(
      ({ status }) => status < 400,
      () => false,
    );
  if (!(await until(answers, LIMIT_MS))) throw new Error("the editor's server does not answer");

  const { chromium } = require("playwright-core");
  const browsers = [];
  /** A browser with its own profile. */
  const openBrowser = async () => {
    const opened = await chromium.launchPersistentContext(join(root, `browser-${browsers.length}`), {
      executablePath: BROWSERS.find((path) => existsSync(path)),
      headless: true,
      ...LONG,
      chromiumSandbox: false,
      // Nobody looks at a page whose tests run in its extension host.
      viewport: suites ? { width: 800, height: 600 } : { width: 1400, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
      ],
    });
    opened.setDefaultTimeout(LIMIT_MS);
    browsers.push(opened);
    return opened;
  };
  const browser = await openBrowser();

  return {
    root,
    workspace,
    port,
    base,
    browser,
    openBrowser,
    /** Pages of all browsers. */
    pages: () => browsers.flatMap((opened) => opened.pages()),
    server,
    configHome: join(root, "config"),
    url: (payload) =>
      `${base}/?folder=${encodeURIComponent(workspace)}${payload ? `&payload=${encodeURIComponent(JSON.stringify(payload))}` : ""}`,
    /**
     * Changes settings of the running editor, like a person editing the file. All are in the machine's file, so that the
     * editor knows each of them once it shows the effect of one.
     */
    set(changed) {
      current = { ...current, ...changed };
      writeSettings("Machine");
    },
    remoteUri: (path) => `vscode-remote://127.0.0.1:${port}${path}`,
    /** Log files of the extension, and of the editor's server. */
    logs() {
      const logs = join(root, "user-data/logs");
      return existsSync(logs)
        ? readdirSync(logs, { recursive: true })
            .filter((name) => /functez|remoteagent/.test(name))
            .map((name) => join(logs, name))
        : [];
    },
    async dispose() {
      for (const opened of browsers) await opened.close().catch(() => undefined);
      // Only the server, like a person closing an editor: processes that it started must notice by themselves.
      server.kill("SIGTERM");
      await new Promise((done) =>
        server.exitCode !== null || server.signalCode !== null ? done() : server.once("exit", done),
      );
      await removeFolder(root);
    },
  };
}
