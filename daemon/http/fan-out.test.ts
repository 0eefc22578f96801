import { expect, it } from "vitest";
import { FanOut, type Frame, type Outlet } from "./fan-out.ts";

const MEGABYTE = "x".repeat(1024 * 1024);
/** Ten of these, with the writes, are what one turn has. */
const LONG = "x".repeat(420_000);

/** Turns by hand. */
function fanOut() {
  const turns: (() => void)[] = [];
  const written: string[] = [];
  const dropped: string[] = [];
  const outlet = (name: string): Outlet => ({
    write({ bytes }: Frame, isLast) {
      written.push(`${name}${Number.parseInt(bytes.toString(), 10)}${isLast ? "." : ""}`);
    },
    drop: () => dropped.push(name),
  });
  const sut = new FanOut((run) => turns.push(run));
  const turn = (): string[] => {
    written.length = 0;
    turns.shift()?.();
    return [...written];
  };
  return { sut, outlet, written, dropped, turn };
}

it("writes at once while the turn lasts, and the rest in later turns, in order and in rounds", () => {
  const { sut, outlet, written, turn } = fanOut();
  const [a, b] = [outlet("a"), outlet("b")];
  for (let i = 0; i < 25; i++) sut.send(a, sut.frameOf("", `${i}${LONG}`));
  sut.send(b, sut.frameOf("", `0${LONG}`));
  expect(written).toEqual(Array.from({ length: 10 }, (_, i) => `a${i}.`));
  expect(turn()).toEqual(["a10", "b0.", ...Array.from({ length: 8 }, (_, i) => `a${11 + i}`)]);
  expect(turn()).toEqual([19, 20, 21, 22, 23, 24].map((i) => (i < 24 ? `a${i}` : `a${i}.`)));
  expect(turn()).toEqual([]);
});

it("makes the bytes of an event once for all streams", () => {
  const { sut } = fanOut();
  const first = sut.frameOf("data: ", "x");
  expect(first.bytes.toString()).toBe("data: x\n\n");
  expect(sut.frameOf("data: ", "x")).toBe(first);
  expect(sut.frameOf("id: 1\ndata: ", "x")).not.toBe(first);
  expect(sut.frameOf("data: ", "y").bytes.toString()).toBe("data: y\n\n");
});

it("counts what many streams wait for once, and drops the one that waits for most", () => {
  const { sut, outlet, dropped, turn } = fanOut();
  const outlets = Array.from({ length: 64 }, (_, i) => outlet(`${i}`));
  const send = (to: readonly Outlet[], text: string): void => {
    for (const one of to) sut.send(one, sut.frameOf("", text));
  };
  send(outlets.slice(0, 10), LONG); // the turn is used up
  for (let i = 0; i < 20; i++) send(outlets, `${i}${MEGABYTE}`);
  expect(dropped).toEqual([]);
  for (let i = 0; i < 15; i++) send(outlets.slice(7, 8), `alone ${i}${MEGABYTE}`);
  expect(dropped).toEqual(["7"]);
  expect(sut.waitingFor(outlets[7]!)).toBeLessThan(4 * MEGABYTE.length);
  expect(sut.waitingFor(outlets[8]!)).toBeGreaterThan(20 * MEGABYTE.length);
  for (const one of outlets) sut.forget(one);
  expect(turn()).toEqual([]);
});
