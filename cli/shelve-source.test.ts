import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sourceOf } from "./shelve-source.ts";

const code = { code: "", file: "/work/src/index.ts", bundled: true, inputs: [], absent: [] };
const mapOf = (text: string) =>
  JSON.stringify({
    version: 3,
    sources: ["index.ts", "../lib/a.ts"],
    sourcesContent: [text],
    mappings: "AAAA",
  });
const unpack = (map: string | undefined) =>
  JSON.parse(gunzipSync(Buffer.from(map!, "base64")).toString()) as Record<string, unknown>;

describe("the source of a function", () => {
  it("has absolute paths, and the texts of the sources", () => {
    const source = sourceOf("KT1", { ...code, map: mapOf("const a = 1;") })!;
    expect(source.sources).toEqual(["/work/src/index.ts", "/work/lib/a.ts"]);
    expect(unpack(source.map)).toMatchObject({ mappings: "AAAA", sourcesContent: ["const a = 1;"] });
  });

  it("leaves the texts out when they are too large, and itself when that does not help", () => {
    const large = mapOf(randomBytes(800 * 1024).toString("base64"));
    const source = sourceOf("KT1", { ...code, map: large })!;
    expect(unpack(source.map)).not.toHaveProperty("sourcesContent");
    const mappings = randomBytes(800 * 1024).toString("base64");
    const larger = JSON.stringify({ version: 3, sources: [], mappings });
    expect(sourceOf("KT1", { ...code, map: larger })).toBeUndefined();
  });

  it("is the file itself without a bundler, and nothing for a text", () => {
    expect(sourceOf("KT1", { ...code, bundled: false })).toEqual({
      address: "KT1",
      sources: ["/work/src/index.ts"],
    });
    expect(sourceOf("KT1", { code: "", bundled: false, inputs: [], absent: [] })).toBeUndefined();
  });
});
