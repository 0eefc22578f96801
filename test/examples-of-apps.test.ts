// The examples that are whole applications: their rules, in this sandbox and as on the real runtime.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import type { TestAccount, TestFunction } from "../testing/testing.ts";
import { inBothModes, post } from "./support/both-modes.ts";

async function answer(target: TestFunction, path: string, options: Parameters<TestFunction["call"]>[1]) {
  const response = await target.call(path, options);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return [response.status, isJson ? (JSON.parse(text) as unknown) : text] as const;
}

inBothModes(({ account, example }) => {
  it("notes-hono: keeps the notes of each caller apart, and answers errors in one place", async () => {
    const [alice, bob] = [await account(), await account()];
    const notes = await example(alice, "notes-hono/index.ts");
    expect(await answer(notes, "/notes", { from: alice })).toEqual([200, []]);
    expect(await answer(notes, "/notes", post(alice, { text: "milk" }))).toEqual([
      201,
      { id: 1, text: "milk" },
    ]);
    expect(await answer(notes, "/notes", post(alice, { text: "tea" }))).toEqual([
      201,
      { id: 2, text: "tea" },
    ]);
    expect(await answer(notes, "/notes", post(alice, { text: " " }))).toEqual([
      422,
      { error: "text: 1 to 1000 characters" },
    ]);
    expect(await answer(notes, "/notes", { from: bob })).toEqual([200, []]);
    expect((await notes.call("/notes/1", { from: alice, method: "DELETE" })).status).toBe(204);
    expect(await answer(notes, "/notes/1", { from: alice, method: "DELETE" })).toEqual([
      404,
      { error: "no such note" },
    ]);
    expect(await answer(notes, "/notes", { from: alice })).toEqual([200, [{ id: 2, text: "tea" }]]);
    expect((await notes.call("/notes/x", { from: alice, method: "DELETE" })).status).toBe(404);
  });

  it("tasks-api: names the field that is wrong, and filters", async () => {
    const alice = await account();
    const tasks = await example(alice, "tasks-api/index.ts");
    const first = { id: 1, title: "write", priority: "high", done: false };
    expect(await answer(tasks, "/tasks", post(alice, { title: " write ", priority: "high" }))).toEqual([
      201,
      first,
    ]);
    expect(await answer(tasks, "/tasks", post(alice, { title: "", priority: "urgent" }))).toMatchObject([
      422,
      { details: [{ at: "title" }, { at: "priority" }] },
    ]);
    expect((await answer(tasks, "/tasks", post(alice, { title: "a", more: 1 })))[0]).toBe(422);
    expect(await answer(tasks, "/tasks", post(alice, "{"))).toMatchObject([
      400,
      { error: "the body is not JSON" },
    ]);
    await tasks.call("/tasks", post(alice, { title: "rest" }));
    const patch = { from: alice, method: "PATCH", body: { done: true } };
    expect(await answer(tasks, "/tasks/1", patch)).toEqual([200, { ...first, done: true }]);
    expect(await answer(tasks, "/tasks?done=true", { from: alice })).toMatchObject([200, { total: 1 }]);
    expect((await answer(tasks, "/tasks?limit=0", { from: alice }))[0]).toBe(422);
    expect((await answer(tasks, "/tasks/1", { from: alice, method: "PUT" }))[0]).toBe(405);
    expect((await answer(tasks, "/tasks/2", { from: alice, method: "DELETE" }))[0]).toBe(204);
    expect((await answer(tasks, "/tasks/2", { from: alice }))[0]).toBe(404);
  });

  it("nft: has one owner for each token, operators, and batches that move everything or nothing", async () => {
    const [alice, bob] = [await account(), await account()];
    const nft = await example(alice, "nft/index.ts");
    const metadata = { name: "First", artifactUri: "ipfs://a" };
    const mint = (from: TestAccount) => answer(nft, "/mint", post(from, { to: from.address, metadata }));
    expect(await mint(alice)).toEqual([201, { token_id: 0 }]);
    expect(await mint(alice)).toEqual([201, { token_id: 1 }]);
    expect(await mint(bob)).toEqual([403, { error: "NOT_THE_ARTIST" }]);
    const move = (...tokens: number[]) => [
      { from_: alice.address, txs: tokens.map((token_id) => ({ to_: bob.address, token_id, amount: 1 })) },
    ];
    expect(await answer(nft, "/transfer", post(bob, move(0)))).toEqual([403, { error: "FA2_NOT_OPERATOR" }]);
    expect(await answer(nft, "/transfer", post(alice, move(0, 9)))).toEqual([
      404,
      { error: "FA2_TOKEN_UNDEFINED" },
    ]);
    expect(await nft.kv("owners/0")).toBe(alice.address);
    const operator = { owner: alice.address, operator: bob.address, token_id: 0 };
    expect((await nft.call("/update_operators", post(bob, [{ add_operator: operator }]))).status).toBe(403);
    expect((await nft.call("/update_operators", post(alice, [{ add_operator: operator }]))).status).toBe(204);
    expect((await nft.call("/transfer", post(bob, move(0)))).status).toBe(204);
    expect(await answer(nft, "/transfer", post(bob, move(0)))).toEqual([
      400,
      { error: "FA2_INSUFFICIENT_BALANCE" },
    ]);
    const asked = [0, 1].map((token_id) => ({ owner: bob.address, token_id }));
    expect(await answer(nft, "/balance_of", post(alice, asked))).toEqual([
      200,
      asked.map((request, index) => ({ request, balance: index === 0 ? 1 : 0 })),
    ]);
    expect(await answer(nft, "/tokens/0", { from: alice })).toEqual([200, { owner: bob.address, metadata }]);
  });

  it("auction: holds the highest bid, pays the one before back, and pays the seller", async () => {
    const [seller, alice, bob] = [await account(), await account(), await account()];
    const auction = await example(seller, "auction/index.ts");
    const open = () => auction.call("/auctions", post(seller, { item: "a painting", reserve: 1_000_000 }));
    expect((await open()).status).toBe(200);
    const bid = (from: TestAccount, tez: string) =>
      answer(auction, "/auctions/1/bid", post(from, undefined, tez));
    expect(await bid(alice, "0.5")).toEqual([402, { error: "the bid is too low", least: 1_000_000 }]);
    expect(await alice.balance()).toBe(20_000_000n);
    expect((await bid(alice, "2"))[0]).toBe(200);
    expect(await bid(bob, "2.05")).toEqual([402, { error: "the bid is too low", least: 2_100_000 }]);
    expect((await bid(bob, "3"))[0]).toBe(200);
    expect([await alice.balance(), await bob.balance(), await auction.balance()]).toEqual([
      20_000_000n,
      17_000_000n,
      3_000_000n,
    ]);
    expect((await bid(seller, "9"))[0]).toBe(403);
    expect((await auction.call("/auctions/1/close", post(bob))).status).toBe(403);
    expect((await auction.call("/auctions/1/close", post(seller))).status).toBe(200);
    expect([await seller.balance(), await auction.balance()]).toEqual([23_000_000n, 0n]);
    expect((await bid(alice, "9"))[0]).toBe(409);
    await open();
    await auction.call("/auctions/2/bid", post(alice, undefined, "1"));
    expect((await auction.call("/auctions/2/cancel", post(seller))).status).toBe(200);
    expect(await alice.balance()).toBe(20_000_000n);
  });

  it("vote: pays what more than half of the members want, and undoes a vote that cannot be paid", async () => {
    const [founder, alice, bob] = [await account(), await account(), await account()];
    const dao = await example(founder, "vote/index.ts", "5");
    for (const { address } of [alice, bob]) await dao.call("/members", post(founder, { address }));
    expect((await dao.call("/members", post(alice, { address: alice.address }))).status).toBe(403);
    const propose = (from: TestAccount, amount: number) =>
      answer(dao, "/proposals", post(from, { to: bob.address, amount, reason: "a server" }));
    expect((await propose(await account(), 1))[0]).toBe(403);
    expect((await propose(alice, 3_000_000))[0]).toBe(200);
    const vote = (from: TestAccount, id: number, choice: string) =>
      answer(dao, `/proposals/${id}/${choice}`, post(from));
    expect(await vote(alice, 1, "yes")).toMatchObject([200, { state: "open", votes: { yes: 1, no: 0 } }]);
    expect(await vote(alice, 1, "no")).toEqual([409, { error: "you have voted" }]);
    expect(await vote(bob, 1, "yes")).toMatchObject([200, { state: "paid" }]);
    expect([await bob.balance(), await dao.balance()]).toEqual([23_000_000n, 2_000_000n]);
    await propose(alice, 1_000_000);
    expect(await vote(bob, 2, "no")).toMatchObject([200, { state: "open" }]);
    expect(await vote(founder, 2, "no")).toMatchObject([200, { state: "rejected" }]);
    await propose(alice, 9_000_000);
    await vote(alice, 3, "yes");
    expect((await vote(bob, 3, "yes"))[0]).toBe(500);
    expect(await answer(dao, "/proposals/3", { from: bob })).toMatchObject([
      200,
      { state: "open", votes: { yes: 1 } },
    ]);
  });

  it("price-feed: reads its source when an interval is over, and no other", async () => {
    let reading: unknown = { time: 1000, price: 1.5 };
    const server = createServer((_request, reply) => reply.end(JSON.stringify(reading)));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const [alice, bob] = [await account(), await account()];
      const feed = await example(alice, "price-feed/index.ts");
      const tick = (of = source) => answer(feed, `/tick?source=${of}`, post(bob));
      expect(await tick()).toEqual([403, "not the source"]);
      expect((await feed.call("/configure", post(alice, { source, interval: 60 }))).status).toBe(200);
      expect((await feed.call("/configure", post(bob, { source, interval: 1 }))).status).toBe(403);
      expect((await answer(feed, "/price", { from: bob }))[0]).toBe(404);
      expect(await tick()).toEqual([200, { updated: true, next: 1060 }]);
      reading = { time: 1059, price: 9 };
      expect(await tick()).toEqual([200, { updated: false, next: 1060 }]);
      reading = { time: 1060, price: 1.6 };
      expect(await tick()).toEqual([200, { updated: true, next: 1120 }]);
      expect(await answer(feed, "/price", { from: bob })).toEqual([200, { time: 1060, price: 1.6 }]);
      reading = { time: 1200, price: -1 };
      expect(await tick()).toEqual([502, "the source gives no price"]);
      expect((await tick(`${source}other`))[0]).toBe(403);
      expect(await tick("")).toEqual([400, "source: a URL"]);
      expect(await answer(feed, "/history", { from: bob })).toMatchObject([
        200,
        [{ time: 1000 }, { time: 1060 }],
      ]);
    } finally {
      server.close();
    }
  });
});
