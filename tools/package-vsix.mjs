// Packs the VSIX: `npm run package`. Universal: no platform's binary is inside; the portable bundler is. The
// files are copied into a folder of their own first: what is in it is exactly what is packed.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Allow-list of what ships in the VSIX. */
export const VSIX_FILES = [
  "package.nls.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  /^dist\/[\w-]+\.(cjs|mjs)$/,
  /^dist\/chunks\/[\w.-]+\.mjs$/,
  /^dist\/engine\.(wasm|snapshot|json)$/,
  "dist/config-schema.json",
  /^dist\/esbuild-wasm\//,
  /^types\/[\w-]+\.d\.ts$/,
  /^media\/[\w-]+\.(svg|png)$/,
  /^bin\/functez(\.cmd)?$/,
  /^l10n\/[\w.-]+\.json$/,
  "NOTICE.md",
  "container/Dockerfile",
];

/** Only the test kit and the stand-alone parts are of no use inside the editor. */
const LEFT_OUT = /^dist\/(testing)\.mjs$/;

function filesBelow(folder, prefix = "") {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path, `${prefix}${name}/`) : [`${prefix}${name}`];
  });
}

export function stagedFiles(root) {
  const candidates = [
    ...readdirSync(root).filter((name) => statSync(join(root, name)).isFile()),
    ...["dist", "types", "media", "bin", "l10n", "container"].flatMap((folder) =>
      filesBelow(join(root, folder), `${folder}/`),
    ),
  ];
  return candidates
    .filter((path) => !LEFT_OUT.test(path))
    .filter((path) => VSIX_FILES.some((rule) => (typeof rule === "string" ? rule === path : rule.test(path))))
    .sort();
}

function stage(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  for (const path of stagedFiles(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  // The npm side of the manifest means nothing to the editor.
  const { files, bin, exports, scripts, dependencies, devDependencies, type, ...manifest } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  void [files, bin, exports, scripts, dependencies, devDependencies, type];
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

function main() {
  const root = resolve(import.meta.dirname, "..");
  const target = resolve(process.argv[2] ?? join(root, "out/functez.vsix"));
  mkdirSync(dirname(target), { recursive: true });
  const built = spawnSync(process.execPath, ["build.mjs", "--portable-bundler"], {
    stdio: "inherit",
    cwd: root,
  });
  if (built.status !== 0) return built.status ?? 1;
  const vsce = join(root, "tools/editor/node_modules/@vscode/vsce/vsce");
  if (!existsSync(vsce)) {
    process.stderr.write("the packer is not installed: run tools/editor/setup.sh\n");
    return 1;
  }
  const folder = join(root, "out/vsix");
  stage(root, folder);
  const date = spawnSync("git", ["show", "-s", "--format=%ct", "HEAD"], {
    encoding: "utf8",
    cwd: root,
  }).stdout?.trim();
  const packed = spawnSync(
    process.execPath,
    [
      vsce,
      "package",
      "--no-dependencies",
      "--allow-missing-repository",
      "--no-rewrite-relative-links",
      "-o",
      target,
    ],
    {
      stdio: ["ignore", "inherit", "inherit"],
      cwd: folder,
      env: { ...process.env, ...(date ? { SOURCE_DATE_EPOCH: date } : {}) },
    },
  );
  if (packed.status === 0)
    process.stderr.write(`${target}: ${(statSync(target).size / 1048576).toFixed(2)} MiB\n`);
  return packed.status ?? 1;
}

if (process.argv[1] === import.meta.filename) process.exit(main());
