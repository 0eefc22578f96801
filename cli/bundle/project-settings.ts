// The field `functez` of a project's package.json: what its functions need of the bundler. Values only: nothing here runs
// code of the folder.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BuildOptions, Loader } from "esbuild";
import { type LocatedJson, readAt, readLocatedJson } from "../../daemon/local/located-json.ts";
import {
  type Fields,
  fieldsOf,
  MalformedJson,
  textsField,
  textField,
} from "../../daemon/tezos/json-fields.ts";

export interface ProjectSettings {
  /** Options for esbuild. */
  readonly options: Pick<BuildOptions, "define" | "alias" | "conditions" | "loader">;
  /** Modules that the function does without: using one fails at run time. */
  readonly absent: readonly string[];
}

const NOTHING: ProjectSettings = { options: {}, absent: [] };

const KEYS = ["define", "alias", "conditions", "loader", "absent"];

/** Those that turn a file into a value or into code; none writes files. */
const LOADERS: readonly Loader[] = [
  ...(["js", "jsx", "ts", "tsx", "json", "text"] as const),
  ...(["base64", "dataurl", "binary", "empty"] as const),
];

const options = { invalid: "PROJECT_INVALID" } as const;

/** Settings of the project that a file belongs to. @throws SandboxError PROJECT_INVALID */
export function projectSettings(file: string): ProjectSettings {
  const manifest = manifestAbove(dirname(file));
  if (manifest === undefined) return NOTHING;
  const json = readLocatedJson(manifest, options);
  const { functez } = readAt(json, [], options, (value) => fieldsOf(value ?? {}, "package.json"));
  if (functez === undefined) return NOTHING;
  return settingsOf(json, dirname(manifest));
}

function manifestAbove(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (existsSync(file)) return file;
  const above = dirname(folder);
  return above === folder ? undefined : manifestAbove(above);
}

function settingsOf(json: LocatedJson, folder: string): ProjectSettings {
  const field = "functez";
  const record = (path: readonly string[]): Fields =>
    readAt(json, path, options, (value, at) => fieldsOf(value ?? {}, at));
  const texts = (key: string): string[] => [
    ...readAt(json, [field, key], options, (value, at) => textsField(value ?? [], at)),
  ];
  const textsByName = (key: string, expected = "text", isGood = (_text: string) => true) =>
    Object.keys(record([field, key])).map((name) => {
      const path = [field, key, name];
      const text = readAt(json, path, options, (value, at) => textField(value, at, expected, isGood));
      return [name, text] as const;
    });
  const unknown = Object.keys(record([field])).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    readAt(json, [field, unknown], options, (_value, at) => {
      throw new MalformedJson(at, `only ${KEYS.join(", ")}`, unknown);
    });
  const isTarget = (text: string): boolean =>
    /^(\.\/|[^./\\])/.test(text) && !/(^|[\\/])\.\.([\\/]|$)/.test(text);
  const alias = textsByName("alias", "a package, or a path of the project that begins with ./", isTarget);
  const loader = textsByName("loader", LOADERS.join(", "), (text) => (LOADERS as string[]).includes(text));
  return {
    options: {
      define: Object.fromEntries(textsByName("define")),
      alias: Object.fromEntries(
        alias.map(([name, to]) => [name, to.startsWith("./") ? resolve(folder, to) : to]),
      ),
      conditions: texts("conditions"),
      loader: Object.fromEntries(loader) as Record<string, Loader>,
    },
    absent: texts("absent"),
  };
}
