// The explorer in a real browser, against a real sandbox: every view, dark and light, narrow, by keyboard, with hostile texts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BuiltCli, builtCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { freePorts, ownerOf, portOf, ready } from "../support/processes.ts";
import { axeSource, type Browser, browserMissing, openBrowser, type Page, REMOTE } from "./browser.ts";
import { forwardPort } from "./forward-port.ts";
import { playScene, type Scene } from "./scene.ts";

/** Folder for pictures of all views: somebody should look at them. */
const PICTURES = process.env["FUNCTEZ_PICTURES"];
const missing = browserMissing();

let cli: BuiltCli;
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
    // What does not exist is asked for, too: 404 is an answer. Containers of other suites change the machine's networks:
    // the browser then aborts what it reads, and the page asks again.
    if (message.type?.() === "error" && !/status of 404|ERR_NETWORK_CHANGED/.test(text))
      complaints.push(text);
  });
  opened.on("pageerror", (error) => complaints.push(String(error.message)));
  return opened;
}

beforeAll(async () => {
  if (missing !== undefined) return;
  ({ cli, ready: endpoints } = await startedSandbox({
    allowed_hosts: [REMOTE],
    // Blocks come with operations only: a commitment is not cemented before a test asks for it.
    layer1_node: { block_time: 3_600 },
  }));
  [scene, browser] = await Promise.all([playScene(cli, endpoints), openBrowser()]);
  page = await openPage();
});
afterAll(async () => {
  await browser?.close();
  await cli?.dispose();
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

describe.skipIf(missing !== undefined)("a person", () => {
  it("sees what others wrote as text, and nothing of it happens", async () => {
    for (const path of [`operation/${scene.hostile}`, `account/${scene.shop}`]) {
      await page.goto(at(path));
      await page.getByText("</script><img src=x").first().waitFor();
      // The mark that turns the direction is shown, and is not in the page.
      await page.getByText("‹202e›").first().waitFor();
      expect(await page.evaluate("document.body.textContent.includes('\u202e')")).toBe(false);
      expect(
        await page.evaluate(
          "document.querySelectorAll('#app script, img[src=x], a[href^=javascript]').length",
        ),
      ).toBe(0);
    }
    await page.goto(at(`account/${scene.bank}`));
    await page.getByRole("tab", { name: "bank‹202e›.ts" }).waitFor();
    expect(await page.evaluate("document.body.textContent.includes('\u202e')")).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("sees no invisible characters of a link that somebody else wrote", async () => {
    const mark = encodeURIComponent("\u202ednuof");
    for (const path of [
      "find/",
      "account/KT1",
      "account/tz1",
      "contract/KT1",
      "operation/",
      "block/",
      "l1/",
    ]) {
      await page.goto(at(`${path}${mark}`));
      await page
        .getByText(/%E2%80%AE/)
        .first()
        .waitFor();
      expect(await page.evaluate("(document.body.textContent + document.title).includes('\u202e')")).toBe(
        false,
      );
      expect(
        await page.evaluate(
          "[...document.querySelectorAll('input')].some(({ value }) => value.includes('\u202e'))",
        ),
      ).toBe(false);
    }
    // The sandbox does not know such addresses, and says so.
    expect(complaints.splice(0).filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it("cannot get markup or scripts into the page even by a fault of ours", async () => {
    const outcome = await page.evaluate<string>(
      "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'done'; } catch (error) { return error.name; } })()",
    );
    expect(outcome).toBe("TypeError");
    expect(
      await page.evaluate("fetch('http://127.0.0.1:1/').then(() => 'sent', (error) => error.name)"),
    ).toBe("TypeError");
    expect(complaints.splice(0).some((text) => /Content Security Policy/i.test(text))).toBe(true);
  });

  it("sees where a function failed, with the line of the source", async () => {
    await page.goto(at(`operation/${scene.failure}`));
    const here = page.locator(".excerpt .here");
    await here.waitFor();
    expect(await here.textContent()).toContain("throw new RangeError");
    expect(await page.locator(".why .facts strong").textContent()).toMatch(/^shop\.ts:5:/);
  });

  it("sees errors, stacks and logs with the places of the source that was deployed from here", async () => {
    await page.goto(at(`operation/${scene.deployedHere}`));
    // Names of files are somebody's texts, and the folders above them stay with their owner.
    const place = page.getByText(/^src\/thrower.*:5:/);
    await place.waitFor();
    expect(await place.textContent()).toMatch(/^src\/thrower‹202e›\.ts:5:\d+$/);
    expect(await page.locator(".why .stack-trace").textContent()).toMatch(
      /\(src\/thrower‹202e›\.ts:5:\d+\)$/m,
    );
    expect(await page.locator(".steps .log").textContent()).toMatch(
      /logged\n.*\(src\/thrower‹202e›\.ts:3:\d+\)/,
    );
    // The body of the response is shown as it was sent.
    const texts = "[...document.querySelectorAll('.summary, .why, .steps')].map((e) => e.textContent).join()";
    expect(await page.evaluate(`/jstz:..KT1\\w+:\\d/.test(${texts})`)).toBe(false);
    expect(await page.evaluate("document.body.textContent.includes('somebody')")).toBe(false);
  });

  it("sees stored values that the owner changes by hand", async () => {
    await page.goto(at(`account/${scene.bank}`));
    await page.getByText("total", { exact: true }).first().waitFor();
    await page.getByText("by-hand", { exact: true }).waitFor({ state: "detached" });
    const answer = await fetch(`${endpoints.sandboxd}/functions/${scene.bank}/value`, {
      method: "POST",
      headers: { "content-type": "application/json", ...ownerOf(cli, endpoints) },
      body: JSON.stringify({ key: "by-hand", value: "1" }),
    });
    expect(answer.status).toBe(200);
    await page.getByText("by-hand", { exact: true }).waitFor();
  });

  it("finds things by name, address, hash and level", async () => {
    const finds = async (text: string, place: RegExp): Promise<void> => {
      await page.getByLabel("Search", { exact: true }).fill(text);
      await page.getByLabel("Search", { exact: true }).press("Enter");
      await page.waitForURL(place);
    };
    await page.goto(at(""));
    await finds("bootstrap0", /#\/account\/tz1TGu6/);
    await finds(scene.shop, new RegExp(`#/account/${scene.shop}`));
    await finds(scene.order, new RegExp(`#/operation/${scene.order}`));
    await finds("#2", /#\/block\/2$/);
    await finds(scene.origination, new RegExp(`#/l1/${scene.origination}`));
    await page.goto(`${endpoints.sandboxd}/${scene.order}`);
    await page.waitForURL(new RegExp(`/explorer/#/operation/${scene.order}`));
  });

  it("sends a request, sees the answer, and runs an operation again", async () => {
    await page.goto(at("compose"));
    await page.getByLabel("Function and path").fill(`${scene.shop}/order`);
    await page.locator(".method select").press("P");
    await page.getByLabel("Body", { exact: true }).fill('{"item":"tea","count":2}');
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("What it did").click();
    await page.waitForURL(/#\/operation\/[0-9a-f]{64}$/);
    const first = page.url();
    await page.getByText('"tea"').first().waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await page.waitForURL(new RegExp(`#/operation/(?!${first.slice(-64)})[0-9a-f]{64}$`));
    await page.getByText("200 OK").waitFor();
    await page.getByRole("button", { name: "Edit and send" }).click();
    await page.waitForURL(/#\/compose$/);
    expect(await page.getByLabel("Body", { exact: true }).inputValue()).toContain('"tea"');
    await page.locator(".sent").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("sees tez and tokens arrive on layer 1, once their commitment is cemented", async () => {
    await page.goto(at("bridge"));
    await page.getByText("12 tokens").first().waitFor();
    const waiting = page.getByText("Waits in the outbox");
    await expect.poll(() => waiting.count()).toBe(2);
    const bake = () =>
      fetch(`${endpoints.sandboxd}/layer1/bake`, {
        method: "POST",
        body: '{"blocks":4}',
        headers: { "content-type": "application/json", ...ownerOf(cli, endpoints) },
      });
    await expect.poll(async () => (await bake()) && (await waiting.count()), { timeout: 20_000 }).toBe(0);
    expect(await page.getByRole("link", { name: "operation" }).count()).toBe(8);
    expect(complaints).toEqual([]);
  });

  it("makes a deposit and sees the balance change", async () => {
    await page.goto(at(""));
    await page.getByLabel("To runtime account").fill("bootstrap4");
    await page.getByLabel("Tez", { exact: true }).fill("12.5");
    await page.getByRole("button", { name: "Deposit" }).click();
    await page.getByText("12.5 tez are on their way to bootstrap4.").waitFor();
    await page.locator(".balances tr:nth-child(5) td:nth-child(3):has-text('12.5')").waitFor();
  });

  it("calls an entrypoint of a contract", async () => {
    await page.goto(at(`contract/${scene.token}`));
    const argument = page.getByLabel(/^Argument/);
    await argument.waitFor();
    await argument.fill(
      `Pair "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV" "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx" 5`,
    );
    await page.getByRole("button", { name: "Call", exact: true }).click();
    // bootstrap1 may not spend the tokens of bootstrap0: the reason is shown.
    await page.locator(".form .failure").waitFor();
    await argument.fill(
      `Pair "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx" "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx" 0`,
    );
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("transfer was applied.").waitFor();
  });

  it("needs no mouse", async () => {
    await page.goto("about:blank");
    await page.goto(at(`operation/${scene.order}`));
    await page.getByText("Changed values").waitFor();
    const focusedLabel = (): Promise<string> =>
      page.evaluate(
        "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim().slice(0, 80)",
      );
    await page.keyboard.press("Tab");
    expect(await focusedLabel()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    const reached = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      reached.add(await focusedLabel());
    }
    const wanted = [
      /^Run again/,
      /^Edit and send/,
      /^Copy as/,
      /^POST \/pay on .* gas, status 200$/,
      /^Pretty/,
      /^Copy hash$/,
    ];
    for (const name of wanted)
      expect([name, [...reached].some((each) => name.test(each))]).toEqual([name, true]);
    await page.getByRole("button", { name: /^POST \/pay on/ }).press("Enter");
    await page.getByText("the bank has").first().waitFor();
    await page.getByRole("tab", { name: "Pretty" }).first().press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Raw" }).first().getAttribute("aria-selected")).toBe("true");
  });

  it("needs one forwarded port only", async () => {
    const forward = await forwardPort(portOf(endpoints.sandboxd));
    try {
      await page.goto(`${forward.url}/`);
      await page.getByText("Origination").first().waitFor();
      await page.goto(`${forward.url}/explorer/#/account/${scene.shop}`);
      await page.getByText("the bank answered").first().waitFor();
      await page.locator(".state.good").waitFor();
      const asked = await page.evaluate<string[]>(
        "performance.getEntriesByType('resource').map(({ name }) => name)",
      );
      expect(asked.length).toBeGreaterThan(8);
      expect(asked.filter((url) => !url.startsWith(`${forward.url}/`))).toEqual([]);
    } finally {
      await page.goto("about:blank");
      await forward.close();
    }
    complaints.length = 0; // the broken stream of the closed forward
  });

  it("signs under another name than loopback with the owner's secret, which the page asks for", async () => {
    await page.goto(`http://${REMOTE}:${portOf(endpoints.sandboxd)}/explorer/#/compose`);
    await page.getByLabel("Function and path").fill(`${scene.shop}/`);
    await page.getByRole("button", { name: "Send" }).click();
    const secret = page.getByLabel(/^The owner's secret/);
    await secret.waitFor();
    await secret.fill("0".repeat(64));
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".failure").waitFor();
    await secret.fill(ownerOf(cli, endpoints)["authorization"]!.replace("Bearer ", ""));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("What it did").waitFor();
    // Refusals, and a rule for pages of trusted origins only.
    const expected = /status of 403|Cross-Origin-Opener-Policy/;
    expect(complaints.splice(0).filter((text) => !expected.test(text))).toEqual([]);
  });

  it("sees that the sandbox is gone, and the next one in its place", async () => {
    const other = builtCli();
    const [port] = (await freePorts(1)) as [number];
    const config = join(other.configHome, "sandbox.json");
    const parts = { layer1_node: { rpc_endpoint: "127.0.0.1:0" }, runtime_node: { endpoint: "127.0.0.1:0" } };
    writeFileSync(config, JSON.stringify({ server_port: port, ...parts }));
    const start = async () => {
      const process_ = other.start("sandboxd", ["run", config, "--json"]);
      const { sandboxd } = await ready(process_);
      return { process_, sandboxd };
    };
    const { process_, sandboxd } = await start();
    const run = { from: "bootstrap0", url: "jstz://KT1TxqZ8QtKvLu3V3JH7Gx58n7Co8pgtpQU5/only-in-the-first" };
    const headers = { "content-type": "application/json" };
    await fetch(`${sandboxd}/runtime/operations`, { method: "POST", headers, body: JSON.stringify(run) });
    try {
      await page.goto(`${sandboxd}/explorer/`);
      await page.getByText("GET /only-in-the-first").waitFor();
      process_.child.kill("SIGKILL");
      await process_.ended;
      await page.getByText("not reachable").waitFor();
      await start();
      await page.locator(".state.good").waitFor();
      await page.getByText("Nothing has happened yet").waitFor();
    } finally {
      await page.goto("about:blank");
      await other.dispose();
    }
    complaints.length = 0; // of requests to a sandbox that is gone
  });

  it("can use the page while a thousand operations a second go by", async () => {
    await page.goto(at(""));
    await page.getByText("Origination").first().waitFor();
    await page.evaluate(LONGEST_FRAME);
    await scene.burst(1_500);
    await page.locator(`.rows a[title="${await scene.last()}"]`).waitFor({ timeout: 20_000 });
    expect(await page.evaluate("window.longestFrame()")).toBeLessThan(1_000);
    expect(await page.locator(".rows .row").count()).toBeLessThanOrEqual(60);
  });
});

/** The longest time between two frames, in ms. */
const LONGEST_FRAME = `(() => {
  let last = performance.now();
  let longest = 0;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.longestFrame = () => longest;
})()`;

async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
