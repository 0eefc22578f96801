import { describe, expect, it } from "vitest";
import { frame, messageReader } from "./messages.ts";

function read(...pieces: readonly (string | Buffer)[]): unknown[] {
  const found: unknown[] = [];
  const take = messageReader((message) => found.push(message));
  for (const piece of pieces) take(Buffer.from(piece as string));
  return found;
}

describe("the stream of a debug adapter", () => {
  const messages = [{ a: 1 }, { text: "tez ꜩ" }, { list: ["x".repeat(5_000)] }];
  const whole = Buffer.from(messages.map(frame).join(""));

  it("is taken apart however it is cut", () => {
    expect(read(whole)).toEqual(messages);
    expect(read(...[...whole].map((byte) => Buffer.from([byte])))).toEqual(messages);
    for (const size of [3, 20, 64]) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
      expect(read(...pieces)).toEqual(messages);
    }
  });

  it("may have other header fields, in any case", () => {
    expect(read("Content-Type: x\r\ncontent-length: 2\r\n\r\n{}")).toEqual([{}]);
  });

  it("is refused where it is no message", () => {
    for (const wrong of [
      "x".repeat(5_000),
      "Content-Length: many\r\n\r\n",
      "Content-Length: 999999999\r\n\r\n",
      "Other: 2\r\n\r\n{}",
      "Content-Length: 2\r\n\r\n{]",
    ])
      expect(() => read(wrong)).toThrow();
  });

  it("takes time by its length, though it comes in small pieces", () => {
    const long = Buffer.from(frame({ text: "x".repeat(2_000_000) }));
    const pieces: Buffer[] = [];
    for (let at = 0; at < long.length; at += 100) pieces.push(long.subarray(at, at + 100));
    expect(read(...pieces)).toHaveLength(1);
  }, 10_000);
});
