import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { runContent, Signer, startNode, type StartedNode, TEST_SECRET } from "./test-node.ts";

const SOURCE = `export default (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/add") Kv.set("n", (Kv.get("n") ?? 0) + 1);
  return Response.json([Kv.get("n") ?? null]);
};`;

let node: StartedNode;
let alice: Signer;
let address: string;
beforeAll(async () => {
  node = await startNode({ maxCharacters: 400_000 });
  alice = new Signer(node.client);
  address = await alice.deploy(SOURCE, 0n);
}, 60_000);
afterAll(() => node.stop());
beforeEach(() => edit({ address, key: "n", value: "7" }));

async function edit(body: object, headers: Record<string, string> = ownerHeaders(TEST_SECRET)) {
  const response = await fetch(`${node.endpoint}/admin/value`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
  return (await response.json()) as Record<string, unknown>;
}

it("sets a value, which the next call reads, and deletes it", async () => {
  expect((await alice.run(`jstz://${address}/add`)).body).toBe("[8]");
  expect(await edit({ address, key: "n", value: "[1, 2]" })).toEqual({ before: "8" });
  expect(await node.client.kv(address, "n")).toEqual([1, 2]);
  expect(await edit({ address, key: "n", value: null })).toEqual({ before: "[1,2]" });
  expect((await alice.run(`jstz://${address}/add`)).body).toBe("[1]");
});

it("keeps numbers exactly as they were written", async () => {
  await edit({ address, key: "big", value: '{"n":9007199254740993, "f":1.0}' });
  const response = await fetch(`${node.endpoint}/accounts/${address}/kv?key=big`);
  expect(await response.text()).toContain("9007199254740993");
  expect(await edit({ address, key: "big", value: null })).toEqual({
    before: '{"n":9007199254740993,"f":1.0}',
  });
});

it("leaves earlier operations as they were: they run again on the state of their time", async () => {
  const { signed, hash } = alice.sign(runContent(`jstz://${address}/add`));
  await node.client.inject(signed);
  await node.client.waitForReceipt(hash);
  await edit({ address, key: "n", value: "100" });
  const replayed = await fetch(`${node.endpoint}/admin/debug/lines`, {
    method: "POST",
    body: JSON.stringify({ hash }),
    headers: { "content-type": "application/json", ...ownerHeaders(TEST_SECRET) },
  });
  expect(replayed.status).toBe(200); // otherwise REPLAY_DIFFERS
});

it.each([
  ["a key with a space", { key: "a b" }],
  ["an empty part of a key", { key: "a//b" }],
  ["a long key", { key: "k".repeat(197) }],
  ["text that is no JSON", { value: "{a:1}" }],
  ["a value as an object", { value: { a: 1 } }],
  ["no value", { value: undefined }],
  ["deep JSON", { value: "[".repeat(2_000) + "]".repeat(2_000) }],
  ["a long value", { value: JSON.stringify("x".repeat(512 * 1024)) }],
  ["more than the sandbox may store", { value: JSON.stringify("x".repeat(401_000)) }],
])("refuses %s and changes nothing", async (_what, wrong) => {
  expect(await edit({ address, key: "n", value: "8", ...wrong })).toMatchObject({
    error: { code: "BAD_REQUEST" },
  });
  expect(await node.client.kv(address, "n")).toBe(7);
});

it("refuses strangers, and addresses without a function", async () => {
  const wanted = { address, key: "n", value: "8" };
  expect(await edit(wanted, {})).toMatchObject({ error: { code: "OWNER_ONLY" } });
  for (const none of ["KT1BRd2ka5q2cPRdXALtXD1QZ38CPam2j1ye", "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb"])
    expect(await edit({ ...wanted, address: none })).toMatchObject({ error: { code: "FUNCTION_GONE" } });
  expect(await node.client.kv(address, "n")).toBe(7);
});
