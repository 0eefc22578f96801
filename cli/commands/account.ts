// `functez account …`, `login`, `logout`, `whoami`.
import { aliasProblem } from "../../daemon/protocol/alias.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { addressKind } from "../../daemon/tezos/address.ts";
import { type SecretKey } from "../../daemon/tezos/keys.ts";
import { currentUser, resolveSmartFunction } from "../config/account-lookup.ts";
import { requireFunction } from "../config/gone-function.ts";
import { openRuntime } from "../config/network.ts";
import type { AccountEntry, CliConfig } from "../config/parse-config.ts";
import { resolveAnyAddress } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";

interface NetworkOption {
  readonly network?: string;
}

/** `account create <alias>`: a new key from a fresh BIP39 phrase. */
export async function createAccount(
  context: CliContext,
  alias: string,
  options: { readonly force?: boolean; readonly passphrase?: string },
): Promise<void> {
  const { terminal } = context;
  requireFreeAlias(await context.config.read(), alias, options.force);
  const { newPhrase, keyOfPhrase } = await import("../bip39-key.ts");
  const phrase = newPhrase();
  const passphrase = options.passphrase ?? (await askPassphrase(context));
  const key = keyOfPhrase(phrase, passphrase);
  const loggedIn = await saveUser(context, alias, key, options.force);
  terminal.note(`Recovery phrase (write it down; it is shown only now):\n  ${phrase}`);
  terminal.print(`User created with address: ${key.publicKey.address}`);
  if (loggedIn) terminal.note(`Logged in to account ${alias}.`);
  terminal.data({ alias, address: key.publicKey.address, phrase, loggedIn });
}

async function askPassphrase(context: CliContext): Promise<string> {
  if (!context.terminal.interactive) return "";
  const { askSecret } = await import("../render/prompt.ts");
  return askSecret("Passphrase for the recovery phrase (empty for none)", { optional: true });
}

/** `account import <alias>`: an existing secret key or BIP39 phrase. */
export async function importAccount(
  context: CliContext,
  alias: string,
  options: {
    readonly force?: boolean;
    readonly key?: string;
    readonly passphrase?: string;
    /** Path of a Jstz configuration, or true for its default location. */
    readonly fromJstz?: string | true;
  },
): Promise<void> {
  requireFreeAlias(await context.config.read(), alias, options.force);
  const text = (
    options.key ??
    (await keyFromJstz(context, alias, options.fromJstz)) ??
    (await askKey(context))
  ).trim();
  let key: SecretKey;
  if (/\s/.test(text)) {
    const { keyOfPhrase } = await import("../bip39-key.ts");
    key = keyOfPhrase(text, options.passphrase ?? "");
  } else {
    key = parseSecretKey(text);
  }
  const loggedIn = await saveUser(context, alias, key, options.force);
  context.terminal.print(`User imported with address: ${key.publicKey.address}`);
  if (loggedIn) context.terminal.note(`Logged in to account ${alias}.`);
  context.terminal.data({ alias, address: key.publicKey.address, loggedIn });
}

async function keyFromJstz(
  context: CliContext,
  alias: string,
  from: string | true | undefined,
): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const { jstzConfigFile, jstzSecretKey } = await import("../config/jstz-import.ts");
  return jstzSecretKey(from === true ? jstzConfigFile(context.env) : from, alias);
}

async function askKey(context: CliContext): Promise<string> {
  if (!context.terminal.interactive) {
    const { readPiped } = await import("../render/prompt.ts");
    const piped = (await readPiped(context)).toString("utf8");
    if (piped.trim() !== "") return piped;
    throw new SandboxError("INPUT_NEEDED", { what: "The secret key", option: "--key, or pipe it in" });
  }
  const { askSecret } = await import("../render/prompt.ts");
  return askSecret("Secret key (edsk…) or recovery phrase", { optional: false });
}

/** `account delete <alias>`. */
export async function deleteAccount(
  context: CliContext,
  alias: string,
  options: { readonly yes?: boolean },
): Promise<void> {
  const config = await context.config.read();
  if (!Object.hasOwn(config.accounts, alias)) throw new SandboxError("UNKNOWN_ALIAS", { found: alias });
  if (!options.yes && "User" in config.accounts[alias]!) {
    if (!context.terminal.interactive) {
      throw new SandboxError("INPUT_NEEDED", { what: "The confirmation", option: "--yes" });
    }
    const { confirm } = await import("../render/prompt.ts");
    if (!(await confirm(`Delete account ${alias}? Its secret key is lost unless you have the phrase.`))) {
      throw new SandboxError("CANCELLED", { what: "Deleting the account" });
    }
  }
  await context.config.update(({ current_alias, ...rest }) => {
    const accounts = Object.fromEntries(Object.entries(rest.accounts).filter(([name]) => name !== alias));
    return { ...rest, accounts, ...(current_alias && current_alias !== alias ? { current_alias } : {}) };
  });
  context.terminal.print(`Deleted account ${alias}.`);
  context.terminal.data({ deleted: alias });
}

/** `account list`. */
export async function listAccounts(
  context: CliContext,
  options: { readonly long?: boolean; readonly bootstrap?: boolean },
): Promise<void> {
  if (options.bootstrap) return listBootstrapAccounts(context, options);
  const { terminal } = context;
  const config = await context.config.read();
  const entries = Object.entries(config.accounts);
  if (entries.length === 0) {
    terminal.note("No accounts yet. `functez account create <alias>` creates one.");
  } else if (options.long) {
    terminal.print(entries.map(([alias, entry]) => longEntry(alias, entry)).join("\n"));
  } else {
    const lines = entries.map(([alias, entry]) => `${alias}: ${addressOf(entry)}`);
    terminal.print(["Accounts:", ...lines].join("\n"));
  }
  terminal.data({
    current: config.current_alias ?? null,
    accounts: entries.map(([alias, entry]) => ({
      alias,
      kind: "User" in entry ? "user" : "smart-function",
      address: addressOf(entry),
      ...("User" in entry ? { publicKey: entry.User.public_key } : {}),
      ...("User" in entry && options.long ? { secretKey: entry.User.secret_key } : {}),
    })),
  });
}

/** `account list --bootstrap`: their keys are public development keys. */
function listBootstrapAccounts({ terminal }: CliContext, options: { readonly long?: boolean }): void {
  const lines = BOOTSTRAP_ACCOUNTS.map(({ label, address, publicKey, secretKey }) =>
    options.long
      ? `${label}\n  Address: ${address}\n  Public Key: ${publicKey}\n  Secret Key: ${secretKey}`
      : `${label}: ${address}`,
  );
  terminal.print(["Bootstrap accounts on layer 1:", ...lines].join("\n"));
  terminal.note(
    options.long
      ? "These keys are public: never use them on a real network."
      : "Their public development keys are shown with --long.",
  );
  terminal.data({
    accounts: BOOTSTRAP_ACCOUNTS.map(({ label, address, publicKey, secretKey }) => ({
      label,
      address,
      publicKey,
      ...(options.long ? { secretKey } : {}),
    })),
  });
}

function addressOf(entry: AccountEntry): string {
  return "User" in entry ? entry.User.address : entry.SmartFunction.address;
}

function longEntry(alias: string, entry: AccountEntry): string {
  const head = `Alias: ${alias}\n  Type: ${"User" in entry ? "User" : "Smart Function"}\n  Address: ${addressOf(entry)}`;
  if (!("User" in entry)) return head;
  return `${head}\n  Public Key: ${entry.User.public_key}\n  Secret Key: ${entry.User.secret_key}`;
}

/** `account balance`. */
export async function showBalance(
  context: CliContext,
  options: NetworkOption & { readonly account?: string },
): Promise<void> {
  const config = await context.config.read();
  const address = options.account
    ? await resolveAnyAddress({ context, config, network: options.network }, options.account)
    : currentUser(config).key.publicKey.address;
  const { network, runtime } = await openRuntime(context, config, options.network, "look");
  const balance = await runtime.balance(address);
  if (balance === 0n) await requireFunction(runtime, network, config, address);
  context.terminal.print(`${formatTez(balance)}ꜩ`);
  context.terminal.data({ address, mutez: balance.toString(), tez: formatTez(balance) });
}

/** `account code`. */
export async function showCode(
  context: CliContext,
  options: NetworkOption & { readonly account: string },
): Promise<void> {
  const config = await context.config.read();
  const address = resolveSmartFunction(config, options.account);
  const { network, runtime } = await openRuntime(context, config, options.network, "look");
  const code = await runtime.code(address);
  if (code === undefined) {
    await requireFunction(runtime, network, config, address);
    throw new SandboxError("NOT_FOUND", {
      what: `smart function ${address} on network ${network.name}`,
      next: "Deploy it first; a restart of the sandbox removes all functions.",
    });
  }
  context.terminal.print(code);
  context.terminal.data({ address, code });
}

/** `account alias <alias> <address>`: names a deployed smart function. */
export async function addAlias(context: CliContext, alias: string, address: string): Promise<void> {
  if (addressKind(address) !== "KT1") {
    throw new SandboxError("BAD_ADDRESS", {
      found: address,
      expected: "the address of a smart function (KT1…)",
      reason: addressKind(address) ? "it is another kind of address" : "it is not a valid address",
    });
  }
  await context.config.update((config) => {
    requireFreeAlias(config, alias, false);
    return { ...config, accounts: { ...config.accounts, [alias]: { SmartFunction: { address } } } };
  });
  context.terminal.print(`Added smart function: ${alias} -> ${address}`);
  context.terminal.data({ alias, address });
}

/** `login <alias>`. */
export async function login(context: CliContext, alias: string): Promise<void> {
  const config = await context.config.update((before) => {
    const entry = Object.hasOwn(before.accounts, alias) ? before.accounts[alias] : undefined;
    if (!entry || !("User" in entry)) throw new SandboxError("UNKNOWN_ALIAS", { found: alias });
    return { ...before, current_alias: alias };
  });
  sayWho(context, config);
}

/** `logout`. */
export async function logout(context: CliContext): Promise<void> {
  currentUser(await context.config.read());
  await context.config.update(({ current_alias: _gone, ...rest }) => rest);
  context.terminal.print("You have been logged out.");
  context.terminal.data({ loggedIn: false });
}

/** `whoami`. */
export async function whoami(context: CliContext): Promise<void> {
  sayWho(context, await context.config.read());
}

function sayWho(context: CliContext, config: CliConfig): void {
  const { alias, key } = currentUser(config);
  context.terminal.print(`Logged in to account ${alias} with address ${key.publicKey.address}`);
  context.terminal.data({ alias, address: key.publicKey.address });
}

/** Stores a key under an alias; logs in to it if no account is logged in. @returns whether it did */
async function saveUser(
  context: CliContext,
  alias: string,
  key: SecretKey,
  force?: boolean,
): Promise<boolean> {
  let loggedIn = false;
  await context.config.update((config) => {
    requireFreeAlias(config, alias, force);
    const User = { address: key.publicKey.address, secret_key: key.text, public_key: key.publicKey.text };
    loggedIn = config.current_alias === undefined;
    return {
      ...config,
      ...(loggedIn ? { current_alias: alias } : {}),
      accounts: { ...config.accounts, [alias]: { User } },
    };
  });
  return loggedIn;
}

/** @throws SandboxError BAD_ALIAS, ALIAS_EXISTS */
export function requireFreeAlias(config: CliConfig, alias: string, force: boolean | undefined): void {
  const reason = aliasProblem(alias);
  if (reason) throw new SandboxError("BAD_ALIAS", { found: alias, reason });
  if (!force && Object.hasOwn(config.accounts, alias))
    throw new SandboxError("ALIAS_EXISTS", { found: alias });
}
