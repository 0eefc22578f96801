// Packs the VSIX: `npm run package`. Universal: no platform's binary is inside; the portable bundler is.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

const target = resolve(process.argv[2] ?? "out/functez.vsix");
mkdirSync(dirname(target), { recursive: true });
const built = spawnSync(process.execPath, ["build.mjs", "--portable-bundler"], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

const vsce = ["node_modules/@vscode/vsce/vsce", "tools/editor/node_modules/@vscode/vsce/vsce"].find((path) =>
  existsSync(path),
);
if (!vsce) {
  process.stderr.write("the packer is not installed: run tools/editor/setup.sh\n");
  process.exit(1);
}
const date = spawnSync("git", ["show", "-s", "--format=%ct", "HEAD"], { encoding: "utf8" }).stdout?.trim();
const packed = spawnSync(
  process.execPath,
  [
    vsce,
    "package",
    "--no-dependencies",
    "--skip-license",
    "--allow-missing-repository",
    "--no-rewrite-relative-links",
    "-o",
    target,
  ],
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...(date ? { SOURCE_DATE_EPOCH: date } : {}) },
  },
);
process.exit(packed.status ?? 1);
