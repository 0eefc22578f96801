import { beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../parts/log.ts";
import { createServer } from "./server.ts";
import { SharedThread } from "./shared-thread.ts";

let now: number;
let turns: (() => void)[];
let thread: SharedThread;
let order: string[];
let refused: string[];
beforeEach(() => {
  now = 0;
  turns = [];
  order = [];
  refused = [];
  thread = new SharedThread({ now: () => now, nextTurn: (run) => turns.push(run) });
});

const run = (name: string, ms: number, isGone = (): boolean => false): void =>
  thread.run({
    of: "test",
    name,
    kind: name.split(" ")[0]!,
    isGone,
    refuse: () => refused.push(name),
    go: () => {
      now += ms;
      order.push(name);
    },
  });
/** A turn of the event loop. */
const turn = (): void => {
  for (const each of turns.splice(0)) each();
};
const drainOrder = (): string[] => order.splice(0);

describe("the thread", () => {
  it("does new work at once until the turn's time is used up", () => {
    for (const name of ["a", "b", "c", "d", "e"]) run(name, 4);
    expect(drainOrder()).toEqual(["a", "b", "c"]);
    turn();
    expect(drainOrder()).toEqual(["d", "e"]);
    expect(turns).toHaveLength(0);
  });

  it("does known quick work at once, whatever is queued", () => {
    run("quick", 1);
    for (let i = 0; i < 100; i++) run(`other ${i}`, 20);
    run("quick", 1);
    expect(drainOrder()).toEqual(["quick", "other 0", "quick"]);
  });

  it("does not treat work as long because it once took long", () => {
    run("quick", 1);
    run("quick", 30);
    for (let i = 0; i < 100; i++) run(`other ${i}`, 20);
    run("quick", 1);
    expect(order.filter((name) => name === "quick")).toHaveLength(3);
  });

  it("does not let quick work of a kind hide long work", () => {
    for (const ms of [1, 20, 20, 20]) {
      run("kind", ms);
      turn();
    }
    let atOnce = 0;
    for (let i = 0; i < 100; i++) {
      drainOrder();
      run(`kind ${i}`, i % 2 === 0 ? 0 : 20);
      atOnce += drainOrder().length;
    }
    expect(atOnce).toBeLessThan(5);
  });

  it("does not take a long kind for quick because one piece of it was", () => {
    for (const ms of [1, 20, 20, 20]) {
      run(`kind ${ms}`, ms);
      turn();
    }
    run("kind quick", 0);
    while (turns.length > 0) turn();
    run("other", 20);
    drainOrder();
    run("kind new", 20);
    expect(drainOrder()).toEqual([]);
  });

  it("takes turns between kinds, and in each between names", () => {
    run("first", 20);
    for (let i = 0; i < 20; i++) run("long same", 20);
    for (let i = 0; i < 20; i++) run(`long ${i}`, 20);
    run("other", 20);
    run("third", 20);
    drainOrder();
    for (let i = 0; i < 5; i++) turn();
    expect(drainOrder()).toEqual(["long same", "other", "third", "long 0", "long 1"]);
  });

  it("does one piece of long work in a turn", () => {
    run("first", 20);
    for (let i = 0; i < 10; i++) run("long", 20);
    drainOrder();
    for (let i = 0; i < 10; i++) {
      turn();
      expect(drainOrder()).toEqual(["long"]);
    }
  });

  it("treats work as quick again once it is", () => {
    for (let i = 0; i < 3; i++) {
      run("path", 20);
      turn();
    }
    for (let i = 0; i < 100; i++) run("path", 0);
    while (turns.length > 0) turn();
    for (let i = 0; i < 100; i++) run(`other ${i}`, 20);
    drainOrder();
    run("path", 1);
    expect(drainOrder()).toEqual(["path"]);
  });

  it("refuses nothing of a burst that turns out to be quick", () => {
    run("kind first", 12); // a pause of the machine
    for (let i = 0; i < 500; i++) run("kind", 0.01);
    while (turns.length > 0) turn();
    expect(order).toHaveLength(501);
    expect(refused).toEqual([]);
  });

  it("refuses work that waited too long, and does later work", () => {
    for (let i = 0; i < 300; i++) run("same", 20);
    run("other", 20);
    turn();
    turn();
    expect(order).toContain("other");
    while (now < 1_990) turn();
    run("late", 20);
    while (turns.length > 0) turn();
    expect(order.at(-1)).toBe("late");
    expect(order.length).toBeGreaterThan(95);
    expect(refused.length).toBeGreaterThan(190);
    expect(order.length + refused.length).toBe(302);
  });

  it("bounds the queue of a kind and of all kinds, admits other kinds, and loses nothing", () => {
    for (let i = 0; i < 1_000; i++) run(`kind ${i}`, 20);
    expect(refused.length).toBeGreaterThan(200);
    expect(refused).not.toContain("kind 700");
    run("another", 1);
    expect(refused).not.toContain("another");
    for (let i = 0; i < 3_000; i++) run(`kind${i % 10} ${i}`, 20);
    const { length } = refused;
    run("new", 20);
    expect(refused).toHaveLength(length + 1);
    while (turns.length > 0) turn();
    expect(order.length + refused.length).toBe(4_002);
  });

  it("skips work that nobody waits for any more", () => {
    let isGone = false;
    run("first", 20);
    for (let i = 0; i < 10; i++) run(`new ${i}`, 20, () => isGone);
    isGone = true;
    turn();
    expect(drainOrder()).toEqual(["first"]);
    expect(turns).toHaveLength(0);
  });

  it("continues after work that throws", () => {
    run("first", 20);
    thread.run({
      of: "test",
      name: "fails",
      kind: "fails",
      refuse: () => undefined,
      isGone: () => false,
      go: () => {
        throw new Error("no");
      },
    });
    run("after", 1);
    expect(turn).toThrow("no");
    turn();
    expect(drainOrder()).toEqual(["first", "after"]);
  });
});

it("answers quick requests between slow ones", async () => {
  const server = createServer({
    log: silentLog,
    name: "test",
    access: () => "own-site",
    adminSecret: undefined,
  });
  const made: string[] = [];
  server.get<{ Params: { name: string } }>("/:name", ({ params: { name } }) => {
    made.push(name);
    const end = performance.now() + (name.startsWith("slow") ? 15 : 0);
    while (performance.now() < end);
    return name;
  });
  const ask = (url: string) => server.inject({ method: "GET", url, headers: { host: "localhost" } });
  for (const url of ["/slow", "/slow", "/quick", "/quick"]) await ask(url);
  made.length = 0;
  const slow = Array.from({ length: 20 }, () => ask("/slow"));
  const quick = await ask("/quick");
  expect(quick.body).toBe("quick");
  expect(made.length).toBeLessThan(4); // otherwise all slow ones came first
  expect((await Promise.all(slow)).map(({ body }) => body)).toEqual(slow.map(() => "slow"));
  await server.close();
});
