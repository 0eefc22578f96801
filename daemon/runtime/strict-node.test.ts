// The node of the strict mode: its answers are those of a real one.
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringifyExact } from "../protocol/exact-json.ts";
import { operationBytes } from "../protocol/operation-size.ts";
import { LIMITS, TEXTS } from "../protocol/real-runtime.ts";
import { runContent, Signer, type StartedNode, startNode } from "./test-node.ts";

let node: StartedNode;
beforeAll(async () => {
  node = await startNode({ strict: true });
});
afterAll(() => node.stop());

const get = (path: string, init?: RequestInit) => fetch(`${node.endpoint}${path}`, init);
const inject = (signed: unknown) =>
  get("/operations", {
    method: "POST",
    body: stringifyExact(signed),
    headers: { "content-type": "application/json" },
  });

it("answers 404 for the receipt of an operation that is under way", async () => {
  const alice = new Signer(node.client);
  const busy = await alice.deploy(
    "export default () => { for (let i = 0; i < 3e6; i++); return new Response(); }",
  );
  const { signed, hash } = alice.sign(runContent(`jstz://${busy}/`));
  await inject(signed);
  const receipt = await get(`/operations/${hash}/receipt`);
  expect([receipt.status, await receipt.text()]).toEqual([404, ""]);
  expect((await node.client.waitForReceipt(hash)).result._type).toBe("Success");
});

it("refuses a call above the limit, to the byte, and accepts a large deploy", async () => {
  const alice = new Signer(node.client);
  const address = await alice.deploy(`export default () => new Response();//${"x".repeat(20_000)}`);
  const contentOf = (bytes: number) => runContent(`jstz://${address}/?${"x".repeat(bytes)}`);
  const bare = operationBytes(alice.key.publicKey.text, contentOf(0) as never);
  const fits = alice.sign(contentOf(LIMITS.operationBytes - bare));
  expect((await inject(fits.signed)).status).toBe(200);
  expect((await node.client.waitForReceipt(fits.hash)).result._type).toBe("Success");
  const refused = await inject(alice.sign(contentOf(LIMITS.operationBytes - bare + 1)).signed);
  expect([refused.status, await refused.text()]).toEqual([400, `{"error":"${TEXTS.largeRun}"}`]);
});

it("has no withdrawals for users", async () => {
  const { statusCode, body } = await new Signer(node.client).run("jstz://jstz/withdraw", {
    method: "POST",
    body: "{}",
  });
  expect([statusCode, body]).toEqual([400, TEXTS.withdrawal]);
});
