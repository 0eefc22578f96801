import { beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../parts/log.ts";
import { createServer } from "./server.ts";
import { SharedThread } from "./shared-thread.ts";

let now: number;
let turns: (() => void)[];
let thread: SharedThread;
let order: string[];
beforeEach(() => {
  now = 0;
  turns = [];
  order = [];
  thread = new SharedThread({ now: () => now, nextTurn: (run) => turns.push(run) });
});

const run = (name: string, ms: number, isGone = (): boolean => false): boolean =>
  thread.run({
    name,
    kind: name.split(" ")[0]!,
    isGone,
    go: () => {
      now += ms;
      order.push(name);
    },
  });
/** A turn of the event loop. */
const turn = (): void => {
  for (const each of turns.splice(0)) each();
};
const taken = (): string[] => order.splice(0);

describe("the thread", () => {
  it("does new work at once, until the time of a turn is used", () => {
    for (let i = 0; i < 5; i++) run(`new ${i}`, 4);
    expect(taken()).toEqual(["new 0", "new 1", "new 2"]);
    turn();
    expect(taken()).toEqual(["new 3", "new 4"]);
    expect(turns).toHaveLength(0);
  });

  it("does what is known to be quick at once, whatever waits", () => {
    run("quick", 1);
    for (let i = 0; i < 300; i++) run(`other ${i}`, 20);
    run("quick", 1);
    expect(taken()).toEqual(["quick", "other 0", "quick"]);
  });

  it("does one piece of long work in a turn, in turn with new work", () => {
    run("long", 20);
    turn();
    for (let i = 0; i < 3; i++) run("long", 20);
    for (let i = 0; i < 2; i++) run(`new ${i}`, 20);
    const each = Array.from({ length: 5 }, () => {
      const done = taken();
      turn();
      return done;
    });
    expect(each.flat().sort()).toEqual(["long", "long", "long", "long", "new 0", "new 1"]);
    expect(Math.max(...each.slice(1).map(({ length }) => length))).toBe(1);
    expect(each.flat().indexOf("new 1")).toBeLessThan(5);
  });

  it("takes what is quick again for quick", () => {
    run("path", 20);
    turn();
    run("path", 1);
    for (let i = 0; i < 300; i++) run(`other ${i}`, 20);
    taken();
    run("path", 1);
    expect(taken()).toEqual(["path"]);
  });

  it("refuses more than may wait, and does all that it took", () => {
    const isTaken = Array.from({ length: 2_000 }, (_, i) => run(`new ${i}`, 20));
    expect(isTaken.slice(0, 400)).not.toContain(false);
    expect(isTaken.at(-1)).toBe(false);
    while (turns.length > 0) turn();
    expect(order).toHaveLength(isTaken.filter(Boolean).length);
  });

  it("leaves work for which nobody waits any more", () => {
    let isGone = false;
    run("first", 20);
    for (let i = 0; i < 10; i++) run(`new ${i}`, 20, () => isGone);
    isGone = true;
    turn();
    expect(taken()).toEqual(["first"]);
    expect(turns).toHaveLength(0);
  });

  it("goes on when work fails", () => {
    run("first", 20);
    thread.run({
      name: "fails",
      kind: "fails",
      isGone: () => false,
      go: () => {
        throw new Error("no");
      },
    });
    run("after", 1);
    expect(turn).toThrow("no");
    turn();
    expect(taken()).toEqual(["first", "after"]);
  });
});

it("answers others between answers that take long", async () => {
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
  await ask("/slow");
  await ask("/quick");
  made.length = 0;
  const slow = Array.from({ length: 20 }, () => ask("/slow"));
  const quick = await ask("/quick");
  expect(quick.body).toBe("quick");
  expect(made.length).toBeLessThan(4); // else all of the others came first
  expect((await Promise.all(slow)).map(({ body }) => body)).toEqual(slow.map(() => "slow"));
  await server.close();
});
