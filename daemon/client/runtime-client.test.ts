import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SandboxError } from "../protocol/errors.ts";
import { createRuntimeClient, type RuntimeClient } from "./runtime-client.ts";

let server: Server;
let body: string;
/** Called with the path of each request. */
let onRequest: (path: string) => void;
/** Answers with status 200, by path. */
let answers: Readonly<Record<string, string>>;
/** Answers with status 200 what it does not leave to `answers`. */
let answering: ((url: string) => string) | undefined;
/** Of all others. */
let status: number;
let client: RuntimeClient;
beforeEach(async () => {
  answers = {};
  answering = undefined;
  status = 503;
  onRequest = () => undefined;
  server = createServer(({ url = "" }, response) => {
    onRequest(url);
    const answer = answering?.(url) ?? answers[url];
    response.writeHead(answer === undefined ? status : 200).end(answer ?? body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = createRuntimeClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

it("passes on the error of our server, with its code and next step", async () => {
  const busy = new SandboxError("SHUTTING_DOWN");
  body = JSON.stringify(busy.toBody());
  const expected = { code: "SHUTTING_DOWN", message: busy.message, next: busy.next };
  await expect(client.account("tz1")).rejects.toMatchObject(expected);
  await expect(client.receipt("00")).rejects.toMatchObject(expected);
});

it.each([
  ["a sentence", "The pool is full", /The pool is full/],
  ["an error in JSON", '{"error":"The pool is full"}', /The pool is full/],
  ["nothing", "", /status 503/],
])("reports %s of another node as the reason", async (_what, sent, reason) => {
  body = sent;
  await expect(client.account("tz1")).rejects.toMatchObject({
    code: "OPERATION_FAILED",
    message: expect.stringMatching(reason),
  });
});

const HELD = { hash: "ab".repeat(32), waiting: 0, seconds: 60 };

it("knows an operation that a debugger holds", async () => {
  answers = { "/operations/held": JSON.stringify({ held: HELD }) };
  expect(await client.held()).toEqual(HELD);
});

it.each([
  ["a terminal's escape", { hash: "\u001b[2J" }],
  ["a long text", { hash: "ab".repeat(50_000) }],
  ["less than nothing waiting", { waiting: -1 }],
  ["half an operation waiting", { waiting: 0.5 }],
  ["a time in the past", { seconds: -1 }],
  ["a longer time than any debugger", { seconds: 61 }],
])("does not believe in a held operation with %s", async (_what, claim) => {
  answers = { "/operations/held": JSON.stringify({ held: { ...HELD, ...claim } }) };
  await expect(client.held()).rejects.toMatchObject({ code: "ANSWER_MALFORMED" });
});

it("does not ask again for a malformed receipt, whoever claims to hold operations", async () => {
  answers = { "/operations/held": JSON.stringify({ held: HELD }), "/operations/00/receipt": "[[[" };
  await expect(client.waitForReceipt("00")).rejects.toMatchObject({ code: "ANSWER_MALFORMED" });
});

it("waits a minute at most for a node that fails while it claims that a debugger holds operations", async () => {
  answers = { "/operations/held": JSON.stringify({ held: HELD }) };
  body = "broken";
  vi.useFakeTimers({ toFake: ["performance"] });
  let requests = 0;
  onRequest = (path) => {
    if (path !== "/operations/00/receipt") return;
    requests += 1;
    vi.advanceTimersByTime(20_000);
  };
  await expect(client.waitForReceipt("00")).rejects.toMatchObject({
    code: "OPERATION_FAILED",
    message: expect.stringContaining("broken") as string,
  });
  expect(requests).toBe(4);
});

describe("balances", () => {
  const addresses = Array.from({ length: 450 }, (_, i) => `tz1${i}`);
  const askedIn = (url: string): string[] => new URL(url, "http://node").searchParams.getAll("address");

  it("of many accounts take a few requests", async () => {
    const asked: string[] = [];
    answering = (url) => {
      asked.push(url);
      const accounts = askedIn(url).map((address) => ({ address, amount: address.slice(3), nonce: "0" }));
      return JSON.stringify({ total: accounts.length, accounts });
    };
    const balances = await client.balances(addresses);
    expect([...balances]).toEqual(addresses.map((address, i) => [address, BigInt(i)]));
    expect(asked.length).toBe(3);
    expect(asked.map((url) => url.length).filter((length) => length > 16_000)).toEqual([]);
  });

  it("lack accounts that do not exist, also of a node without lists", async () => {
    answers = {
      "/accounts?address=tz1a&address=tz1b": '{"total":1,"accounts":[{"address":"tz1b","amount":"7"}]}',
    };
    expect([...(await client.balances(["tz1a", "tz1b"]))]).toEqual([["tz1b", 7n]]);
    status = 404;
    answers = { "/accounts/tz1b/balance": "7" };
    expect([...(await client.balances(["tz1a", "tz1b"]))]).toEqual([["tz1b", 7n]]);
  });
});
