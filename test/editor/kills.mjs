// The editor's extension host killed and frozen at random moments: the editor starts another one, which finds the
// sandbox again, or starts one; nothing is left when the editor has exited.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { killWhileHeld, writeHeldProject } from "./held-kill.mjs";
import { importTypeScript, LIMIT_MS, LONG, until } from "./rig.mjs";
import { connectWorkbench } from "./workbench.mjs";

const { amount, SEED, seededRandom } = await importTypeScript("test/support/long-run.ts");
const random = seededRandom(SEED);
/** Longer than the timeout of any request of the extension; in the normal run test/faults covers that. */
const FREEZE_MS = amount(2500, 6000);

/** Processes of an editor with all their descendants, even those whose parents have exited. */
export function processesOf({ configHome }) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const variables = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
        if (!variables.includes(`XDG_CONFIG_HOME=${configHome}`)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))[1]);
        return [{ pid: Number(name), parent, command }];
      } catch {
        return []; // it has ended in the meantime
      }
    });
}

/** A process that begins another one appears twice until the other one runs its own program: the first is the host. */
export function hostsOf(editor) {
  const found = processesOf(editor).filter(({ command }) => command.includes("--type=extensionHost"));
  return found.filter(({ parent }) => !found.some(({ pid }) => pid === parent));
}

function hostOf(editor) {
  const found = hostsOf(editor);
  if (found.length !== 1) throw new Error(`${found.length} extension hosts: ${JSON.stringify(found)}`);
  return found[0].pid;
}

const runsDeposit = (editor) => processesOf(editor).some(({ command }) => / bridge deposit /.test(command));

/** Kills the extension host within `limitMs`. @returns once the editor has started the next one */
async function kill(editor, limitMs) {
  await delay(random() * limitMs);
  const pid = hostOf(editor);
  process.kill(pid, "SIGKILL");
  if (!(await until(() => hostsOf(editor).some((one) => one.pid !== pid), LIMIT_MS)))
    throw new Error("the editor starts no other extension host");
}

/**
 * Ends with a killed editor.
 * @param {number} graceSeconds grace period of the last sandbox after the editor
 */
export async function kills(editor, graceSeconds) {
  const workbench = connectWorkbench(await editor.browser.newPage());
  const { page, open, start, palette, dialog, answer, row, pick, type, enter, clear } = workbench;
  await open(editor.url());
  await start();
  await palette("Create Account");
  await enter("alice");
  await row("alice").waitFor(LONG);
  await clear();

  // An editor gives up on hosts that die three times within five minutes: each round has a new window.
  let deposits = 0;
  for (let round = 0; round < amount(1, 30); round++) {
    if (round > 0) await page.reload();
    await row("alice").waitFor(LONG);
    const pid = await editor.sandboxPid();
    await palette("Deposit");
    await pick("bootstrap1");
    await pick("alice");
    await type("10");
    // The host may die before it starts the command.
    let isBegun = false;
    const watching = setInterval(() => (isBegun ||= runsDeposit(editor)), 50);
    await page.keyboard.press("Enter");
    await kill(editor, 800);
    clearInterval(watching);
    if (isBegun) deposits += 1;
    // A deposit that was begun is finished, and the next host shows it.
    await row(`${10 * deposits} ꜩ`).waitFor(LONG);
    if ((await editor.sandboxPid()) !== pid) throw new Error("the killed host took its sandbox with it");

    process.kill(hostOf(editor), "SIGSTOP");
    await delay(FREEZE_MS);
    process.kill(hostOf(editor), "SIGCONT");
    await palette("Deposit"); // the host responds again
    await pick("bootstrap1");
    await page.keyboard.press("Escape");
    if ((await editor.sandboxPid()) !== pid) throw new Error("the frozen host lost its sandbox");
  }

  writeHeldProject(editor);
  await page.reload();
  await row("alice").waitFor(LONG);
  await killWhileHeld(editor, workbench, () => kill(editor, 1));
  await row("alice").waitFor(LONG);

  if (deposits < amount(0, 20)) throw new Error(`${deposits} deposits were begun`);

  editor.set({ "functez.sandbox.reloadGrace": graceSeconds, "workbench.colorTheme": "Default Dark Modern" });
  // A window reads the settings when it opens; one that is open may miss a change of the file.
  await page.reload();
  await page.locator(".monaco-workbench.vs-dark").waitFor(LONG); // by then the new grace period is known too
  await row("alice").waitFor(LONG);
  await palette("Stop Sandbox");
  await dialog("Stop the sandbox?").waitFor(LONG); // operations would be lost
  await answer("Stop");
  await page.getByText("The local Tezos sandbox is not running.").waitFor(LONG);
  const startButton = page.locator(".sidebar").getByText("Start Sandbox", { exact: true }).first();
  await startButton.click(LONG);
  await kill(editor, 700);
  // The next host finds the started sandbox, or must be told to start again.
  const running = await until(async () => {
    await startButton.click({ timeout: 500 }).catch(() => undefined);
    return row("alice").isVisible();
  }, LIMIT_MS);
  if (!running) throw new Error("no sandbox after a host that was killed while it started one");
  // The grace that was set, so that the check of what is left means something.
  const pid = await editor.sandboxPid();
  const { command = "no command" } = processesOf(editor).find((one) => one.pid === pid) ?? {};
  if (!command.includes(` --grace ${graceSeconds} `)) throw new Error(`another grace: ${command}`);
  const { accounts } = JSON.parse(readFileSync(join(editor.configHome, "functez/config.json"), "utf8"));
  if (accounts.alice === undefined) throw new Error("the account is lost");
  // The server first, so that it starts no new host.
  editor.server.kill("SIGKILL");
  process.kill(hostOf(editor), "SIGKILL");
}
