// Aliases: names that users give to accounts and smart functions.
import { looksLikeAddress } from "../tezos/address.ts";

/** Why an alias is invalid, as part of a sentence; undefined when it is valid. */
export function aliasProblem(alias: string): string | undefined {
  if (looksLikeAddress(alias)) return "it looks like an address";
  if (/^bootstrap\d+$/.test(alias)) return "it is reserved for bootstrap accounts";
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(alias)) return "it has other characters, or more than 64";
  return undefined;
}

/** The default alias of a source file: `counter` for `counter/index.ts`, `faucet` for `faucet.ts`; any path separator. */
export function aliasOfFile(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== "");
  const name = (parts.at(-1) ?? "").replace(/\.[^.]*$/, "");
  const base = name === "index" || name === "main" ? (parts.at(-2) ?? name) : name;
  const alias = base
    .replace(/[^A-Za-z0-9_-]/g, "-")
    .replace(/^[^A-Za-z]+/, "")
    .slice(0, 64);
  return aliasProblem(alias) === undefined ? alias : "smart-function";
}
