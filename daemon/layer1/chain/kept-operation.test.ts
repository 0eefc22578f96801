import { expect, it } from "vitest";
import type { IncludedOperation } from "./block.ts";
import { keepOperation } from "./kept-operation.ts";

const operation = (n: number, text = "") =>
  ({
    ...{ hash: `o${n}`, branch: "B", signature: "sig" },
    contents: [{ content: { kind: "transaction", n, text }, metadata: { fee: "1" } }],
  }) as unknown as IncludedOperation;

it("keeps what an operation had, whether its tree is still there or not", () => {
  const first = operation(0, "first");
  const kept = keepOperation(first);
  expect(kept).toMatchObject({ hash: "o0", branch: "B", signature: "sig" });
  expect(kept.contents).toBe(first.contents);
  for (let n = 1; n <= 64; n++) keepOperation(operation(n));
  expect(kept.contents).not.toBe(first.contents);
  expect(kept.contents).toEqual(first.contents);
});

it("keeps no tree of a long operation", () => {
  const long = operation(0, "x".repeat(4_000));
  const kept = keepOperation(long);
  expect(kept.contents).not.toBe(long.contents);
  expect(kept.contents).toEqual(long.contents);
  expect(kept.bytes).toBeGreaterThan(4_000);
});

it("has its contents as the text of RPCs", () => {
  expect(keepOperation(operation(1, "a")).text).toBe(
    '[{"kind":"transaction","n":1,"text":"a","metadata":{"fee":"1"}}]',
  );
});
