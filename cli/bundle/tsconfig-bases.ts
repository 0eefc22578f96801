// What a tsconfig.json extends. The bundler follows these names, so they are looked at before.
import { dirname, join, resolve } from "node:path";
import { createScanner } from "jsonc-parser";

/**
 * All paths that a file's `extends` may mean, existing or not. More than one of them: the rules for packages depend on
 * further files, and a look at a name too many costs nothing.
 * @param file absolute path of a tsconfig.json
 */
export function basesOf(file: string, text: string): string[] {
  return extendedNames(text).flatMap((name) => {
    const folder = dirname(file);
    const isPath = /^\.{0,2}[\\/]|^\.\.?$|^[A-Za-z]:[\\/]/.test(name);
    const places = isPath ? [resolve(folder, name)] : packageFolders(folder).map((at) => join(at, name));
    return places.flatMap((place) => [place, `${place}.json`, join(place, "tsconfig.json")]);
  });
}

/** The folders node_modules that a name is looked for in, from a folder upwards. */
export function packageFolders(folder: string): string[] {
  const above = dirname(folder);
  return [join(folder, "node_modules"), ...(above === folder ? [] : packageFolders(above))];
}

/** Token by token: a parser would be recursive, and a hostile file nests deeply. */
function extendedNames(text: string): string[] {
  const scanner = createScanner(text, true);
  /** First character of the next token; empty at the end. */
  const next = (): string => {
    scanner.scan();
    return scanner.getTokenLength() === 0 ? "" : text.charAt(scanner.getTokenOffset());
  };
  const names: string[] = [];
  for (let token = next(); token !== ""; token = next()) {
    if (token !== '"' || scanner.getTokenValue() !== "extends") continue;
    if (next() !== ":") continue;
    token = next();
    if (token === '"') names.push(scanner.getTokenValue());
    if (token !== "[") continue;
    for (token = next(); token === '"' || token === ","; token = next())
      if (token === '"') names.push(scanner.getTokenValue());
  }
  return names;
}
