// The content of the CLI's configuration file, and its check. Every mistake is located: file, line, column, key, found,
// expected.
import { dirname } from "node:path";
import { parseLocatedJson, readAt } from "../../daemon/local/located-json.ts";
import { aliasProblem } from "../../daemon/protocol/alias.ts";
import { addressKind } from "../../daemon/tezos/address.ts";
import { type Fields, fieldsOf, MalformedJson, textField } from "../../daemon/tezos/json-fields.ts";

export interface UserAccount {
  readonly address: string;
  readonly secret_key: string;
  readonly public_key: string;
}
export type AccountEntry =
  | { readonly User: UserAccount }
  | { readonly SmartFunction: { readonly address: string } };

export interface NetworkEntry {
  readonly octez_node_rpc_endpoint: string;
  readonly jstz_node_endpoint: string;
}

/** Content of the configuration file; every key is optional and absent when empty. */
export interface CliConfig {
  readonly current_alias?: string;
  readonly accounts: Readonly<Record<string, AccountEntry>>;
  readonly default_network?: string;
  readonly networks: Readonly<Record<string, NetworkEntry>>;
  /** Addresses of contracts deployed on layer 1, by alias. */
  readonly layer1_contracts?: Readonly<Record<string, string>>;
}

type Path = readonly string[];

const isFunctionAddress = (text: string): boolean => addressKind(text) === "KT1";
const isKey = (text: string): boolean => text.length > 50;

/** @throws SandboxError CLI_CONFIG_INVALID */
export function parseCliConfig(file: string, text: string): CliConfig {
  const options = { invalid: "CLI_CONFIG_INVALID", data: { folder: dirname(file) } } as const;
  const json = parseLocatedJson(file, text, options);
  const record = (path: Path): Fields => readAt(json, path, options, fieldsOf);
  const records = (path: Path): Fields =>
    readAt(json, path, options, (value, at) => fieldsOf(value ?? {}, at));
  const check = (path: Path, expected: string, good: (text: string) => boolean): string =>
    readAt(json, path, options, (value, at) => textField(value, at, expected, good));
  /** Aliases go before addresses and labels: one that looks like such a name would send tez to somebody else. */
  const refuseAlias = (path: Path, problem: string): never =>
    readAt(json, path, options, (_value, at) => {
      throw new MalformedJson(at, `another alias (${problem})`, path.at(-1));
    });

  const root = record([]);
  const accounts = records(["accounts"]);
  for (const alias of Object.keys(accounts)) {
    const path = ["accounts", alias];
    const problem = aliasProblem(alias);
    if (problem !== undefined) refuseAlias(path, problem);
    const { User: user, SmartFunction: smartFunction } = record(path);
    if (user !== undefined) {
      const at = [...path, "User"];
      record(at);
      check([...at, "address"], "an address (tz1…)", (found) => addressKind(found) !== undefined);
      check([...at, "secret_key"], "a secret key", isKey);
      check([...at, "public_key"], "a public key", isKey);
    } else if (smartFunction !== undefined) {
      record([...path, "SmartFunction"]);
      check([...path, "SmartFunction", "address"], "an address (KT1…)", isFunctionAddress);
    } else {
      readAt(json, path, options, (value, at) => {
        throw new MalformedJson(at, '{"User": …} or {"SmartFunction": …}', value);
      });
    }
  }
  const networks = records(["networks"]);
  for (const name of Object.keys(networks)) {
    record(["networks", name]);
    for (const key of ["octez_node_rpc_endpoint", "jstz_node_endpoint"])
      check(["networks", name, key], "an http(s) URL", (url) => /^https?:\/\/./.test(url));
  }
  for (const alias of Object.keys(records(["layer1_contracts"]))) {
    const path = ["layer1_contracts", alias];
    if (addressKind(alias) !== undefined) refuseAlias(path, "it is an address");
    check(path, "an address (KT1…)", isFunctionAddress);
  }
  for (const key of ["current_alias", "default_network"])
    if (root[key] !== undefined) check([key], "text", () => true);
  return { ...root, accounts, networks } as unknown as CliConfig;
}
