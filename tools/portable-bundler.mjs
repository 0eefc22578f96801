// The portable bundler for the editor package, which must not contain a platform's binary: the command line finds it
// next to itself. The npm package depends on esbuild instead.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = [
  "package.json",
  "lib/main.js",
  "bin/esbuild",
  "esbuild.wasm",
  "wasm_exec.js",
  "wasm_exec_node.js",
];

/** Copies esbuild-wasm from `source`, its package folder, and adapts it to the editor. */
export function copyPortableBundler(source, target) {
  for (const name of FILES) cpSync(join(source, name), join(target, name));
  // A machine with only an editor has no `node` on its PATH; the editor's own program runs scripts like Node.
  replaceOnce(join(target, "lib/main.js"), 'return ["node", [', "return [process.execPath, [");
  // V8 spends seconds on optimising the bundler's WebAssembly; one bundle takes a fraction of that.
  replaceOnce(
    join(target, "bin/esbuild"),
    "const module_ = require('module');",
    "require('v8').setFlagsFromString('--liftoff-only');\nconst module_ = require('module');",
  );
}

function replaceOnce(file, found, by) {
  const parts = readFileSync(file, "utf8").split(found);
  if (parts.length < 2) throw new Error(`${file} has changed: it does not contain ${found}`);
  writeFileSync(file, parts[0] + by + parts.slice(1).join(found));
}
