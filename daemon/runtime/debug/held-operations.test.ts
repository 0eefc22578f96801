// Operations held by a debug session, over HTTP, with the real executor.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readEvents } from "../../client/server-sent-events.ts";
import { ownerHeaders } from "../../protocol/admin-secret.ts";
import type { Arrival, FirstStop, HoldEvents, OpenedSession } from "../../protocol/debug-session-api.ts";
import type { HeldReport } from "../../protocol/held-operation.ts";
import { tezDepositMessage } from "../inbox/test-deposit.ts";
import { FakeRollup, runContent, Signer, startNode, type StartedNode, TEST_SECRET } from "../test-node.ts";
import { CALLEE, OUTSIDE } from "./test-operations.ts";

let node: StartedNode;
let rollup: FakeRollup;
let alice: Signer;
let callee: string;
const endings: AbortController[] = [];

beforeEach(async () => {
  rollup = new FakeRollup();
  await rollup.start();
  const oracle = { enabled: false, allowPrivate: false, allowedHosts: [], timeoutLevels: 20 };
  node = await startNode({ rollupEndpoint: () => rollup.endpoint, oracle });
  alice = new Signer(node.client);
  callee = await alice.deploy(CALLEE);
});
afterEach(async () => {
  for (const end of endings.splice(0)) end.abort();
  await node.stop();
  await rollup.stop();
});

async function ask<T>(action: string, body: object, headers = ownerHeaders(TEST_SECRET)): Promise<T> {
  const response = await fetch(`${node.endpoint}/admin/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

interface Failure {
  readonly error: { readonly code: string };
}

/** A hold, as a client has it. */
class Client {
  readonly #end = new AbortController();
  readonly #events: AsyncGenerator<{ event?: string; data: string }>;
  hold = "";

  constructor(seconds: number, headers = ownerHeaders(TEST_SECRET)) {
    endings.push(this.#end);
    this.#events = readEvents(`${node.endpoint}/admin/debug/hold`, {
      body: JSON.stringify({ seconds }),
      headers,
      signal: this.#end.signal,
    });
  }

  async open(): Promise<this> {
    this.hold = (await this.next("open")).hold;
    return this;
  }

  async next<Name extends keyof HoldEvents>(name: Name): Promise<HoldEvents[Name]> {
    const { value } = (await this.#events.next()) as { value: { event: string; data: string } };
    expect(value.event).toBe(name);
    return JSON.parse(value.data) as HoldEvents[Name];
  }

  async isOver(): Promise<boolean> {
    return (await this.#events.next()).done === true;
  }

  session<T>(body: object): Promise<T> {
    return ask("debug/session", { hold: this.hold, ...body });
  }

  disconnect(): void {
    this.#end.abort();
  }
}

const holding = (seconds = 60): Promise<Client> => new Client(seconds).open();

async function send(n: number, signer = alice, uri = `jstz://${callee}/add?n=${n}`): Promise<string> {
  const { signed, hash } = signer.sign(runContent(uri));
  await node.client.inject(signed);
  return hash;
}

const heldOperation = async (): Promise<HeldReport["held"]> =>
  ((await (await fetch(`${node.endpoint}/operations/held`)).json()) as HeldReport).held;
const storedValue = (): Promise<unknown> => node.client.kv(callee, "n");

describe("an operation held by a debug session", () => {
  it("is recorded on the state before it, and runs when the session closes", async () => {
    await alice.run(`jstz://${callee}/add?n=5`);
    const client = await holding();
    const hash = await send(7);
    expect(await client.next("held")).toEqual({ hash, seconds: 60 });
    const receipt = node.client.waitForReceipt(hash);
    expect(await heldOperation()).toMatchObject({ hash, waiting: 0 });
    expect(await node.part.health()).toMatchObject({
      healthy: true,
      detail: expect.stringContaining("held by the debugger") as string,
    });
    const opened = await client.session<OpenedSession>({ command: "open", hash });
    expect(opened).toMatchObject({ hash, title: `GET jstz://${callee}/add?n=7`, failure: null });
    const { session } = opened;
    const source = `jstz://${callee}`;
    await ask("debug/session", { session, command: "breakpoints", source, breakpoints: [{ line: 3 }] });
    const arrival = await ask<Arrival>("debug/session", {
      session,
      command: "go",
      motion: { kind: "continue" },
    });
    expect(arrival).toMatchObject({ reason: "breakpoint" });
    const look = { session, command: "evaluate", expression: 'Kv.get("n")' };
    expect(await ask("debug/session", look)).toMatchObject({ value: "5" });
    expect(await storedValue()).toBe(5);
    expect(await heldOperation()).toMatchObject({ hash });
    await ask("debug/session", { session, command: "close" });
    expect(await client.next("released")).toEqual({ hash, by: "session" });
    expect((await receipt).result._type).toBe("Success");
    expect([await storedValue(), await heldOperation()]).toEqual([12, null]);
  });

  it("goes on at once when nothing stops in it", async () => {
    const client = await holding();
    for (const n of [3, 4]) {
      const hash = await send(n);
      await client.next("held");
      const look = { command: "look", hash, breakpoints: [], filters: ["all"], dataBreakpoints: [] };
      expect(await client.session<FirstStop>(look)).toMatchObject({ arrival: { reason: "end" } });
      expect(await client.next("released")).toEqual({ hash, by: "session" });
      expect((await node.client.waitForReceipt(hash)).result._type).toBe("Success");
    }
    expect([await storedValue(), await heldOperation()]).toEqual([7, null]);
  });

  it("goes on when its time is over; its session stays, and holds nothing else until it ends", async () => {
    const client = await holding(1);
    const hash = await send(1);
    await client.next("held");
    const { session } = await client.session<OpenedSession>({ command: "open", hash });
    expect(await client.next("released")).toEqual({ hash, by: "time" });
    expect((await node.client.waitForReceipt(hash)).result._type).toBe("Success");
    const start = { session, command: "go", motion: { kind: "start" } };
    expect(await ask("debug/session", start)).toMatchObject({ reason: "entry" });
    await node.client.waitForReceipt(await send(2));
    await client.session({ command: "done", hash });
    await ask("debug/session", { session, command: "close" });
    const next = await send(4);
    expect(await client.next("held")).toMatchObject({ hash: next });
    await client.session({ command: "done", hash: next });
    await node.client.waitForReceipt(next);
    expect(await storedValue()).toBe(7);
  });

  it("keeps those behind it in order, deposits too", async () => {
    const bob = new Signer(node.client);
    const client = await holding();
    const first = await send(1);
    await client.next("held");
    const level = rollup.bake(tezDepositMessage(bob.address, 5n));
    const others = [await send(2), await send(4, bob)];
    while (((await heldOperation())?.waiting ?? 0) < 3) await new Promise((resolve) => setImmediate(resolve));
    expect([await node.client.balance(bob.address), await storedValue(), level]).toEqual([0n, undefined, 1]);
    for (const hash of [first, ...others]) {
      await client.session({ command: "done", hash });
      await client.next("released");
      if (hash !== others[1]) await client.next("held");
    }
    await Promise.all(others.map((hash) => node.client.waitForReceipt(hash)));
    expect([await node.client.balance(bob.address), await storedValue()]).toEqual([5n, 7]);
  });

  it("goes on within a second when the connection of the session is lost", async () => {
    const client = await holding();
    const hash = await send(3);
    await client.next("held");
    await client.session<OpenedSession>({ command: "open", hash });
    const begun = performance.now();
    client.disconnect();
    await node.client.waitForReceipt(hash);
    expect(performance.now() - begun).toBeLessThan(1_000);
    await node.client.waitForReceipt(await send(4));
    expect(await storedValue()).toBe(7);
    await holding(); // the place is free again
  });

  it("gives way to snapshots, which contain it, and to the end of the sandbox", async () => {
    const client = await holding();
    const hash = await send(3);
    await client.next("held");
    expect(await ask("hold", {})).toEqual({});
    expect(await client.next("released")).toEqual({ hash, by: "owner" });
    expect(await ask("snapshot", { id: "a", level: 0 })).toEqual({ taken: true });
    expect(await storedValue()).toBe(3);
    await client.session({ command: "done", hash });
    const other = await send(4);
    await client.next("held");
    expect(await ask("hold", { id: "a" })).toEqual({});
    await client.next("released");
    expect(await ask("restore", { id: "a", level: rollup.bake() })).toEqual({});
    expect(await storedValue()).toBe(3);
    await client.session({ command: "done", hash: other });
    alice.nonce--;
    const last = await send(9);
    await client.next("held");
    const receipt = node.client.waitForReceipt(last);
    await node.part.stop(1_000);
    expect((await receipt).result._type).toBe("Success");
    expect(await client.next("released")).toEqual({ hash: last, by: "owner" });
    expect(await client.isOver()).toBe(true);
  });

  it("is no session's when it asks the outside: it goes on at once", async () => {
    const outside = await alice.deploy(OUTSIDE);
    const client = await holding();
    const hash = await send(0, alice, `jstz://${outside}/one`);
    await client.next("held");
    expect(await client.session<Failure>({ command: "open", hash })).toMatchObject({
      error: { code: "REPLAY_IMPOSSIBLE" },
    });
    expect(await client.next("released")).toEqual({ hash, by: "session" });
    await node.client.waitForReceipt(hash);
  });
});

describe("the right to hold operations", () => {
  it("is the owner's, and one session's at a time", async () => {
    await expect(new Client(5, {}).open()).rejects.toMatchObject({ code: "OWNER_ONLY" });
    for (const seconds of [0, 61, 1.5, "5" as never])
      await expect(new Client(seconds).open()).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await holding();
    await expect(holding()).rejects.toMatchObject({ code: "HOLD_TAKEN" });
  });

  it("is needed to let a held operation go, or to look at it", async () => {
    const client = await holding();
    const hash = await send(3);
    await client.next("held");
    for (const command of ["release", "done"]) {
      expect(await ask<Failure>("debug/session", { command, hash })).toMatchObject({
        error: { code: "BAD_REQUEST" },
      });
      await ask("debug/session", { command, hash, hold: "another" });
    }
    expect(await ask<Failure>("debug/session", { command: "open", hash })).toMatchObject({
      error: { code: "REPLAY_IMPOSSIBLE" },
    });
    expect(await heldOperation()).toMatchObject({ hash });
    await client.session({ command: "release", hash });
    await node.client.waitForReceipt(hash);
  });
});
