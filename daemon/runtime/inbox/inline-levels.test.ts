import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../parts/log.ts";
import { EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { InboxFollower } from "./inbox-follower.ts";
import { tezDepositMessage } from "./test-deposit.ts";

const RECEIVER = "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV";

let server: Server;
let follower: InboxFollower;
let deposits: readonly object[];
afterEach(async () => {
  await follower.stop();
  server.closeAllConnections();
  server.close();
});

/** Follows a stream of these lines; returns the levels that were fetched by the time all lines are read. */
async function follow(lines: readonly object[], last: number): Promise<number[]> {
  const asked: number[] = [];
  const taken: object[] = [];
  deposits = taken;
  server = createServer((request, response) => {
    if (request.url === "/global/monitor_blocks") {
      for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
      return;
    }
    asked.push(Number(request.url?.split("/").at(-1)));
    response.end(JSON.stringify({ messages: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  follower = new InboxFollower({
    endpoint: () => `http://127.0.0.1:${port}`,
    rollupAddress: ROLLUP_ADDRESS,
    exchangerAddress: EXCHANGER_ADDRESS,
    log: silentLog,
    onDeposit: ({ receiver, amount }, place) => void taken.push({ receiver, amount, ...place }),
  });
  follower.start();
  await expect.poll(() => follower.level).toBe(last);
  return asked;
}

describe("the inbox follower and inline data of the block stream", () => {
  it("fetches each level when the stream has only levels, like that of a real rollup node", async () => {
    expect(await follow([{ level: 2 }, { level: 3 }], 3)).toEqual([1, 2, 3]);
  });

  it("skips levels that the stream reports as empty, but fetches levels missing from it", async () => {
    const lines = [
      { level: 2, inbox_messages: 0 },
      { level: 3, inbox_messages: 0 },
      { level: 4, inbox_messages: 1 },
      { level: 6, inbox_messages: 0 },
    ];
    expect(await follow(lines, 6)).toEqual([1, 4, 5]);
  });

  it("uses the messages inline in a line, in order, and fetches them when they are missing", async () => {
    const messages = [
      "0001",
      "0003",
      tezDepositMessage(RECEIVER, 7n),
      tezDepositMessage(RECEIVER, 8n),
      "0002",
    ];
    const lines = [
      { level: 1, inbox_messages: 2, messages },
      { level: 2, inbox_messages: 2 },
      { level: 4, inbox_messages: 1, messages: messages.slice(0, 3) },
    ];
    expect(await follow(lines, 4)).toEqual([2, 3]);
    expect(deposits).toEqual([
      { receiver: RECEIVER, amount: 7n, level: 1, index: 2 },
      { receiver: RECEIVER, amount: 8n, level: 1, index: 3 },
      { receiver: RECEIVER, amount: 7n, level: 4, index: 2 },
    ]);
  });
});
