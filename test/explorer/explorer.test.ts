// The explorer in a real browser, against a real sandbox: every view, dark and light, narrow, by keyboard, with hostile texts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCli, type ReadyLine } from "../support/built-cli.ts";
import { ready } from "../support/processes.ts";
import { axeSource, type Browser, browserMissing, openBrowser, type Page } from "./browser.ts";
import { playScene, type Scene } from "./scene.ts";

/** Folder for pictures of all views: somebody should look at them. */
const PICTURES = process.env["FUNCTEZ_PICTURES"];
const missing = browserMissing();

const cli = builtCli();
let endpoints: ReadyLine;
let scene: Scene;
let browser: Browser;
let page: Page;
/** What no view may cause: violations of the page's rules, and errors. */
const complaints: string[] = [];

async function openPage(): Promise<Page> {
  const opened = await browser.newPage({ viewport: { width: 1280, height: 860 }, bypassCSP: false });
  await opened.addInitScript(axeSource());
  opened.on("console", (message) => {
    const text = message.text?.() ?? "";
    // What does not exist is asked for, too: 404 is an answer.
    if (message.type?.() === "error" && !/status of 404/.test(text)) complaints.push(text);
  });
  opened.on("pageerror", (error) => complaints.push(String(error.message)));
  return opened;
}

beforeAll(async () => {
  if (missing !== undefined) return;
  endpoints = await ready(cli.start("sandboxd", ["run", "--json", "--free-ports"]));
  [scene, browser] = await Promise.all([playScene(cli, endpoints), openBrowser()]);
  page = await openPage();
});
afterAll(async () => {
  await browser?.close();
  await cli.dispose();
});

const at = (path: string): string => `${endpoints.sandboxd}/explorer/#/${path}`;

/** Views by name, with a text that is there when the view has what it shows. */
const views = (): Record<string, readonly [path: string, text: string | RegExp]> => ({
  overview: ["", "Origination"],
  functions: ["functions", scene.shop.slice(0, 7)],
  operation: [`operation/${scene.order}`, "Changed values"],
  failure: [`operation/${scene.failure}`, "Why it failed"],
  hostile: [`operation/${scene.hostile}`, "Changed values"],
  image: [`operation/${scene.image}`, "Image"],
  function: [`account/${scene.shop}`, "the bank answered"],
  user: [`account/${"tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"}`, "In the runtime"],
  bridge: ["bridge", "Outbox"],
  layer1: ["blocks", "Origination"],
  block: ["block/3", "Fees"],
  "layer1-operation": [`l1/${scene.origination}`, "Storage after"],
  contract: [`contract/${scene.token}`, "big map"],
  compose: ["compose", "Sent before"],
  missing: ["find/nobody", "Nothing is called"],
});

async function show(name: string): Promise<void> {
  const [path, text] = views()[name]!;
  await page.goto(at(path));
  await page.getByText(text).first().waitFor({ timeout: 10_000 });
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

async function violations(): Promise<string[]> {
  const found = await page.evaluate<Violation[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .map(({ target }) => target.join(" "))
        .slice(0, 3)
        .join(", ")}`,
  );
}

const NAMES = [
  ...["overview", "functions", "operation", "failure", "hostile", "image", "function", "user", "bridge"],
  ...["layer1", "block", "layer1-operation", "contract", "compose", "missing"],
];

describe.skipIf(missing !== undefined)("the explorer", () => {
  describe.each(NAMES)("%s", (name) => {
    it("has no fault of accessibility, dark and light, and fits 320 pixels", async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await show(name);
        expect(await violations()).toEqual([]);
        await picture(`${name}-${colorScheme}`);
      }
      await page.setViewportSize({ width: 320, height: 720 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
      expect(await violations()).toEqual([]);
      await picture(`${name}-narrow`);
      await page.setViewportSize({ width: 1280, height: 860 });
      expect(complaints).toEqual([]);
    });
  });
});

async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
