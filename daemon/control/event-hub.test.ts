import { expect, it } from "vitest";
import { createEventHub } from "./event-hub.ts";

function hubWith(count: number) {
  const hub = createEventHub();
  for (let level = 1; level <= count; level++)
    hub.publish("head", { level, hash: `B${level}`, timestamp: "2026-01-01T00:00:00Z" });
  return hub;
}

it("has what a reader missed", () => {
  const hub = hubWith(10);
  expect(hub.since(8)?.map(({ id }) => id)).toEqual([9, 10]);
  expect(hub.since(10)).toEqual([]);
  expect(hub.since(0)).toHaveLength(10);
});

it("knows nothing of ids that another sandbox gave, and of those with forgotten events behind them", () => {
  for (const id of [11, -1, Number.NaN, 1e300, 0.5]) expect(hubWith(10).since(id)).toBeUndefined();
  const long = hubWith(3_500);
  expect(long.since(2_499)).toBeUndefined();
  expect(long.since(2_500)).toHaveLength(1_000);
});
