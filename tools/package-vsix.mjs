// Packs the VSIX: `npm run package -- [file] [--pictures <https address of media/>]`. Universal: it contains the portable bundler and no platform's binary. The files
// are first copied into a separate folder, whose content is exactly what is packed.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { extensionPage } from "./extension-page.mjs";
import { TYPESCRIPT_PLUGIN } from "./typescript-plugin.mjs";
import { sourceOf, vsixFiles } from "./vsix-files.mjs";

/** Time of all files in a package built outside of a repository: the earliest that a zip file can hold. */
const WITHOUT_HISTORY = Date.UTC(1980, 0, 2) / 1000;

function stage(root, folder, pictures) {
  rmSync(folder, { recursive: true, force: true });
  for (const path of vsixFiles(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, sourceOf(path)), join(folder, path));
  }
  // The page of the extension: the repository's own text is for those who build it.
  const page = extensionPage(readFileSync(join(root, "extension/README.md"), "utf8"), pictures);
  writeFileSync(join(folder, "README.md"), page);
  // The npm parts of the manifest mean nothing to the editor.
  const { files, bin, exports, scripts, dependencies, devDependencies, type, ...manifest } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  void [files, bin, exports, scripts, dependencies, devDependencies, type];
  // The packer takes packages only when the manifest depends on them.
  const plugin = { dependencies: { [TYPESCRIPT_PLUGIN]: "1.0.0" } };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...plugin }, null, 2)}\n`);
  cpSync(join(root, ".vscodeignore"), join(folder, ".vscodeignore"));
}

function main() {
  const root = resolve(import.meta.dirname, "..");
  const { values, positionals } = parseArgs({
    options: { pictures: { type: "string" } },
    allowPositionals: true,
  });
  const target = resolve(positionals[0] ?? join(root, "out/functez.vsix"));
  mkdirSync(dirname(target), { recursive: true });
  const built = spawnSync(process.execPath, ["esbuild.mjs", "--portable-bundler"], {
    stdio: "inherit",
    cwd: root,
  });
  if (built.status !== 0) return built.status ?? 1;
  const folder = join(root, "out/vsix");
  stage(root, folder, values.pictures);
  const date = spawnSync("git", ["show", "-s", "--format=%ct", "HEAD"], {
    encoding: "utf8",
    cwd: root,
  }).stdout?.trim();
  const packed = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/@vscode/vsce/vsce"),
      "package",
      "--allow-missing-repository",
      "--no-rewrite-relative-links",
      // vsce's search for secrets is left out of the installation: 2,600 files. Only listed files are packed, and
      // test/package.test.ts looks for keys in them.
      "--allow-package-all-secrets",
      "--allow-package-env-file",
      "-o",
      target,
    ],
    {
      stdio: ["ignore", "inherit", "inherit"],
      cwd: folder,
      // The same files give the same bytes, whenever and wherever they are packed.
      env: { ...process.env, SOURCE_DATE_EPOCH: date || String(WITHOUT_HISTORY), TZ: "UTC" },
    },
  );
  if (packed.status === 0)
    process.stderr.write(`${target}: ${(statSync(target).size / 1048576).toFixed(2)} MiB\n`);
  return packed.status ?? 1;
}

if (process.argv[1] === import.meta.filename) process.exit(main());
