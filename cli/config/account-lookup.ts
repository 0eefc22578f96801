// Resolves user input (alias, bootstrap label, address) to an address and, if known, a key.
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { addressProblem, requireRuntimeAddress } from "../../daemon/protocol/runtime-address.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { addressKind, looksLikeAddress } from "../../daemon/tezos/address.ts";
import { type SecretKey } from "../../daemon/tezos/keys.ts";
import type { CliConfig } from "./parse-config.ts";

export interface Signer {
  readonly alias: string;
  readonly key: SecretKey;
}

/** Address of an alias; undefined when there is no such alias. */
export function aliasAddress(config: CliConfig, alias: string): string | undefined {
  const entry = Object.hasOwn(config.accounts, alias) ? config.accounts[alias] : undefined;
  return entry && ("User" in entry ? entry.User.address : entry.SmartFunction.address);
}

/** Address of an account or smart function, by alias, bootstrap label or address. @throws SandboxError */
export function resolveAddress(config: CliConfig, text: string): string {
  const named = aliasAddress(config, text);
  if (named !== undefined) return named;
  const bootstrap = BOOTSTRAP_ACCOUNTS.find(({ label }) => label === text);
  if (bootstrap) return bootstrap.address;
  if (looksLikeAddress(text) || addressKind(text) !== undefined) return requireRuntimeAddress(text);
  if (/^bootstrap\d+$/.test(text)) throw unknownBootstrap(text);
  throw new SandboxError("UNKNOWN_ALIAS", { found: text });
}

/** Address of a smart function, by alias or address. @throws SandboxError */
export function resolveSmartFunction(config: CliConfig, text: string): string {
  const address = resolveAddress(config, text);
  if (addressKind(address) === "KT1") return address;
  throw new SandboxError("BAD_ADDRESS", {
    found: text,
    expected: "a smart function",
    reason: "it is a user account",
    next: "Give the alias or the KT1 address of a smart function.",
  });
}

/** Key of a layer 1 account, by bootstrap label, bootstrap address or own alias. @throws SandboxError */
export function resolveLayer1Signer(config: CliConfig, text: string): Signer {
  const bootstrap = BOOTSTRAP_ACCOUNTS.find(({ label, address }) => label === text || address === text);
  if (bootstrap) return { alias: bootstrap.label, key: parseSecretKey(bootstrap.secretKey) };
  const own = findUser(config, text);
  if (own) return own;
  if (looksLikeAddress(text)) {
    throw new SandboxError("BAD_ADDRESS", {
      found: text,
      expected: "an account to send from",
      reason: addressKind(text) ? "its secret key is not known here" : addressProblem(text),
      next: "Use a bootstrap account (bootstrap0 to bootstrap5) or import the account with `functez account import`.",
    });
  }
  throw unknownBootstrap(text);
}

/** @param further labels of the sandbox's configuration */
export function unknownBootstrap(found: string, further: readonly string[] = []): SandboxError {
  const labels = [...BOOTSTRAP_ACCOUNTS.map(({ label }) => label), ...further];
  return new SandboxError("UNKNOWN_BOOTSTRAP", {
    found,
    known: `${labels.join(", ")}, or the alias of one of your accounts`,
  });
}

function findUser(config: CliConfig, text: string): Signer | undefined {
  for (const [alias, entry] of Object.entries(config.accounts)) {
    if (!("User" in entry)) continue;
    if (alias === text || entry.User.address === text)
      return { alias, key: parseSecretKey(entry.User.secret_key) };
  }
  return undefined;
}

/** One of the user's accounts by alias. @throws SandboxError UNKNOWN_ALIAS, BAD_ADDRESS for a smart function */
function userNamed(config: CliConfig, alias: string): Signer {
  const user = findUser(config, alias);
  if (user) return user;
  if (!Object.hasOwn(config.accounts, alias)) throw new SandboxError("UNKNOWN_ALIAS", { found: alias });
  throw new SandboxError("BAD_ADDRESS", {
    found: alias,
    expected: "an account that signs",
    reason: "it is a smart function",
    next: "Give one of your accounts: `functez account list` shows them.",
  });
}

/**
 * The account that signs: the one that is named, or the one that the user is logged in to.
 * @throws SandboxError NOT_LOGGED_IN, UNKNOWN_ALIAS, BAD_ADDRESS
 */
export function currentUser(config: CliConfig, named?: string): Signer {
  if (named !== undefined) return userNamed(config, named);
  const alias = config.current_alias;
  const signer = alias === undefined ? undefined : findUser(config, alias);
  if (!signer) throw new SandboxError("NOT_LOGGED_IN");
  return signer;
}
