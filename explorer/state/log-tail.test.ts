import { expect, it } from "vitest";
import { latestOf, type LogLine } from "./log-tail.ts";

const line = (n: number, length = 10): LogLine => ({
  requestId: `o${n}`,
  level: "LOG",
  text: "x".repeat(length),
});
const lines = (count: number, length?: number): LogLine[] =>
  Array.from({ length: count }, (_, i) => line(i, length));

it("keeps the latest 200 lines", () => {
  expect(latestOf(lines(3))).toHaveLength(3);
  expect(latestOf(lines(200))).toHaveLength(200);
  expect(latestOf(lines(201)).at(-1)).toEqual(line(199));
});

it("keeps fewer when they are long, and the latest one however long it is", () => {
  expect(latestOf(lines(200, 1024 * 1024))).toHaveLength(4);
  expect(latestOf([line(0, 5 * 1024 * 1024), line(1)])).toHaveLength(1);
});
