import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterEach, beforeEach, expect, it } from "vitest";
import { codeCacheFolder, loadBundle } from "./code-cache.ts";

let root: string;
let cache: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "functez-code-cache-"));
  cache = join(root, "config", "code-cache");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Bundle {
  answer(): string;
}

function bundle(answer: string): string {
  const file = join(root, "bundle.cjs");
  writeFileSync(
    file,
    `const { join } = require("node:path");
     exports.answer = () => join("${answer}", __filename.slice(__dirname.length + 1));`,
  );
  return file;
}

/** Loads a bundle, runs it, and offers to write the code cache. */
function start(file: string): string {
  const { exports, keep } = loadBundle<Bundle>(file, cache);
  const answer = exports.answer();
  keep();
  return answer;
}

const only = () => {
  const names = readdirSync(cache);
  expect(names).toHaveLength(1);
  return join(cache, names[0]!);
};

it("keeps the code compiled by the first start, and the second start writes nothing", () => {
  expect(start(bundle("one"))).toBe(join("one", "bundle.cjs"));
  const { exports, keep } = loadBundle<Bundle>(bundle("one"), cache);
  expect(exports.answer()).toBe(join("one", "bundle.cjs"));
  rmSync(only());
  keep();
  expect(readdirSync(cache)).toEqual([]);
});

it("writes nothing after V8's flags have changed, for the next start would refuse it", () => {
  const { keep } = loadBundle<Bundle>(bundle("one"), cache);
  setFlagsFromString("--heap-growing-percent=77");
  try {
    keep();
    expect(existsSync(cache)).toBe(false);
  } finally {
    setFlagsFromString("--heap-growing-percent=0");
  }
  keep();
  expect(readdirSync(cache)).toHaveLength(1);
});

it("never runs the code of another content of the same length", () => {
  expect(start(bundle("one"))).toBe(join("one", "bundle.cjs"));
  expect(start(bundle("two"))).toBe(join("two", "bundle.cjs"));
  expect(readdirSync(cache)).toHaveLength(2);
});

it("compiles again when the file is damaged, cut or empty, and replaces it", () => {
  start(bundle("one"));
  const file = only();
  const good = readFileSync(file);
  const flipped = Buffer.from(good);
  flipped[flipped.length >> 1]! ^= 1;
  for (const damaged of [flipped, good.subarray(0, good.length - 100), Buffer.alloc(0)]) {
    writeFileSync(file, damaged);
    expect(start(bundle("one"))).toBe(join("one", "bundle.cjs"));
    expect(readFileSync(file).equals(damaged)).toBe(false);
  }
});

it("keeps a bounded number of files and leaves no partial file", () => {
  for (let i = 0; i < 12; i++) start(bundle(`number ${i}`));
  expect(readdirSync(cache)).toHaveLength(8);
  expect(readdirSync(cache).every((name) => name.endsWith(".bin"))).toBe(true);
});

it("works when the folder is not writable", () => {
  mkdirSync(join(root, "config"));
  writeFileSync(cache, "a file where the folder should be");
  expect(start(bundle("one"))).toBe(join("one", "bundle.cjs"));
});

it("is in the configuration folder", () => {
  expect(codeCacheFolder({ XDG_CONFIG_HOME: "/somewhere" })).toBe(
    join("/somewhere", "functez", "code-cache"),
  );
});
