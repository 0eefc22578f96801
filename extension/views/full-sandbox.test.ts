// What the views cost with a sandbox full of accounts, functions and operations: the extension host takes more time for a
// request than for anything else of theirs.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { VERSION } from "../../daemon/protocol/constants.ts";
import type { KnownAccount, KnownAccounts } from "../session/known-accounts.ts";
import { SandboxSession } from "../session/sandbox-session.ts";
import { createAccountsView } from "./accounts-view.ts";
import { createFunctionsView } from "./functions-view.ts";
import { createOperationsView } from "./operations-view.ts";
import type { TreeNode } from "./tree.ts";

const USERS = 100;
const FUNCTIONS = 50;
const OPERATIONS = 2_000;

let head = "BLa";
const asked: string[] = [];
let sendEvent: (event: string, data: object) => void;
let following: () => void;
const followed = new Promise<void>((resolve) => (following = resolve));
const server = createServer((request, response) => {
  const url = new URL(request.url!, "http://sandbox");
  const answer = (body: unknown) => response.end(JSON.stringify(body));
  switch (url.pathname) {
    case "/health":
      return answer({ status: "healthy", pid: 1, version: VERSION, parts: [], clients: 1 });
    case "/config/":
      return answer({ layer1_node: { rpc_endpoint: at() }, runtime_node: { endpoint: at() } });
    case "/events":
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      sendEvent = (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      return following();
    case "/traces":
    case "/deposits":
      return answer([]);
  }
  if (url.searchParams.has("address") || url.pathname.includes("/blocks/head/")) asked.push(url.pathname);
  if (url.pathname === "/accounts") {
    const accounts = url.searchParams.getAll("address").map((address) => ({ address, amount: "5" }));
    return answer({ total: accounts.length, accounts });
  }
  if (url.pathname.endsWith("/head/hash")) return answer(head);
  if (url.pathname.endsWith("/balance")) return answer("7");
  if (url.pathname.endsWith("/trace")) return response.writeHead(404).end();
  response.writeHead(500).end();
});
const at = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

const list = [
  ...Array.from({ length: USERS }, (_, i) => ({ alias: `u${i}`, kind: "user", address: `tz1${i}` })),
  ...Array.from({ length: FUNCTIONS }, (_, i) => ({
    alias: `f${i}`,
    kind: "smart-function",
    address: `KT1${i}`,
  })),
] as KnownAccount[];
const known = {
  list,
  current: "u0",
  formerAlias: () => undefined,
  onChange: () => ({ dispose: () => undefined }),
} as unknown as KnownAccounts;

let session: SandboxSession;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  session = new SandboxSession({
    serverPort: () => (server.address() as AddressInfo).port,
    startContainer: undefined,
    startProcess: () => Promise.reject(new Error("nothing is to be started")),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await session.attachIfRunning();
  await followed;
});
afterAll(() => {
  session.dispose();
  server.closeAllConnections();
  server.close();
});

const rows = async (view: { provider: { getChildren(): unknown } }): Promise<TreeNode[]> =>
  (await view.provider.getChildren()) as TreeNode[];
/** Paths asked for balances and for the head while `work` ran. */
async function askedBy(work: () => Promise<unknown>): Promise<string[]> {
  asked.length = 0;
  await work();
  return [...asked];
}

it("a refresh of the accounts takes two requests, until there is another block on layer 1", async () => {
  const view = createAccountsView(session, known);
  const shown = (await rows(view)).map(({ description }) => description);
  expect(shown.length).toBe(USERS);
  expect(new Set(shown.slice(1))).toEqual(new Set(["0.000005 ꜩ · 0.000007 ꜩ on layer 1"]));
  expect((await askedBy(() => rows(view))).sort()).toEqual(["/accounts", "/chains/main/blocks/head/hash"]);
  head = "BLb";
  expect((await askedBy(() => rows(view))).length).toBe(2 + USERS);
  view.dispose();
});

it("balances on layer 1 are read again when a snapshot was restored, to whatever block", async () => {
  const view = createAccountsView(session, known);
  await rows(view);
  const restored = new Promise<void>((resolve) => {
    const subscription = session.onChange((change) => {
      if (change !== "snapshots") return;
      subscription.dispose();
      resolve();
    });
  });
  sendEvent("snapshot", { action: "restored", id: "0x1", level: 1, takenAt: new Date().toISOString() });
  await restored;
  expect((await askedBy(() => rows(view))).length).toBe(2 + USERS);
  view.dispose();
});

it("a refresh of the functions takes one request", async () => {
  const view = createFunctionsView(session, known);
  expect((await rows(view)).map(({ label }) => label)).toEqual(list.slice(USERS).map(({ alias }) => alias));
  expect(await askedBy(() => rows(view))).toEqual(["/accounts"]);
  view.dispose();
});

it("each operation refreshes the list once, and the list shows no more than a hundred", async () => {
  const view = createOperationsView(session, known, {
    inSources: (text) => Promise.resolve(text),
    firstPlace: () => undefined,
  });
  let refreshes = 0;
  const all = new Promise<void>((resolve) => {
    view.provider.onDidChangeTreeData!(() => {
      if (++refreshes === OPERATIONS) resolve();
    });
  });
  for (let i = 0; i < OPERATIONS; i++)
    sendEvent("operation", {
      hash: i.toString(16).padStart(64, "0"),
      operation: "RunFunction",
      sender: `tz1${i % USERS}`,
      target: `KT1${i % FUNCTIONS}`,
      success: true,
      failure: null,
      statusCode: 200,
    });
  await all;
  expect(session.operations.length).toBe(100);
  const shown = await rows(view);
  expect(shown.length).toBe(101); // with the row that loads more
  expect(shown[0]!.value).toBe((OPERATIONS - 1).toString(16).padStart(64, "0"));
  expect(refreshes).toBe(OPERATIONS);
  view.dispose();
});
