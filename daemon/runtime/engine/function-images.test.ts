import { describe, expect, it } from "vitest";

import { type FunctionImage, FunctionImages } from "./function-images.ts";
import { FUNCTION_CACHE_BYTES } from "./limits.ts";

const image = (size: number): FunctionImage => ({
  kind: "image",
  over: { stackPointer: 0, pages: 1, runtime: 0, context: 0, blocks: new Map(), length: size },
  gas: 1,
  now: undefined,
});

describe("FunctionImages", () => {
  it("keeps images of one code at two addresses apart", () => {
    const images = new FunctionImages();
    const [a, b] = [image(1), image(2)];
    images.keep("code", "A", a);
    images.keep("code", "B", b);
    expect([images.find("code", "A"), images.find("code", "B"), images.find("other", "A")]).toEqual([
      a,
      b,
      undefined,
    ]);
  });

  it("drops the least recently used first and stays within its budget", () => {
    const images = new FunctionImages();
    const size = Math.floor(FUNCTION_CACHE_BYTES / 4);
    for (const name of ["1", "2", "3"]) images.keep(name, "A", image(size));
    images.find("1", "A");
    images.keep("4", "A", image(size));
    images.keep("5", "A", image(size));
    expect(["1", "2", "3", "4", "5"].filter((name) => images.find(name, "A") !== undefined)).toEqual([
      "1",
      "4",
      "5",
    ]);
    expect(images.bytes).toBeLessThanOrEqual(FUNCTION_CACHE_BYTES);
  });

  it("counts a replaced image once", () => {
    const images = new FunctionImages();
    images.keep("code", "A", image(1000));
    const before = images.bytes;
    images.keep("code", "A", image(1000));
    expect([images.bytes, images.count]).toEqual([before, 1]);
  });
});
