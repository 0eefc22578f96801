import { expect, it } from "vitest";
import { hexDump } from "./hex-dump.ts";

it("shows offset, bytes and printable characters of each row", () => {
  const bytes = new Uint8Array([...Buffer.from(" ~0123456789abcd"), 0x1f, 0x7f, 0xff]);
  expect(hexDump(bytes, 4096)).toBe(
    [
      "00000000  20 7e 30 31 32 33 34 35 36 37 38 39 61 62 63 64   ~0123456789abcd",
      `00000010  1f 7f ff${" ".repeat(39)}  ...`,
    ].join("\n"),
  );
  expect(hexDump(new Uint8Array(), 4096)).toBe("");
});

it("tells how many bytes it leaves out, if any", () => {
  expect(hexDump(new Uint8Array(32), 32).split("\n")).toHaveLength(2);
  expect(hexDump(new Uint8Array(50), 32).split("\n").slice(1)).toEqual([
    `00000010  ${"00 ".repeat(16)} ${".".repeat(16)}`,
    "… 18 further bytes",
  ]);
});
