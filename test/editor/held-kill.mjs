// The extension host killed while its debugger holds a call: the call goes on at once, since the adapter's connection dies
// with the host, and not after the time for which it may be held.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LONG, ROOT } from "./rig.mjs";

const HOLD_SECONDS = 60;
/** Far below the time of a hold, and far above what a busy machine needs. */
const RELEASE_MS = 30_000;

const THROWER = `export default (): Response => {
  throw new Error("held and thrown");
};
`;

/** Runs the command line beside the editor. @returns its end, with what it has written */
function cli({ configHome, sandboxPort, workspace }, ...args) {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: configHome,
    FUNCTEZ_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
    NO_COLOR: "1",
  };
  const child = spawn(process.execPath, [join(ROOT, "dist/functez.mjs"), ...args], { cwd: workspace, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => (text += part));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, text })));
}

/** Writes what the held call needs. A window reads it when it opens: one that is open may miss new files. */
export function writeHeldProject({ workspace }) {
  mkdirSync(join(workspace, ".vscode"));
  const held = {
    type: "functez",
    request: "attach",
    name: "held calls",
    hold: true,
    holdSeconds: HOLD_SECONDS,
  };
  writeFileSync(
    join(workspace, ".vscode/launch.json"),
    JSON.stringify({ version: "0.2.0", configurations: [held] }),
  );
  writeFileSync(join(workspace, "thrower.ts"), THROWER);
}

/**
 * @param workbench with the alias `alice`, which has tez, opened after `writeHeldProject`
 * @param killHost kills the extension host, and resolves when the editor has started the next one
 */
export async function killWhileHeld(editor, { page, command, showSidebar }, killHost) {
  const deployed = await cli(editor, "deploy", "thrower.ts", "--name", "thrower", "--account", "alice");
  if (deployed.code !== 0) throw new Error(deployed.text);
  await command("Debug: Start Debugging");
  // The toolbar is there earlier.
  await page.locator(".repl").getByText("Waiting for calls").waitFor(LONG);

  // No breakpoint is needed: uncaught exceptions stop by default.
  let ended;
  const called = cli(editor, "run", "thrower/", "--account", "alice").then(
    (end) => (ended = { ...end, at: performance.now() }),
  );
  await Promise.race([page.getByText("operation held").first().waitFor(LONG), called]);
  if (ended !== undefined) throw new Error(`the call was not held: ${ended.text}`);
  const since = performance.now();
  await Promise.all([killHost(), called]);
  const ms = ended.at - since;
  if (!ended.text.includes("held and thrown")) throw new Error(`the call did not run: ${ended.text}`);
  if (ms > RELEASE_MS) throw new Error(`the call was held for ${Math.round(ms)} ms after its debugger died`);
  await showSidebar(); // the editor has shown that of the debugger
  process.stdout.write(`a held call went on ${Math.round(ms)} ms after its extension host was killed\n`);
}
