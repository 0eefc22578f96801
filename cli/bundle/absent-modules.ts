// Modules that a smart function cannot have, such as those of Node.js that a package imports and seldom reaches. In their
// place stands a module that fails when something of it is used, and says how it came into the function.
import { isBuiltin } from "node:module";
import { resolve } from "node:path";
import type { Message, Metafile, Plugin } from "esbuild";

/** A module that is absent, and the files that lead to it, the user's own first. */
export interface AbsentModule {
  readonly name: string;
  readonly chain: readonly string[];
}

const NAMESPACE = "functez-absent";

const keyOf = (importer: string, name: string): string => `${importer}\0${name}`;

/** Which imports are to be replaced. */
export interface AbsentImports {
  /** Names that no file gets. */
  readonly everywhere: readonly string[];
  /** Imports of single files, of {@link absentFrom}. */
  readonly single: ReadonlySet<string>;
}

/** Whether there is anything to replace. */
export const isAny = ({ everywhere, single }: AbsentImports): boolean =>
  everywhere.length > 0 || single.size > 0;

/**
 * The imports that made a build fail, if all of them are of modules of Node.js in packages; otherwise undefined, for then
 * the user has to do something. An import that a package tries and does without is no error in the first place.
 * @param folder that the places in the errors are relative to
 */
export function absentFrom(errors: readonly Message[], folder: string): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const { text, location } of errors) {
    const name = unresolvedBuiltin(text);
    const file = location && resolve(folder, location.file);
    if (name === undefined || !file || !isInPackage(file)) return undefined;
    found.add(keyOf(file, name));
  }
  return found;
}

/** The module of Node.js that an error of esbuild is about, if any. */
export function unresolvedBuiltin(text: string): string | undefined {
  const [, name] = /^Could not resolve "([^"]+)"$/.exec(text) ?? [];
  return name !== undefined && isBuiltin(name) ? name : undefined;
}

const isInPackage = (file: string): boolean => /[\\/]node_modules[\\/]/.test(file);

/** Puts the failing modules into a build. */
export function absentModulesPlugin({ everywhere, single }: AbsentImports): Plugin {
  return {
    name: NAMESPACE,
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
        everywhere.includes(path) || single.has(keyOf(importer, path))
          ? { path, namespace: NAMESPACE }
          : undefined,
      );
      build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({
        contents: stubOf(path),
        loader: "js",
      }));
    },
  };
}

const chainMark = (name: string): string => `functez-chain-of:${name}:`;

/**
 * Source of such a module. Functions and classes of it can be named, stored and extended: calling them fails, for packages
 * take them out of the module long before they need them, if they ever do.
 */
function stubOf(name: string): string {
  const reason = ` is absent in smart functions, and is used here (${chainMark(name)}). Use a package, or a build of it, that is made for browsers, or put another in its place by "alias" in the field "functez" of package.json.`;
  return `const fail = (member) => {
  throw new Error(${JSON.stringify(name)} + member + ${JSON.stringify(reason)});
};
const absent = (member) => new Proxy(function () {}, {
  apply: () => fail(member),
  construct: () => fail(member),
  get: (target, key) => typeof key === "symbol" || key === "prototype" || key === "then" || key === "__esModule"
    ? target[key]
    : absent(member + "." + key),
});
// As a prototype it is asked for names that the copies made by bundlers lack.
module.exports = Object.create(new Proxy({}, {
  get: (target, key) => typeof key === "symbol" || key === "then" || key === "__esModule" ? undefined : absent("." + key),
}));
`;
}

/** Tells the failing modules in built code how they were imported. */
export function withChains(
  code: string,
  metafile: Metafile | undefined,
): { readonly code: string; readonly absent: readonly AbsentModule[] } {
  const absent = metafile ? absentIn(metafile) : [];
  let text = code;
  for (const { name, chain } of absent)
    text = text.replaceAll(chainMark(name), JSON.stringify(chain.join(" → ")).slice(1, -1));
  return { code: text, absent };
}

function absentIn({ inputs, outputs }: Metafile): AbsentModule[] {
  const entry = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined)?.entryPoint;
  if (entry === undefined) return [];
  const cameFrom = new Map<string, string | undefined>([[entry, undefined]]);
  const found: AbsentModule[] = [];
  for (const [path] of cameFrom) {
    if (path.startsWith(`${NAMESPACE}:`))
      found.push({ name: path.slice(NAMESPACE.length + 1), chain: chainTo(path, cameFrom) });
    for (const { path: next } of inputs[path]?.imports ?? [])
      if (!cameFrom.has(next)) cameFrom.set(next, path);
  }
  return found;
}

/** The shortest way from the entry: files of a package in a row as one, without what lies before its name. */
function chainTo(path: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const chain: string[] = [];
  for (let at = cameFrom.get(path); at !== undefined; at = cameFrom.get(at)) {
    const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(at)?.[1] ?? at;
    if (chain[0] !== name) chain.unshift(name);
  }
  return chain;
}
