import { describe, expect, it } from "vitest";
import { kvKeyProblem } from "./kv-key.ts";

describe("keys", () => {
  it.each(["a", "a/b", "A-Z_0.9/x", "x".repeat(196)])("%s is valid", (key) => {
    expect(kvKeyProblem(key)).toBeUndefined();
  });

  it.each([
    ["", "PathError::InvalidEmptyStep"],
    ["/a", "PathError::InvalidEmptyStep"],
    ["a/", "PathError::InvalidEmptyStep"],
    ["a//b", "PathError::InvalidEmptyStep"],
    ["a b", "PathError::InvalidByteInStep"],
    ["é", "PathError::InvalidByteInStep"],
    ["a\n", "PathError::InvalidByteInStep"],
    ["x".repeat(197), "PathError::PathTooLong"],
  ])("%j is %s", (key, problem) => {
    expect(kvKeyProblem(key)).toBe(problem);
  });
});
