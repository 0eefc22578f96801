import { expect, it } from "vitest";
import { createSnapshotShelf, MAX_SNAPSHOTS, snapshotIdOf } from "./snapshot-shelf.ts";

const unknown = expect.objectContaining({ code: "SNAPSHOT_UNKNOWN" });

it("forgets what was used least recently when there are too many", () => {
  const shelf = createSnapshotShelf<number>();
  shelf.put("base", 0, 1);
  for (let i = 1; i <= 3 * MAX_SNAPSHOTS; i++) {
    shelf.put(`s${i}`, i, 1);
    expect(shelf.use("base")).toBe(0);
  }
  expect(shelf.use(`s${2 * MAX_SNAPSHOTS + 2}`)).toBe(2 * MAX_SNAPSHOTS + 2);
  expect(() => shelf.use(`s${2 * MAX_SNAPSHOTS + 1}`)).toThrow(unknown);
});

it("keeps fewer when they are large, and one that is larger than all by itself", () => {
  const shelf = createSnapshotShelf<string>({ maxEntries: 10 });
  shelf.put("a", "a", 6);
  shelf.put("b", "b", 6);
  expect(() => shelf.use("a")).toThrow(unknown);
  shelf.put("c", "c", 50);
  expect(shelf.use("c")).toBe("c");
  shelf.put("d", "d", 1);
  expect(() => shelf.use("c")).toThrow(unknown);
  expect(shelf.use("d")).toBe("d");
});

it("counts a replaced snapshot once", () => {
  const shelf = createSnapshotShelf<number>({ maxEntries: 10 });
  shelf.put("a", 1, 4);
  for (let i = 0; i < 5; i++) shelf.put("b", i, 6);
  expect([shelf.use("a"), shelf.use("b")]).toEqual([1, 4]);
});

it.each([undefined, null, {}, { id: 5 }, { id: "" }, { id: "a/b" }, { id: "x".repeat(65) }])(
  "takes no id from %j",
  (body) => {
    expect(() => snapshotIdOf(body)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  },
);
