import { expect, it } from "vitest";
import { createDeployedFiles, digestOf } from "./deployed-files.ts";

function memory() {
  const values = new Map<string, unknown>();
  return {
    get: <T>(key: string, byDefault: T): T => (values.get(key) as T | undefined) ?? byDefault,
    update: (key: string, value: unknown) => Promise.resolve(void values.set(key, structuredClone(value))),
  };
}
const file = (alias: string) => ({ alias, address: "KT1a", digest: digestOf("text"), place: "1" });

it("remembers each file's alias, even in the next session", () => {
  const kept = memory();
  const files = createDeployedFiles(kept);
  let changes = 0;
  files.onChange(() => changes++);
  files.set("file:/a/foo.ts", file("foo"));
  expect(createDeployedFiles(kept).of("file:/a/foo.ts")).toEqual(file("foo"));
  expect(createDeployedFiles(kept).ownerOf("foo")).toBe("file:/a/foo.ts");
  expect(changes).toBe(1);
});

it("gives an alias to one file only", () => {
  const files = createDeployedFiles(memory());
  files.set("file:/a/foo.ts", file("foo"));
  files.set("file:/b/foo.ts", file("foo"));
  expect(files.ownerOf("foo")).toBe("file:/b/foo.ts");
  expect(files.of("file:/a/foo.ts")).toBeUndefined();
  expect(files.all).toEqual([["file:/b/foo.ts", file("foo")]]);
});

it("evicts the oldest beyond the limit", () => {
  const files = createDeployedFiles(memory());
  for (let i = 0; i <= 500; i++) files.set(`file:/${i}.ts`, file(`f${i}`));
  expect(files.of("file:/0.ts")).toBeUndefined();
  expect(files.of("file:/500.ts")).toBeDefined();
});
