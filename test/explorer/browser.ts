// A real browser for the explorer's suite, driven by playwright-core of tools/browser. The types are what the suite uses:
// the packages are not installed with the others.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const FOLDER = resolve(import.meta.dirname, "../../tools/browser");
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** A name by which the sandbox is reached, as in a container or through a forward. */
export const REMOTE = "sandbox.example";

export interface Locator {
  click(options?: object): Promise<void>;
  fill(text: string): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  waitFor(options?: object): Promise<void>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  isVisible(): Promise<boolean>;
  getAttribute(name: string): Promise<string | null>;
  press(key: string): Promise<void>;
}

export interface Page {
  goto(url: string, options?: object): Promise<unknown>;
  evaluate<T, A = undefined>(work: string | ((argument: A) => T | Promise<T>), argument?: A): Promise<T>;
  getByText(text: string | RegExp, options?: object): Locator;
  getByRole(
    role: string,
    options?: { readonly name?: string | RegExp; readonly exact?: boolean; readonly pressed?: boolean },
  ): Locator;
  getByLabel(text: string | RegExp, options?: object): Locator;
  locator(selector: string): Locator;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  emulateMedia(media: { readonly colorScheme: "light" | "dark" }): Promise<void>;
  waitForURL(url: RegExp | string): Promise<void>;
  url(): string;
  title(): Promise<string>;
  on(
    event: "console" | "pageerror",
    listen: (thing: { text?: () => string; type?: () => string; message?: string }) => void,
  ): void;
  addInitScript(script: string): Promise<void>;
  close(): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
}

export interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

/** Why there is no browser; undefined when there is one. */
export function browserMissing(): string | undefined {
  if (!BROWSERS.some((path) => existsSync(path))) return "no Chromium";
  if (!existsSync(`${FOLDER}/node_modules/playwright-core`)) return "run `npm ci --prefix tools/browser`";
  return undefined;
}

export async function openBrowser(): Promise<Browser> {
  const load = createRequire(`${FOLDER}/package.json`);
  const { chromium } = load("playwright-core") as { chromium: { launch(options: object): Promise<Browser> } };
  return chromium.launch({
    executablePath: BROWSERS.find((path) => existsSync(path)),
    chromiumSandbox: false,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--disable-sync",
      `--host-resolver-rules=MAP ${REMOTE} 127.0.0.1`,
    ],
  });
}

/** The rules of accessibility, as a script for the page. */
export const axeSource = (): string => readFileSync(`${FOLDER}/node_modules/axe-core/axe.min.js`, "utf8");
