import { expect, it } from "vitest";
import { holdsAt } from "./timeline.ts";

const levelsHeld = (...restored: Parameters<typeof holdsAt>[0]): number[] =>
  [1, 5, 10, 11, 20, 21, 29, 30, 31, 39, 40, 41].filter(holdsAt(restored));

it("omits the blocks between a snapshot and the block that restores it", () => {
  expect(levelsHeld()).toHaveLength(12);
  expect(levelsHeld({ level: 10, at: 30 })).toEqual([1, 5, 10, 30, 31, 39, 40, 41]);
  expect(levelsHeld({ level: 10, at: 30 }, { level: 5, at: 40 })).toEqual([1, 5, 40, 41]);
});

it("brings undone blocks back when a snapshot of that time is restored", () => {
  expect(levelsHeld({ level: 10, at: 30 }, { level: 20, at: 40 })).toEqual([1, 5, 10, 11, 20, 40, 41]);
  expect(levelsHeld({ level: 10, at: 30 }, { level: 31, at: 40 })).toEqual([1, 5, 10, 30, 31, 40, 41]);
});
