// Takes the pictures of the walkthrough in the real editor, dark and light, and the one of the whole window that the README
// files show: `node tools/walkthrough-pictures.mjs`, after `bash tools/editor/setup.sh`. They go to media/ under the names
// that package.json gives the steps.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, installVsix, LONG, missing, packVsix, ROOT, startEditor } from "../test/editor/rig.mjs";
import { connectWorkbench } from "../test/editor/workbench.mjs";
import { withPalette } from "./palette-png.mjs";

const reason = missing();
if (reason !== undefined) throw new Error(reason);

/** Class of the workbench by theme. */
const THEMES = {
  light: ["Default Light Modern", ".vs"],
  dark: ["Default Dark Modern", ".vs-dark"],
};
/** Parts of the window. */
const SIDE_BAR = { x: 0, y: 34, width: 348, height: 420 };
const QUICK_PICK = { x: 400, y: 0, width: 604, height: 404 };
const EDITOR = { x: 348, y: 34, width: 640, height: 420 };
const EDITORS = { x: 348, y: 34, width: 1052, height: 420 };

const folder = mkdtempSync(join(tmpdir(), "functez-pictures-"));
const extensions = await installVsix(await packVsix(join(folder, "functez.vsix")));
const editor = await startEditor({
  extensions,
  settings: {
    "functez.sandbox.serverPort": await freePort(),
    "functez.sandbox.layer1Port": 0,
    "functez.sandbox.runtimePort": 0,
    "functez.sandbox.reloadGrace": 2,
    "editor.minimap.enabled": false,
    "breadcrumbs.enabled": false,
    // The editor frames a semicolon of the example, which is plain ASCII.
    "editor.unicodeHighlight.ambiguousCharacters": false,
    "editor.unicodeHighlight.invisibleCharacters": false,
  },
});
try {
  await takePictures(connectWorkbench(editor.browser.pages()[0] ?? (await editor.browser.newPage())));
} finally {
  await editor.dispose();
  for (const used of [extensions, folder]) rmSync(used, { recursive: true });
}

async function takePictures({ page, open, start, palette, row, pick, enter, clear }) {
  const take = async (file, [theme, found], clip) => {
    await page.mouse.move(600, 890); // shows no tooltip
    editor.set({ "workbench.colorTheme": theme });
    await page.locator(`.monaco-workbench${found}`).waitFor(LONG);
    const path = join(ROOT, "media", file);
    const png = withPalette(await page.screenshot({ clip, animations: "disabled", caret: "hide" }));
    writeFileSync(path, png);
    process.stdout.write(`${path}: ${png.length} bytes\n`);
  };
  const picture = async (step, clip) => {
    for (const [name, theme] of Object.entries(THEMES))
      await take(`walkthrough-${step}-${name}.png`, theme, clip);
  };
  const lens = (title) => page.locator(".codelens-decoration a").filter({ hasText: title }).first();

  await open(editor.url());
  await start();
  await picture("start", SIDE_BAR);

  await palette("Create Account");
  await enter("alice");
  await row("alice").waitFor(LONG);
  await clear();
  await row("alice").click(LONG);
  await picture("account", SIDE_BAR);

  await palette("Deposit");
  await pick("bootstrap1");
  await page.locator(".quick-input-list").getByText("Another address").waitFor(LONG);
  await picture("deposit", QUICK_PICK);
  await pick("alice");
  await enter("1000");
  await row("1000 ꜩ").waitFor(LONG);
  await clear();

  await page.locator('.activitybar a.action-label[aria-label^="Explorer"]').click(LONG);
  await row("counter").click(LONG);
  await row("index.ts").dblclick(LONG);
  await lens("Deploy").waitFor(LONG);
  await page
    .locator(".squiggly-error")
    .first()
    .waitFor({ state: "detached", ...LONG });
  await page.locator('.activitybar a.action-label[aria-label="functez"]').click(LONG);
  await lens("Deploy").waitFor(LONG);
  await picture("deploy", EDITOR);
  await lens("Deploy").click(LONG);
  await row("counter").waitFor(LONG);
  await clear();

  await lens("Call").click(LONG);
  await page.locator(".view-line").filter({ hasText: "GET jstz://counter/" }).click(LONG);
  await page.keyboard.press("End");
  await page.keyboard.type("increment");
  await lens("Send").click(LONG);
  await page.locator(".view-lines").filter({ hasText: '{"count":1}' }).waitFor(LONG);
  await lens(/200 · [\d,]+ gas/).waitFor(LONG);
  await row("counter GET /increment").waitFor(LONG);
  await picture("call", EDITORS);
  await take("window.png", THEMES.light);
}
