// Builds dist/ when it is missing or older than a source: called by `npm start` and `npm test`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const SOURCES = [
  "daemon",
  "cli",
  "extension",
  "explorer",
  "testing",
  "types",
  "tools/engine",
  "esbuild.mjs",
  "package.json",
];

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(
    0,
    ...readdirSync(path)
      .filter((name) => name !== "node_modules")
      .map((name) => newest(join(path, name))),
  );
}

const marker = "dist/sandboxd.cjs";
const built = existsSync(marker) ? statSync(marker).mtimeMs : 0;
if (built < Math.max(...SOURCES.map(newest))) {
  const { status } = spawnSync(process.execPath, ["esbuild.mjs"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
