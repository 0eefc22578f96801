// One workbench page as a person uses it: palette, side bar, quick inputs, dialogs.
import { LONG } from "./rig.mjs";

export function connectWorkbench(page) {
  const quickInput = page.locator(".quick-input-widget input.input");
  const dialogs = page.locator(".monaco-dialog-box");
  const workbench = {
    page,
    /** Opens the editor and our side bar. */
    async open(url) {
      await page.goto(url);
      await page.locator(".monaco-workbench .activitybar").waitFor(LONG);
      await workbench.showSidebar();
    },
    showSidebar: () => page.locator('.activitybar a.action-label[aria-label="functez"]').click(LONG),
    /** Runs a command of the palette by its title. */
    async command(title) {
      const entry = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first();
      // The palette offers a command only once the state that enables it has reached the page.
      for (let tries = 1; ; tries++) {
        await page.keyboard.press("F1");
        await quickInput.fill(`>${title}`);
        const shown = await entry.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
        if (shown) break;
        if (tries === 12) throw new Error(`the palette has no ${title}`);
        await page.keyboard.press("Escape");
      }
      await entry.click(LONG);
    },
    palette: (title) => workbench.command(`functez: ${title}`),
    row: (text) => page.locator('.monaco-list-row[role="treeitem"]').filter({ hasText: text }).first(),
    pick: (text) =>
      page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click(LONG),
    async type(text) {
      await quickInput.waitFor(LONG);
      await quickInput.fill(text);
    },
    /** Types into the open input box and confirms. */
    async enter(text) {
      await workbench.type(text);
      await quickInput.press("Enter");
    },
    /** Presses the Start button of the side bar and waits for the accounts. */
    async start() {
      await page.locator(".sidebar").getByText("Start Sandbox", { exact: true }).first().click(LONG);
      await workbench.row("bootstrap5").waitFor(LONG);
    },
    /** A modal dialog with this text. */
    dialog: (text) => dialogs.filter({ hasText: text }),
    /** Presses a button of the open dialog and waits until it closes. */
    async answer(button) {
      await dialogs.locator(".monaco-button").filter({ hasText: button }).first().click(LONG);
      await dialogs.waitFor({ state: "detached", ...LONG });
    },
    /** A notification with this text. */
    toast: (text) => page.locator(".notification-toast").filter({ hasText: text }),
    /** An error with this text, checked to be well-formed and to have exactly these buttons. */
    async requireError(text, buttons) {
      const toast = workbench.toast(text);
      await toast.waitFor(LONG);
      const message = await toast.locator(".notification-list-item-message").innerText();
      const unclean = /undefined|null|\[object|Error:|\n\s*at |\{"\w+":|\s{2}/.exec(message);
      if (unclean || !message.endsWith("."))
        throw new Error(`a text that is not clean (${unclean ?? "no full stop"}): ${message}`);
      const found = await toast.locator(".monaco-button").allInnerTexts();
      if (found.join() !== buttons.join())
        throw new Error(`${message}: has the buttons ${found}, not ${buttons}`);
    },
    async pressInToast(text, button) {
      await workbench.toast(text).locator(".monaco-button").filter({ hasText: button }).click(LONG);
    },
    /** Texts of the error notifications that show. */
    errors: () =>
      page
        .locator(".notification-toast:has(.codicon-error) .notification-list-item-message")
        .allTextContents(),
    clear: () => workbench.command("Notifications: Clear All Notifications"),
    /** Leaves like a closed tab: the page disconnects, so the editor's server ends its extension host. */
    async close() {
      await page.goto("about:blank");
      await page.close();
    },
  };
  return workbench;
}
