import { expect, it } from "vitest";
import { sizeText } from "./byte-size.ts";

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1023 bytes"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [20 * 1024 ** 2, "20 MiB"],
  [3.25 * 1024 ** 3, "3.3 GiB"],
  [2048 * 1024 ** 4, "2048 TiB"],
])("writes %d as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it("is exact up to a size that is asked for", () => {
  expect(sizeText(1025, 2048)).toBe("1025 bytes");
  expect(sizeText(2048, 2048)).toBe("2 KiB");
});
