// The routes of the explorer: who may use them, and what they answer. Requests of browsers are told by their headers.
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUNCTION_MARK } from "../../daemon/http/guard.ts";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { ownerOf, portOf, until } from "../support/processes.ts";

const REMOTE = "sandbox.example";
const BOOTSTRAP0 = BOOTSTRAP_ACCOUNTS[0].address;

let cli: BuiltCli;
let endpoints: ReadyLine;
beforeAll(async () => {
  ({ cli, ready: endpoints } = await startedSandbox({ allowed_hosts: [REMOTE] }));
});
afterAll(() => cli.dispose());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** `fetch` would set the headers that matter here by itself. Streams are cut after their headers. */
const ask = (path: string, { method = "GET", headers = {}, body }: Ask = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      {
        host: "127.0.0.1",
        port: portOf(endpoints.sandboxd),
        path,
        method,
        headers: {
          ...(text && {
            "content-type": "application/json",
            "content-length": String(Buffer.byteLength(text)),
          }),
          ...headers,
        },
      },
      (response) => {
        const end = (whole: string) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole });
        if (response.headers["content-type"]?.startsWith("text/event-stream")) {
          end("");
          response.destroy();
          return;
        }
        let whole = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (whole += chunk));
        response.on("end", () => end(whole));
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });

const codeOf = ({ body }: Answer): string => (JSON.parse(body) as { error: { code: string } }).error.code;

const RUN = { from: "bootstrap0", url: "jstz://KT1TxqZ8QtKvLu3V3JH7Gx58n7Co8pgtpQU5/" };
const READS = [
  "/explorer/api/runtime/accounts",
  "/explorer/api/layer1/chains/main/chain_id",
  `/explorer/api/logs/${BRIDGE_ADDRESS}`,
];
const PAGES = ["/", "/explorer", "/explorer/", "/explorer/app.js", `/${BOOTSTRAP0}`];

/** Headers by the one who asks, and what the routes answer: statuses of pages, reads, and the signing route. */
const ASKERS = {
  "a program": [{}, 200, 200],
  "the page itself": [{ "sec-fetch-site": "same-origin", origin: "own" }, 200, 200],
  "somebody who types the address": [{ "sec-fetch-site": "none" }, 200, 200],
  "another page's script": [{ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403, 403],
  "a page of another port": [{ origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }, 403, 403],
  "a smart function": [{ [FUNCTION_MARK]: "1" }, 403, 403],
  "a rebound name": [{ host: "evil.example" }, 403, 403],
  "an allowed name": [{ host: REMOTE }, 200, 403],
  "the page under an allowed name": [
    { host: REMOTE, origin: `https://${REMOTE}`, "sec-fetch-site": "same-origin" },
    200,
    403,
  ],
  "the page behind a forward": [{ origin: `https://${REMOTE}`, "sec-fetch-site": "same-origin" }, 200, 403],
} as const;

const fillHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => ({
  ...headers,
  ...(headers["origin"] === "own" && { origin: endpoints.sandboxd, host: new URL(endpoints.sandboxd).host }),
});

describe.each(Object.entries(ASKERS))("%s", (name, [given, reads, signs]) => {
  it("reads what it may", async () => {
    const headers = fillHeaders(given);
    for (const path of READS) expect([path, (await ask(path, { headers })).status]).toEqual([path, reads]);
  });

  it("signs what it may", async () => {
    const answer = await ask("/runtime/operations", {
      method: "POST",
      headers: fillHeaders(given),
      body: RUN,
    });
    expect(answer.status).toBe(signs);
    if (reads === 200 && signs === 403) expect(codeOf(answer)).toBe("OWNER_ONLY");
  });

  it("sees the page, unless it is a function or comes under a wrong name", async () => {
    const isShut = ["a smart function", "a rebound name"].includes(name);
    for (const path of PAGES) {
      const { status } = await ask(path, { headers: { ...fillHeaders(given), accept: "text/html" } });
      expect([path, isShut ? status === 403 : status < 400]).toEqual([path, true]);
    }
  });
});

describe("sources of places", () => {
  const code = BRIDGE_ADDRESS;
  const body = { places: [{ address: code, line: 3, column: 7 }] };
  beforeAll(async () => {
    const source = { address: code, sources: ["/home/somebody/project/src/file.ts"] };
    const headers = ownerOf(cli, endpoints);
    expect((await ask("/debug/source-map", { method: "POST", headers, body: source })).status).toBe(200);
  });

  it.each(Object.entries(ASKERS))("for %s", async (_name, [given, reads, signs]) => {
    const answer = await ask("/explorer/api/places", { method: "POST", headers: fillHeaders(given), body });
    // Who may not sign is a stranger.
    const known = signs === 200 ? { source: "src/file.ts", line: 3, column: 7 } : null;
    const { places } = JSON.parse(answer.body) as { readonly places?: unknown };
    expect([answer.status, places]).toEqual([reads, reads === 200 ? [known] : undefined]);
  });

  it("for the owner under any allowed name, and never by whole paths", async () => {
    const headers = { host: REMOTE, origin: `https://${REMOTE}`, ...ownerOf(cli, endpoints) };
    const answer = await ask("/explorer/api/places", { method: "POST", headers, body });
    expect(JSON.parse(answer.body)).toMatchObject({ places: [{ source: "src/file.ts" }] });
    expect(answer.body).not.toContain("somebody");
  });

  it("two hundred at a time", async () => {
    const many = { places: Array.from({ length: 201 }, () => body.places[0]) };
    expect((await ask("/explorer/api/places", { method: "POST", body: many })).status).toBe(400);
  });
});

it("signs for the owner under any allowed name", async () => {
  const headers = { host: REMOTE, origin: `https://${REMOTE}`, ...ownerOf(cli, endpoints) };
  const answer = await ask("/runtime/operations", { method: "POST", headers, body: RUN });
  expect(answer.status).toBe(200);
});

it("runs calls with method, headers, body and tez, one after the other", async () => {
  const deposit = {
    from: "bootstrap1",
    contract: BRIDGE_ADDRESS,
    amount: 5,
    entrypoint: "deposit",
    arg: JSON.stringify(BOOTSTRAP0),
  };
  expect((await ask("/contract_call", { method: "POST", body: deposit })).status).toBe(200);
  const balance = async () =>
    Number((await ask(`/explorer/api/runtime/accounts/${BOOTSTRAP0}/balance`)).body);
  await until("the deposit is credited", 10_000, async () => (await balance()) === 5_000_000);
  const body = JSON.stringify({ receiver: BOOTSTRAP0, amount: 1_000 });
  const withdrawal = {
    from: "bootstrap0",
    url: "jstz://jstz/withdraw",
    method: "post",
    headers: { "content-type": "application/json" },
    body,
  };
  const answers = await Promise.all(
    [1, 2, 3].map(() => ask("/runtime/operations", { method: "POST", body: withdrawal })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const receipts = answers.map(
    (answer) => JSON.parse(answer.body) as { hash: string; receipt: { result: object } },
  );
  for (const { receipt } of receipts)
    expect(receipt.result).toMatchObject({ _type: "Success", inner: { statusCode: 200 } });
  expect(new Set(receipts.map(({ hash }) => hash)).size).toBe(3);
  expect(await balance()).toBe(4_997_000);
});

it.each([
  [{ from: "nobody", url: RUN.url }, "UNKNOWN_BOOTSTRAP"],
  [{ from: "bootstrap0", url: "http://example.com/" }, "BAD_URL"],
  [{ from: "bootstrap0", url: RUN.url, tez: "0.0000001" }, "BAD_AMOUNT"],
  [{ from: "bootstrap0", url: RUN.url, body: "a", body_base64: "YQ==" }, "BAD_REQUEST"],
  [{ from: "bootstrap0" }, "BAD_REQUEST"],
])("refuses %j with %s", async (body, code) => {
  const headers = ownerOf(cli, endpoints) as Record<string, string>;
  expect(codeOf(await ask("/runtime/operations", { method: "POST", headers, body }))).toBe(code);
});

it("leads browsers to the page, and gives programs what they always got", async () => {
  const html = { accept: "text/html,application/xhtml+xml" };
  const hash = "ab".repeat(32);
  for (const [path, location] of [
    ["/", "explorer/"],
    [`/${hash}`, `explorer/#/find/${hash}`],
    [`/${BOOTSTRAP0}`, `explorer/#/find/${BOOTSTRAP0}`],
    ["/12", "explorer/#/find/12"],
  ] as const) {
    const browser = await ask(path, { headers: html });
    expect([browser.status, browser.headers["location"]]).toEqual([302, location]);
    expect(codeOf(await ask(path))).toBe("NOT_FOUND");
  }
  expect(codeOf(await ask("/nothing", { headers: html }))).toBe("NOT_FOUND");
  expect((await ask("/health", { headers: html })).headers["content-type"]).toContain("json");
});

it("serves no other file, and everything under strict rules", async () => {
  for (const name of [
    "app.js.map",
    "../run-sandboxd.cjs",
    "%2e%2e/run-sandboxd.cjs",
    "constructor",
    "index.html/",
  ])
    expect([name, (await ask(`/explorer/${name}`)).status]).toEqual([name, 404]);
  const page = await ask("/explorer/");
  expect(page.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
  });
  const rules = String(page.headers["content-security-policy"]);
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
    expect(rules).toContain(rule);
  expect(rules).not.toContain("unsafe");
});

it("never passes a part's answer on as a page", async () => {
  const answer = await ask("/explorer/api/runtime/scalar");
  expect(answer.body).toContain("<html");
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["content-security-policy"]).toContain("sandbox");
});

it.each([
  "/explorer/api/runtime/operations/stream",
  "/explorer/api/runtime/logs/KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ/stream",
  "/explorer/api/layer1/monitor/heads/main",
  "/explorer/api/layer1/chains/main/mempool/monitor_operations",
])("does not read %s, which has no end", async (path) => {
  const answer = await ask(path);
  expect([answer.status, codeOf(answer)]).toEqual([404, "NOT_FOUND"]);
});

it.each([
  ["/explorer/api/runtime/%2e%2e/health", 404],
  ["/explorer/api/layer1/chains/.%2E/admin/chain", 404],
  ["/explorer/api/layer1/.", 404],
  ["/explorer/api/logs/..%2faccounts", 400],
  ["/explorer/api/logs/KT1", 400],
])("is led nowhere else by %s", async (path, status) => {
  expect((await ask(path)).status).toBe(status);
});

it("lends nobody the owner's rights", async () => {
  expect((await ask("/explorer/api/layer1/admin/chain")).status).toBe(403);
  expect((await ask("/explorer/api/runtime/admin/hold", { method: "POST", body: {} })).status).toBe(404);
});

it("says where the page is, under the name that it was asked by", async () => {
  const { body } = await ask("/health", { headers: { host: `${REMOTE}:81` } });
  expect(JSON.parse(body)).toMatchObject({ explorer: `http://${REMOTE}:81/explorer/` });
});
