import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { extensionPage } from "./extension-page.mjs";

const ROOT = join(import.meta.dirname, "..");
const page = readFileSync(join(ROOT, "extension/README.md"), "utf8");
const picturesIn = (text: string): string[] =>
  [...text.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, at]) => at!);

it("the page's pictures exist, and are all found", () => {
  const pictures = picturesIn(page);
  expect(pictures.length).toBeGreaterThan(2);
  for (const picture of pictures) expect(existsSync(join(ROOT, "extension", picture)), picture).toBe(true);
  expect(picturesIn(extensionPage(page, undefined))).toEqual([]);
});

it("a page for the gallery has its pictures at an https address", () => {
  const at = "https://example.com/functez/v1/media";
  for (const base of [at, `${at}/`])
    expect(picturesIn(extensionPage(page, base))).toEqual(
      picturesIn(page).map((picture) => picture.replace("../media", at)),
    );
});

it.each(["http://example.com/media", "media", "https://example.com/media?x=1", "https://example.com/#x"])(
  "refuses %j as the address of pictures",
  (address) => expect(() => extensionPage(page, address)).toThrow(`found "${address}"`),
);
