// Aliases: names that users give to accounts and smart functions.
import { looksLikeAddress } from "../tezos/address.ts";

/** What is wrong with an alias, as part of a sentence; undefined when it is good. */
export function aliasProblem(alias: string): string | undefined {
  if (looksLikeAddress(alias)) return "it looks like an address";
  if (/^bootstrap\d+$/.test(alias)) return "it is reserved for bootstrap accounts";
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(alias)) return "it has other characters, or more than 64";
  return undefined;
}

/** An alias for a source file: `counter` of `counter/index.ts`, `faucet` of `faucet.ts`; any path separator. */
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
