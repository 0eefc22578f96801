// Checks the CLI's configuration file. Every mistake is located: file, line, column, key, found, expected.
import { dirname } from "node:path";
import { parseLocatedJson } from "../../daemon/local/located-json.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { addressKind } from "../../daemon/tezos/address.ts";
import type { CliConfig } from "./config-file.ts";

type Path = readonly string[];

/** @throws SandboxError CLI_CONFIG_INVALID */
export function parseCliConfig(file: string, text: string): CliConfig {
  const folder = dirname(file);
  const json = parseLocatedJson(file, text, { invalid: "CLI_CONFIG_INVALID", data: { folder } });

  function fail(path: Path, found: unknown, expected: string): never {
    throw new SandboxError("CLI_CONFIG_INVALID", {
      file,
      folder,
      ...json.locate(path),
      key: path.join("."),
      found: path.at(-1) === "secret_key" ? "another text" : (JSON.stringify(found) ?? "nothing"),
      expected,
    });
  }
  function record(value: unknown, path: Path): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, value, "an object");
    return value as Record<string, unknown>;
  }
  function text_(value: unknown, path: Path, expected: string, good: (text: string) => boolean): void {
    if (typeof value !== "string" || !good(value)) fail(path, value, expected);
  }

  const root = record(json.value, []);
  const accounts = record(root["accounts"] ?? {}, ["accounts"]);
  for (const [alias, entry] of Object.entries(accounts)) {
    const path = ["accounts", alias];
    const { User: user, SmartFunction: smartFunction } = record(entry, path);
    if (user !== undefined) {
      const fields = record(user, [...path, "User"]);
      text_(
        fields["address"],
        [...path, "User", "address"],
        "an address (tz1…)",
        (a) => addressKind(a) !== undefined,
      );
      text_(fields["secret_key"], [...path, "User", "secret_key"], "a secret key", (key) => key.length > 50);
      text_(fields["public_key"], [...path, "User", "public_key"], "a public key", (key) => key.length > 50);
    } else if (smartFunction !== undefined) {
      const fields = record(smartFunction, [...path, "SmartFunction"]);
      const at = [...path, "SmartFunction", "address"];
      text_(fields["address"], at, "an address (KT1…)", (address) => addressKind(address) === "KT1");
    } else {
      fail(path, entry, '{"User": …} or {"SmartFunction": …}');
    }
  }
  const networks = record(root["networks"] ?? {}, ["networks"]);
  for (const [name, entry] of Object.entries(networks)) {
    const fields = record(entry, ["networks", name]);
    for (const key of ["octez_node_rpc_endpoint", "jstz_node_endpoint"]) {
      text_(fields[key], ["networks", name, key], "an http(s) URL", (url) => /^https?:\/\/./.test(url));
    }
  }
  for (const [alias, address] of Object.entries(
    record(root["layer1_contracts"] ?? {}, ["layer1_contracts"]),
  )) {
    text_(address, ["layer1_contracts", alias], "an address (KT1…)", (found) => addressKind(found) === "KT1");
  }
  for (const key of ["current_alias", "default_network"]) {
    if (root[key] !== undefined) text_(root[key], [key], "text", () => true);
  }
  return { ...root, accounts, networks } as unknown as CliConfig;
}
