import { afterAll, beforeAll, expect, it } from "vitest";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { Signer, startNode, type StartedNode, TEST_SECRET } from "./test-node.ts";

const SOURCE = `export default (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/clear") Kv.delete("own");
  else Kv.set(pathname.slice(1), (Kv.get(pathname.slice(1)) ?? 0) + 1);
  return Response.json([Kv.get("own") ?? null, Kv.get("list/a") ?? null]);
};`;

let node: StartedNode;
beforeAll(async () => (node = await startNode({})), 60_000);
afterAll(() => node.stop());

async function take(body: object, headers: Record<string, string> = ownerHeaders(TEST_SECRET)) {
  const response = await fetch(`${node.endpoint}/admin/store`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it("moves every value, replaces the store of the receiver, and the executor continues from there", async () => {
  const alice = new Signer(node.client);
  const from = await alice.deploy(SOURCE, 0n);
  const to = await alice.deploy(`${SOURCE}// second`, 0n);
  for (const path of ["own", "own", "list/a"]) await alice.run(`jstz://${from}/${path}`);
  await alice.run(`jstz://${to}/stray`);

  expect(await take({ from, to })).toEqual({ status: 200, body: { values: 2 } });
  expect(await node.client.kv(to, "own")).toBe(2);
  expect(await node.client.kv(to, "stray")).toBeUndefined();
  expect(await node.client.kv(from, "own")).toBeUndefined();
  expect((await alice.run(`jstz://${to}/own`)).body).toBe("[3,1]");
  expect((await alice.run(`jstz://${from}/own`)).body).toBe("[1,null]");
});

it("waits for running calls, and new operations wait for it", async () => {
  const alice = new Signer(node.client);
  const from = await alice.deploy(`${SOURCE}// third`, 0n);
  const to = await alice.deploy(`${SOURCE}// fourth`, 0n);
  const calls = Array.from({ length: 20 }, () => alice.run(`jstz://${from}/own`));
  const moved = take({ from, to });
  const later = alice.run(`jstz://${to}/own`);
  await Promise.all([...calls, later]);
  const { values } = (await moved).body as { values: number };
  const [left, taken] = await Promise.all([node.client.kv(from, "own"), node.client.kv(to, "own")]);
  // All earlier calls were moved at once: no call is lost or counted twice.
  expect(Number(left ?? 0) + Number(taken)).toBe(21);
  expect(values).toBeLessThanOrEqual(1);
});

it("changes nothing where a function is missing, or the owner's secret", async () => {
  const alice = new Signer(node.client);
  const from = await alice.deploy(`${SOURCE}// fifth`, 0n);
  await alice.run(`jstz://${from}/own`);
  const missing = await take({ from, to: "KT1BRd2ka5q2cPRdXALtXD1QZ38CPam2j1ye" });
  expect([missing.status, missing.body]).toMatchObject([404, { error: { code: "FUNCTION_GONE" } }]);
  expect((await take({ from, to: 5 })).body).toMatchObject({ error: { code: "BAD_REQUEST" } });
  expect((await take({ from, to: from }, {})).body).toMatchObject({ error: { code: "OWNER_ONLY" } });
  expect((await take({ from, to: from })).body).toEqual({ values: 0 });
  expect(await node.client.kv(from, "own")).toBe(1);
});
