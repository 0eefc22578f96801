// The explorer's first data: `node bench/explorer.mjs` after a build and `npm ci --prefix tools/browser`. Time in ms from
// opening the page to the balances of the accounts on it, each in a new browser context, so without any cache; and the
// bytes of its files. Needs chromium-headless-shell (Debian).
import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { median, quiet, stop } from "./machine.mjs";
import { root } from "./peers.mjs";
import { copyDist, startSandbox } from "./sandbox.mjs";

const PAGES = 15;

const { chromium } = createRequire(join(root, "tools/browser/package.json"))("playwright-core");
copyDist();
const { child, control } = await startSandbox();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell" });
try {
  await quiet();
  const times = [];
  for (let i = 0; i < PAGES; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const begun = performance.now();
    await page.goto(`http://127.0.0.1:${control}/explorer/`, { waitUntil: "commit" });
    await page.getByText("100,000").first().waitFor();
    times.push(performance.now() - begun);
    await context.close();
  }
  const folder = join(root, "dist/explorer");
  const bytes = readdirSync(folder)
    .filter((name) => !name.endsWith(".map"))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  process.stdout.write(
    `first data: ${median(times).toFixed(0)} ms [${Math.min(...times).toFixed(0)}..${Math.max(...times).toFixed(0)}], ` +
      `n = ${PAGES}; files: ${(bytes / 1000).toFixed(1)} kB\n`,
  );
} finally {
  await browser.close();
  await stop(child);
}
