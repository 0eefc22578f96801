import { describe, expect, it, vi } from "vitest";
import type * as Bls from "./bls-curve.ts";
import { blsCurve, BlsNeeded, loadBls, withBls } from "./curves.ts";
import { LazyLibrary } from "./lazy-library.ts";

/** Fails as often as told, then gives its number of attempts. */
function library(failures: number) {
  let attempts = 0;
  const lazy = new LazyLibrary(async () => {
    if (++attempts <= failures) throw new RangeError("out of memory");
    return attempts;
  });
  return { lazy, attempts: () => attempts };
}

describe("a library that is loaded when it is needed", () => {
  it("is loaded once for all who load it at the same time", async () => {
    const { lazy, attempts } = library(0);
    expect(lazy.loaded).toBeUndefined();
    await Promise.all([lazy.load(), lazy.load()]);
    await lazy.load();
    lazy.want();
    expect([lazy.loaded, attempts()]).toEqual([1, 1]);
  });

  it("is loaded by the next use after one that failed", async () => {
    const { lazy } = library(2);
    const both = [lazy.load(), lazy.load()];
    await expect(both[0]).rejects.toThrow("out of memory");
    await expect(both[1]).rejects.toThrow("out of memory");
    await expect(lazy.load()).rejects.toThrow("out of memory");
    await lazy.load();
    expect(lazy.loaded).toBe(3);
  });

  it("is wanted once only, where it cannot be loaded", async () => {
    const { lazy, attempts } = library(Infinity);
    lazy.want();
    await expect(lazy.load()).rejects.toThrow("out of memory");
    lazy.want();
    expect(attempts()).toBe(1);
  });
});

let blsFailures = 1;
vi.mock("./bls-curve.ts", async (original) => {
  const real = await original<typeof Bls>();
  return {
    ...real,
    instantiateCurve: () =>
      blsFailures-- > 0 ? Promise.reject(new RangeError("out of memory")) : real.instantiateCurve(),
  };
});

it("BLS12-381 is loaded by the next operation after one for which it failed", async () => {
  await expect(withBls(() => blsCurve())).rejects.toThrow("out of memory");
  expect(() => blsCurve()).toThrow(BlsNeeded);
  expect(await withBls(() => blsCurve().isOne(undefined))).toBe(true);
  await loadBls();
});
