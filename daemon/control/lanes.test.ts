import { expect, it } from "vitest";
import { Lanes } from "./lanes.ts";

it("runs as many pieces of work as it has lanes, in order, and rejects work beyond its queue", async () => {
  const lanes = new Lanes({ count: 2, maxWaiting: 2, what: "tests" });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const run = (i: number): Promise<number> =>
    lanes.run(async () => {
      begun.push(i);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (i === 1) throw new Error("failed");
      return i;
    });
  const results = [run(0), run(1), run(2), run(3)];
  void Promise.allSettled(results);
  await expect(run(4)).rejects.toMatchObject({ code: "SERVER_BUSY" });
  expect(begun).toEqual([0, 1]);
  ends[1]!();
  await expect(results[1]).rejects.toThrow("failed");
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (let i = 0; i < 4; i++) {
    ends[i]?.();
    await Promise.resolve();
  }
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  ends[3]!();
  expect(await Promise.all([results[0], results[2], results[3]])).toEqual([0, 2, 3]);
  const again = run(5);
  expect(begun).toEqual([0, 1, 2, 3, 5]);
  ends[4]!();
  expect(await again).toBe(5);
});
