// A person's walk through the user interface, with pictures: start, deposit by quick pick and input box, deploy by
// lens, call, terminal, stop; errors on the way show buttons that help.
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { LONG } from "./rig.mjs";
import { connectWorkbench } from "./workbench.mjs";

/** Class of the workbench by theme. */
const THEMES = {
  "Default Dark Modern": ".vs-dark",
  "Default High Contrast": ".hc-black",
  "Default High Contrast Light": ".hc-light",
};

/** The published secret key of bootstrap4: one account under two names. */
const SECRET_KEY = "edsk2uqQB9AY4FvioK2YMdfmyMrer5R8mGFyuaLLFfSRo8EoyNdht3";

/** @returns process id of a sandbox that keeps running, for checks after the windows are closed */
export async function walk(editor, pictures) {
  const page = editor.browser.pages()[0] ?? (await editor.browser.newPage());
  let count = 0;
  const picture = (name) =>
    page.screenshot({ path: join(pictures, `${String(++count).padStart(2, "0")}-${name}.png`) });
  const { command, palette, row, pick, type, enter, clear, requireError, dialog, answer } =
    connectWorkbench(page);
  const start = () =>
    page.locator(".sidebar").getByText("Start Sandbox", { exact: true }).first().click(LONG);

  await page.goto(editor.url());
  await page.locator(".monaco-workbench .activitybar").waitFor(LONG);
  await page.locator('.activitybar a.action-label[aria-label="functez"]').click(LONG);
  await page.getByText("The local Tezos sandbox is not running.").waitFor(LONG);
  await picture("stopped");

  const holder = createServer((socket) => socket.destroy()).listen(editor.sandboxPort, "127.0.0.1");
  await start();
  await requireError("is in use by", ["Open Settings", "Show Log"]);
  await picture("port-taken");
  holder.close();
  await clear();

  await start();
  await row("bootstrap5").waitFor(LONG);
  await picture("running");

  await palette("Create Account");
  await enter("alice");
  await row("alice").waitFor(LONG);

  await palette("Deposit");
  await pick("bootstrap1");
  await picture("deposit-receiver");
  await pick("alice");
  await type("200000");
  await page.getByText("At most 99999.99 tez can be spent.").waitFor(LONG);
  await picture("deposit-amount-refused");
  await page.keyboard.press("Escape");
  await palette("Deposit");
  await pick("bootstrap1");
  await pick("Another address");
  await type("tz1nobody");
  await page.getByText("tz1nobody is not an address").waitFor(LONG);
  await picture("address-refused");
  await page.keyboard.press("Escape");
  await palette("Deposit");
  await pick("bootstrap1");
  await pick("alice");
  await enter("1000");
  await row("1000 ꜩ").waitFor(LONG);
  await picture("deposited");
  await clear();

  // While the editor's TypeScript support starts, a first request for lenses may get lost: opening the file again makes
  // the editor ask again.
  const deployLens = page.locator(".codelens-decoration a").filter({ hasText: "Deploy" });
  await page.locator('.activitybar a.action-label[aria-label^="Explorer"]').click(LONG);
  await row("counter").click(LONG);
  for (let tries = 1; ; tries++) {
    await row("index.ts").dblclick(LONG);
    const shown = await deployLens.waitFor({ timeout: 20_000 }).then(
      () => true,
      () => false,
    );
    if (shown) break;
    if (tries === 4) throw new Error("no lens above the handler");
    await command("View: Close Editor");
  }
  // Add the types of the runtime's globals: the editor no longer reports them.
  await palette("Add Types of Smart Functions");
  await page.locator(".tab").filter({ hasText: ".d.ts" }).waitFor(LONG);
  await command("View: Close Editor");
  await deployLens.waitFor(LONG);
  await page
    .locator(".squiggly-error")
    .first()
    .waitFor({ state: "detached", ...LONG });
  await page.locator('.activitybar a.action-label[aria-label="functez"]').click(LONG);
  await deployLens.click(LONG);
  await row("counter").waitFor(LONG);
  await picture("deployed");
  await clear();

  await page.locator(".codelens-decoration a").filter({ hasText: "Call" }).click(LONG);
  // The requests of the function: Send is above each, the response appears beside them.
  await page.locator(".view-line").filter({ hasText: "GET jstz://counter/" }).click(LONG);
  await page.keyboard.press("End");
  await page.keyboard.type("increment");
  await page.locator(".codelens-decoration a").filter({ hasText: "Send" }).first().click(LONG);
  await page.locator(".view-lines").filter({ hasText: '{"count":1}' }).waitFor(LONG);
  await page
    .locator(".codelens-decoration a")
    .filter({ hasText: /200 · [\d,]+ gas/ })
    .waitFor(LONG);
  await picture("called");

  // The call again, step by step, in the source.
  await page.locator(".codelens-decoration a").filter({ hasText: "Debug" }).click(LONG);
  await page.locator(".debug-top-stack-frame-line").first().waitFor(LONG);
  await page.locator(".debug-toolbar").waitFor(LONG);
  await command("Debug: Step Over");
  await row("key").waitFor(LONG);
  await picture("debugging");
  await command("Debug: Stop");
  await page.locator(".debug-toolbar").waitFor({ state: "hidden", ...LONG });
  await page.locator('.activitybar a.action-label[aria-label="functez"]').click(LONG);

  await clear();
  await row("counter GET /increment").click(LONG);
  await page.locator(".view-lines").filter({ hasText: "kv set" }).first().waitFor(LONG);
  await picture("call-tree");

  // In a narrow side bar no icons cover what the call came to: one remains, the others are in the menu.
  const sideBar = page.locator(".part.sidebar");
  const { x, y, width } = await sideBar.boundingBox();
  const drag = async (from, to) => {
    await page.mouse.move(x + from, y + 300);
    await page.mouse.down();
    await page.mouse.move(x + to, y + 300, { steps: 4 });
    await page.mouse.up();
  };
  await drag(width, 220);
  const called = row("counter GET /increment");
  await called.hover(LONG);
  const icons = await called.locator(".actions .action-label").count();
  if (icons !== 1) throw new Error(`${icons} icons in the row of an operation`);
  await picture("narrow-side-bar");
  await drag((await sideBar.boundingBox()).width, width);

  await palette("Open Terminal");
  const terminal = page.locator(".terminal-wrapper.active .xterm-rows");
  await terminal.filter({ hasText: /[$#]/ }).waitFor(LONG);
  await page.locator(".terminal-wrapper.active textarea.xterm-helper-textarea").focus();
  await page.keyboard.type("functez account list\n");
  await terminal.filter({ hasText: "alice: tz1" }).waitFor(LONG);
  await picture("terminal");

  // A reload reattaches: the daemon outlives the extension host by its grace period.
  const before = await editor.sandboxPid();
  // By the editor's own command, which writes down first what is open.
  const reloaded = page.waitForEvent("load", LONG);
  await command("Developer: Reload Window");
  await reloaded;
  await page.locator(".monaco-workbench .activitybar").waitFor(LONG);
  await row("bootstrap5").waitFor(LONG);
  await row("counter").waitFor(LONG);
  await row("counter GET /increment").waitFor(LONG); // earlier operations are still listed
  if ((await editor.sandboxPid()) !== before) throw new Error("the reload lost the sandbox");
  // The requests are still there; a response is not, and neither is its tab.
  await page.locator(".tab").filter({ hasText: "counter.http" }).click(LONG);
  await page.locator(".view-lines").filter({ hasText: "GET jstz://counter/increment" }).waitFor(LONG);
  await page
    .locator(".tab")
    .filter({ hasText: "body.json" })
    .waitFor({ state: "detached", ...LONG });

  await palette("Import Account");
  await type("bootstrap1");
  await page.getByText("reserved for the bootstrap accounts").waitFor(LONG);
  await picture("alias-refused");
  await enter("bob");
  await page.getByText("Import Account (2/2)").waitFor(LONG);
  await type(SECRET_KEY);
  await picture("import-account");
  await enter(SECRET_KEY);
  await row("bob").waitFor(LONG);
  await clear();
  await row("bob").click({ button: "right" });
  await page.locator(".monaco-menu").getByText("Delete Account or Alias").waitFor(LONG);
  await picture("account-menu");
  await page.locator(".monaco-menu").getByText("Delete Account or Alias").click(LONG);
  await dialog("Delete bob and its secret key?").waitFor(LONG);
  await picture("delete-account");
  await answer("Delete Account");
  await row("bob").waitFor({ state: "detached", ...LONG });
  await palette("Open Example");
  await page.locator(".quick-input-list").getByText("A polite faucet").waitFor(LONG);
  await picture("examples");
  await pick("faucet");
  await deployLens.waitFor(LONG);
  await picture("example");
  await palette("Open Walkthrough");
  await page.getByText("From nothing to a called smart function.").waitFor(LONG);
  // All steps have been taken.
  await page
    .locator(".codicon-getting-started-step-checked")
    .nth(4)
    .waitFor({ state: "attached", ...LONG });
  await picture("walkthrough");

  await command("View: Revert and Close Editor"); // the walkthrough
  await command("View: Revert and Close Editor"); // the example, which was never saved

  const broken = join(editor.workspace, "broken.ts");
  writeFileSync(broken, "export default function (\n  request: Request {\n}\n");
  await command("View: Close All Editors");
  await page.locator('.activitybar a.action-label[aria-label^="Explorer"]').click(LONG);
  await row("broken.ts").dblclick(LONG);
  await page.locator(".view-lines").filter({ hasText: "request" }).waitFor(LONG);
  await palette("Deploy Smart Function…");
  await requireError("does not compile", ["Show Problem", "Show Log"]);
  await picture("deploy-failed");
  await clear();
  await page.locator('.activitybar a.action-label[aria-label="functez"]').click(LONG);
  for (const theme of ["Default Dark Modern", "Default High Contrast", "Default High Contrast Light"]) {
    editor.set({ "workbench.colorTheme": theme });
    await page.locator(`.monaco-workbench${THEMES[theme]}`).waitFor(LONG);
    await picture(theme.toLowerCase().replaceAll(" ", "-"));
  }

  await palette("Stop Sandbox");
  await dialog("Stop the sandbox?").waitFor(LONG); // operations would be lost
  await answer("Stop");
  await page.getByText("The local Tezos sandbox is not running.").waitFor(LONG);
  await clear();
  await picture("stopped-again");

  editor.set({ "workbench.colorTheme": "Default Light Modern", "functez.sandbox.reloadGrace": 3 });
  await page.locator(".monaco-workbench.vs").waitFor(LONG); // by then the other setting is known too
  await start();
  await row("bootstrap5").waitFor(LONG);
  return editor.sandboxPid();
}
