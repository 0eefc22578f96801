import { describe, expect, it } from "vitest";
import type { CodePlace } from "../protocol/debug-api.ts";
import { codePlacesIn, withSources } from "./source-places.ts";

const ADDRESS = "KT1NMb73fpb4TEmC3YmspjEyha1uu4RMoKSP";
const STACK = `TypeError: no
    at deep (jstz://${ADDRESS}:3:29)
    at handler (jstz://${ADDRESS}:18:3)`;
/** Knows line 3 only. */
const find = (places: readonly CodePlace[]) =>
  Promise.resolve(
    places.map(({ line }) => (line === 3 ? { source: "/work/src/a.ts", line: 5, column: 9 } : null)),
  );
const short = (source: string) => source.slice("/work/".length);

describe("places in texts", () => {
  it("are found with their offsets", () => {
    const [deep, handler] = codePlacesIn(STACK);
    expect(deep).toMatchObject({ address: ADDRESS, line: 3, column: 29 });
    expect(handler).toMatchObject({ line: 18, column: 3 });
    expect(STACK.slice(deep!.start, deep!.end)).toBe(`jstz://${ADDRESS}:3:29`);
  });

  it.each([
    "src/a.ts:5:9",
    `jstz://${ADDRESS}/path:3:29`,
    `jstz://${ADDRESS}:0:29`,
    `jstz://${ADDRESS}:3`,
    "jstz://tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb:3:29",
    `jstz://${ADDRESS}:3:1234567890`,
  ])("are not in %j", (text) => expect(codePlacesIn(text)).toEqual([]));

  it("are shown by their sources where these are known, each asked for once", async () => {
    const asked: CodePlace[] = [];
    const shown = await withSources(
      `${STACK}\n${STACK}`,
      (places) => (asked.push(...places), find(places)),
      short,
    );
    expect(asked).toHaveLength(2);
    expect(shown.text).toBe(`${STACK}\n${STACK}`.replaceAll(`jstz://${ADDRESS}:3:29`, "src/a.ts:5:9"));
    expect([...shown.sources]).toEqual([["src/a.ts:5:9", { source: "/work/src/a.ts", line: 5, column: 9 }]]);
  });

  it("cannot be made by writing a file name", async () => {
    const shown = await withSources(`src/b.ts:1:1 ${STACK}`, find, short);
    expect([...shown.sources.keys()]).toEqual(["src/a.ts:5:9"]);
  });

  it("are asked for two hundred at a time, in a megabyte at most", async () => {
    const many = Array.from({ length: 40_000 }, (_, i) => `jstz://${ADDRESS}:${i + 1}:1`).join("\n");
    let asked = 0;
    const shown = await withSources(many, (places) => ((asked = places.length), find(places)), short);
    expect(asked).toBe(200);
    expect(shown.text.length).toBe(many.length - `jstz://${ADDRESS}:3:1`.length + "src/a.ts:5:9".length);
    expect(codePlacesIn(`${"x".repeat(1_000_000)}${STACK}`)).toEqual([]);
  });
});
