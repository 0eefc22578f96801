// Two windows with one sandbox, each in its own browser: each sees the other's actions; the sandbox lives as long as
// one of them.
import { join } from "node:path";
import { LONG } from "./rig.mjs";
import { connectWorkbench } from "./workbench.mjs";

const STOPPED = "The local Tezos sandbox is not running.";

/**
 * @param editor started with a `functez.sandbox.reloadGrace` of few seconds and `sandboxPort` set
 * @param {string} pictures folder
 */
export async function twoWindows(editor, pictures) {
  const first = connectWorkbench(await editor.browser.newPage());
  const second = connectWorkbench(await (await editor.openBrowser()).newPage());
  const picture = (name) => second.page.screenshot({ path: join(pictures, `window-${name}.png`) });

  await first.open(editor.url());
  await first.start();
  const pid = await editor.sandboxPid();
  // The second window is opened without any command: it attaches automatically.
  await second.open(editor.url());
  await second.row("bootstrap5").waitFor(LONG);

  await second.palette("Stop Sandbox");
  await second.dialog("Another window or terminal uses this sandbox.").waitFor(LONG);
  await picture("asks-before-stop");
  await second.answer("Cancel");
  await first.row("bootstrap5").waitFor(LONG);
  same(await editor.sandboxPid(), pid, "a cancelled stop stops nothing");

  // Both windows ask and both are confirmed: one of them is too late, and neither reports an error.
  await Promise.all([first.palette("Stop Sandbox"), second.palette("Stop Sandbox")]);
  await Promise.all([first, second].map((window) => window.dialog("Another window or").waitFor(LONG)));
  await Promise.all([first.answer("Stop"), second.answer("Stop")]);
  await Promise.all([first, second].map(({ page }) => page.getByText(STOPPED).waitFor(LONG)));
  await editor.untilGone(pid);
  for (const window of [first, second]) same(await window.errors(), [], "no window shows an error");

  await first.start();
  const next = await editor.sandboxPid();
  await second.start(); // attaches to the running sandbox
  same(await editor.sandboxPid(), next, "a second start attaches");

  await first.close();
  await editor.outlives(next);
  await second.row("bootstrap5").waitFor(LONG);
  same(await editor.sandboxPid(), next, "the sandbox stays for the window that is left");

  await second.close();
  await editor.untilGone(next);
}

function same(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}
