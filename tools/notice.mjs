// Writes NOTICE.md: `node tools/notice.mjs` after a build. Lists every package whose code is in dist/, with its
// licence. The packages are read from the source maps of the build, so none can be forgotten.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Separate files in dist/ without a source map: the engine, and the bundler of the editor package. */
const WHOLE = ["quickjs-wasi", "esbuild-wasm"];

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/**
 * What dist/engine.wasm is made of beside the interface of quickjs-wasi, whose package has only its own licence: its
 * makefile compiles QuickJS-ng and links the C library of wasi-sdk 30, which is wasi-libc over musl, cloudlibc and
 * dlmalloc. It imports no function of files from WASI, so libpreopen is not in it. The texts are those of the projects.
 */
const ENGINE_PARTS = [
  { name: "QuickJS-ng", version: "in quickjs-wasi", license: "MIT, Unicode-3.0", file: "quickjs-ng.txt" },
  { name: "wasi-libc", version: "of wasi-sdk 30", license: "MIT", file: "wasi-libc.txt" },
  { name: "musl", version: "in wasi-libc", license: "MIT", file: "musl.txt" },
  { name: "cloudlibc", version: "in wasi-libc", license: "BSD-2-Clause", file: "cloudlibc.txt" },
  { name: "dlmalloc", version: "in wasi-libc", license: "CC0-1.0", file: "dlmalloc.txt" },
];

/** Libraries inside the WebAssembly of packages that carry only their own licence, or none. */
const WASM_PARTS = [
  { name: "libsecp256k1", version: "in @bitauth/libauth", license: "MIT", file: "libsecp256k1.txt" },
  { name: "mcl", version: "in mcl-wasm", license: "BSD-3-Clause", file: "mcl.txt" },
];

/** Folder of the package of a source file; undefined for our own. */
function packageFolder(source) {
  const at = source.lastIndexOf("node_modules/");
  if (at < 0) return undefined;
  const [first, second] = source.slice(at + "node_modules/".length).split("/");
  return source.slice(0, at) + join("node_modules", first.startsWith("@") ? `${first}/${second}` : first);
}

async function bundledFolders() {
  const folders = new Set(WHOLE.map((name) => `node_modules/${name}`));
  const maps = filesBelow(join(root, "dist")).filter((path) => path.endsWith(".map"));
  for (const map of maps) {
    for (const source of JSON.parse(readFileSync(map, "utf8")).sources) {
      const folder = packageFolder(relative(root, resolve(dirname(map), source)));
      if (folder) folders.add(folder);
    }
  }
  // The web APIs inside the engine's snapshot.
  const { metafile } = await build({
    entryPoints: [join(root, "daemon/runtime/engine/prelude/main.ts")],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    logLevel: "error",
  });
  for (const source of Object.keys(metafile.inputs)) {
    const folder = packageFolder(source);
    if (folder) folders.add(folder);
  }
  return folders;
}

function licenceText(folder) {
  const name = readdirSync(folder)
    .sort()
    .find((file) => /^(licen[cs]e|copying)(-mit)?(\.\w+)?$/i.test(file));
  return name === undefined
    ? undefined
    : readFileSync(join(folder, name), "utf8").replace(/\r\n/g, "\n").trim();
}

/** The whole text of NOTICE.md. Needs a build. */
export async function noticeText() {
  const packages = new Map();
  for (const folder of await bundledFolders()) {
    const path = join(root, folder);
    if (!existsSync(join(path, "package.json"))) continue;
    const { name, version, license, author } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const by = typeof author === "string" ? author : (author?.name ?? "its authors");
    packages.set(`${name} ${version}`, { name, version, license, by, text: licenceText(path) });
  }
  for (const { file, ...part } of [...ENGINE_PARTS, ...WASM_PARTS]) {
    const text = readFileSync(join(root, "tools/licences", file), "utf8").trim();
    packages.set(part.name, { ...part, text });
  }
  const sorted = [...packages.values()].sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1));
  const rows = sorted.map(
    ({ name, version, license }) => `| ${name} | ${version} | ${license ?? "see below"} |`,
  );
  const texts = new Map();
  for (const { name, version, license, by, text } of sorted) {
    const shown = text ?? `No licence file comes with it; its manifest says ${license}. Copyright by ${by}.`;
    texts.set(shown, [...(texts.get(shown) ?? []), `${name} ${version}`]);
  }
  const sections = [...texts].map(
    ([text, names]) => `## ${names.join(", ")}\n\n${text.replace(/^/gm, "    ").replace(/ +$/gm, "")}`,
  );
  return `${[
    "<!-- Made from the build by `node tools/notice.mjs`. -->",
    "# Third-party software in functez",
    "functez is under the licence in LICENSE. Its packages contain code of the following ones.",
    `| package | version | licence |\n| --- | --- | --- |\n${rows.join("\n")}`,
    ...sections,
  ].join("\n\n")}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(join(root, "NOTICE.md"), await noticeText());
}
