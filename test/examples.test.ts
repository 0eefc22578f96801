// Every example, deployed and called as in its README, as in this sandbox and as on the real runtime.
import { createServer, type Server } from "node:http";
import { expect, it } from "vitest";
import type { TestAccount } from "../testing/testing.ts";
import { inBothModes, post } from "./support/both-modes.ts";

inBothModes(({ account, example }) => {
  it("token: mints, transfers in all-or-nothing batches, and lets operators act", async () => {
    const alice = await account("20");
    const bob = await account("20");
    const token = await example(alice, "token/index.ts");
    const balance = async (owner: TestAccount) =>
      (
        (await (await token.call(`/balance?owner=${owner.address}`, { from: alice })).json()) as {
          balance: number;
        }
      ).balance;
    expect(
      (await token.call("/mint", post(alice, { to: alice.address, tokenId: 0, amount: 100 }))).status,
    ).toBe(200);
    expect((await token.call("/mint", post(bob, { to: bob.address, tokenId: 0, amount: 1 }))).status).toBe(
      403,
    );
    const move = (from: TestAccount, ...amounts: number[]) => [
      { from: from.address, transfers: amounts.map((amount) => ({ to: bob.address, tokenId: 0, amount })) },
    ];
    expect((await token.call("/transfer", post(alice, move(alice, 60, 60)))).status).toBe(400);
    expect([await balance(alice), await balance(bob)]).toEqual([100, 0]);
    expect((await token.call("/transfer", post(bob, move(alice, 10)))).status).toBe(403);
    await token.call("/operators", post(alice, { operator: bob.address, tokenId: 0, allowed: true }));
    expect((await token.call("/transfer", post(bob, move(alice, 10)))).status).toBe(204);
    expect([await balance(alice), await balance(bob)]).toEqual([90, 10]);
  });

  it("name-registry: validates, keeps owners apart, and deletes", async () => {
    const alice = await account("20");
    const bob = await account("20");
    const names = await example(alice, "name-registry/index.ts");
    expect((await names.call("/names", post(alice, { name: "A!" }))).status).toBe(422);
    expect((await names.call("/names", post(alice, { name: "ada" }))).status).toBe(201);
    expect((await names.call("/names", post(bob, { name: "ada" }))).status).toBe(409);
    expect(await (await names.call("/names/ada", { from: bob })).json()).toEqual({
      owner: alice.address,
      about: "",
    });
    expect((await names.call("/names/ada", { from: bob, method: "DELETE" })).status).toBe(403);
    expect((await names.call("/names/ada", { from: alice, method: "DELETE" })).status).toBe(204);
    expect((await names.call("/names/ada", { from: bob })).status).toBe(404);
  });

  it("escrow: moves tez into a nested call and back to the buyer", async () => {
    const alice = await account("20");
    const bob = await account("20");
    const escrow = await example(alice, "escrow/escrow.ts");
    const shop = await example(alice, "escrow/shop.ts");
    await shop.call("/configure", post(alice, { escrow: escrow.address }));
    expect((await shop.call("/buy", post(bob))).status).toBe(402);
    expect(await (await shop.call("/buy", post(bob, undefined, "3"))).json()).toEqual({ held: 3_000_000 });
    expect([await bob.balance(), await escrow.balance(), await shop.balance()]).toEqual([
      17_000_000n,
      3_000_000n,
      0n,
    ]);
    expect((await shop.call("/cancel", post(alice))).status).toBe(404);
    expect(await (await shop.call("/cancel", post(bob))).json()).toEqual({ refunded: 3_000_000 });
    expect([await bob.balance(), await escrow.balance()]).toEqual([20_000_000n, 0n]);
    expect((await escrow.call("/refund?buyer=x", post(alice))).status).toBe(403);
  });

  it("oracle-reader: reads through the oracle and stores the result", async () => {
    const alice = await account("20");
    const server: Server = createServer((_request, response) => response.end("the outside world"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    try {
      const reader = await example(alice, "oracle-reader/index.ts");
      const source = `http://127.0.0.1:${port}/`;
      const found = { source, status: 200, text: "the outside world" };
      expect(await (await reader.call(`/?source=${source}`, { from: alice })).json()).toEqual(found);
      expect(await (await reader.call("/latest", { from: alice })).json()).toEqual(found);
      expect((await reader.call("/?source=http://169.254.169.254/", { from: alice })).status).toBe(502);
    } finally {
      server.close();
    }
  });
});
