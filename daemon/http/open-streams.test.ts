import { expect, it } from "vitest";
import { type OpenStream, OpenStreams } from "./open-streams.ts";

/** Makes streams that record when they are dropped. */
function streamsOf(dropped: number[]): (name: number) => OpenStream {
  return (name) => {
    let end = (): void => undefined;
    const closed = new Promise<void>((resolve) => (end = resolve));
    const drop = (): void => {
      dropped.push(name);
      end();
    };
    return { lag: 0, close: end, drop, closed };
  };
}

it("drops the oldest stream for a new one, but never the owner's for those of others", () => {
  const dropped: number[] = [];
  const stream = streamsOf(dropped);
  const streams = new OpenStreams();
  streams.add(stream(0), true);
  for (let i = 1; i <= 256; i++) streams.add(stream(i), false);
  expect(dropped).toEqual([]);
  for (let i = 257; i <= 259; i++) streams.add(stream(i), false);
  expect(dropped).toEqual([1, 2, 3]);
  streams.add(stream(300), true);
  expect(dropped).toEqual([1, 2, 3]);
});

it("reuses the place of a closed stream", async () => {
  const dropped: number[] = [];
  const stream = streamsOf(dropped);
  const streams = new OpenStreams();
  const first = stream(0);
  streams.add(first, false);
  for (let i = 1; i < 256; i++) streams.add(stream(i), false);
  first.close();
  await first.closed;
  await Promise.resolve();
  streams.add(stream(256), false);
  expect(dropped).toEqual([]);
});
