import { getHeapStatistics } from "node:v8";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";

import { mapStack } from "./source-map.ts";

const SOURCE = `type Pair = { a: number; b: number };
interface Unused { x: string }

export default function main(): Response {
  const pair: Pair = { a: 1, b: 2 };
  return inner(pair);
}

function inner(pair: Pair): Response {
  throw new Error("boom " + pair.a);
}
`;

const bundle = (sourcemap: "inline" | false): string =>
  buildSync({
    stdin: { contents: SOURCE, loader: "ts", sourcefile: "token.ts" },
    bundle: true,
    format: "esm",
    write: false,
    sourcemap,
    minifyWhitespace: true,
    logLevel: "error",
  }).outputFiles[0]?.text ?? "";

describe("mapStack", () => {
  it("shows file, line and column of the source", () => {
    const code = bundle("inline");
    const line = code.split("\n").findIndex((text) => text.includes("throw"));
    const column = (code.split("\n")[line] as string).indexOf("throw");
    const stack = `Error: boom 1\n    at inner (jstz://KT1A:${line + 1}:${column + 1})\n    at other (jstz://KT1B:1:1)`;
    expect(mapStack(stack, code, "jstz://KT1A")).toBe(
      "Error: boom 1\n    at inner (token.ts:10:3)\n    at other (jstz://KT1B:1:1)",
    );
  });

  it("leaves traces of programs without a valid map unchanged", () => {
    const stack = "Error: x\n    at inner (jstz://KT1A:1:5)";
    expect(mapStack(stack, bundle(false), "jstz://KT1A")).toBe(stack);
    const broken = "export default 1\n//# sourceMappingURL=data:application/json;base64,AAAA";
    expect(mapStack(stack, broken, "jstz://KT1A")).toBe(stack);
  });

  it.each([["x".repeat(2_000)], [["a.ts"]], [7], [null], [undefined]])(
    "leaves frames whose source is not a usable name",
    (source) => {
      const map = { version: 3, sources: [source], names: [], mappings: "AAAA" };
      const inline = Buffer.from(JSON.stringify(map)).toString("base64");
      const code = `x\n//# sourceMappingURL=data:application/json;base64,${inline}`;
      const trace = "Error: x\n    at f (jstz://KT1:1:1)";
      expect(mapStack(trace, code, "jstz://KT1")).toBe(trace);
    },
  );

  it("is fast, however long the trace, the map and the last line", () => {
    const row = "CAAA,".repeat(200_000);
    const map = { version: 3, sources: ["a.ts"], names: [], mappings: row };
    const inline = Buffer.from(JSON.stringify(map)).toString("base64");
    const code = `x\n//# sourceMappingURL=data:application/json;base64,${inline}`;
    const trace = "\n    at f (jstz://KT1:1:150000)".repeat(100_000);
    const frames = mapStack(`Error: x${trace}`, code, "jstz://KT1").split("\n");
    expect(frames).toHaveLength(100_001);
    expect(frames.filter((frame) => frame.includes("a.ts:1:1"))).toHaveLength(100);
    // Many beginnings of a URL without a comma or an end: a scan from each of them would be quadratic.
    const line = `x\n${"//# sourceMappingURL=data:application/json;base64".repeat(100_000)}`;
    expect(mapStack(`Error: x${trace}`, line, "jstz://KT1")).toBe(`Error: x${trace}`);
  });

  const mapWith = (members: string): string => `{"sources":["a.ts"],${members}}`;
  it.each([
    ["rows without segments", mapWith(`"mappings":"${";".repeat(7e6)}"`)],
    ["empty segments", mapWith(`"mappings":"${",".repeat(7e6)}"`)],
    ["rows with one segment", mapWith(`"mappings":"${"AAAA;".repeat(14e5)}"`)],
    ["lists in the list of sources", `{"mappings":"","sources":[${"[],".repeat(23e5)}1]}`],
  ])("takes little memory for millions of %s", (_, map) => {
    const code = `x\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
    const trace = "Error: x\n    at f (jstz://KT1:1:1)";
    const before = getHeapStatistics().total_heap_size;
    mapStack(trace, code, "jstz://KT1");
    expect(getHeapStatistics().total_heap_size - before).toBeLessThan(64e6);
  });
});
