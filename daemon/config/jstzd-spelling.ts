// Maps configuration files written for jstzd: keys with a meaning here, to our names. Keys for programs that this
// sandbox lacks (baker, client, rollup binaries) are accepted and have no effect.
import { isObject } from "../tezos/json-fields.ts";

export interface Translation {
  readonly config: Record<string, unknown>;
  /** Position of each translated key in the file: our path -> path in the file. */
  readonly origin: ReadonlyMap<string, readonly string[]>;
  /** Keys that were read and have no effect. */
  readonly ignored: readonly string[];
}

const RENAMED: readonly (readonly [from: readonly string[], to: readonly string[]])[] = [
  [
    ["octez_node", "rpc_endpoint"],
    ["layer1_node", "rpc_endpoint"],
  ],
  [
    ["jstz_node", "skipped"],
    ["runtime_node", "skipped"],
  ],
  [
    ["jstz_node", "endpoint"],
    ["runtime_node", "endpoint"],
  ],
  [
    ["oracle_node", "skipped"],
    ["runtime_node", "oracle", "enabled"],
  ],
  [
    ["protocol", "bootstrap_accounts"],
    ["layer1_node", "bootstrap_accounts"],
  ],
];

const FOREIGN_SECTIONS = [
  "octez_node",
  "octez_baker",
  "octez_client",
  "octez_rollup",
  "jstz_node",
  "oracle_node",
  "protocol",
];

/** Translates a parsed file; our own keys pass through unchanged and override translated ones. */
export function translateJstzd(file: Record<string, unknown>): Translation {
  const config: Record<string, unknown> = structuredClone(file);
  const origin = new Map<string, readonly string[]>();
  const ignored: string[] = [];
  for (const [from, to] of RENAMED) {
    const value = get(file, from);
    if (value === undefined || get(config, to) !== undefined) continue;
    set(config, to, convert(from, value));
    origin.set(to.join("."), from);
  }
  for (const section of FOREIGN_SECTIONS) {
    if (!(section in file)) continue;
    delete config[section];
    const content = file[section];
    const keys = isObject(content) ? Object.keys(content).map((key) => [section, key]) : [[section]];
    for (const path of keys) {
      if (!RENAMED.some(([from]) => from.join(".") === path.join("."))) ignored.push(path.join("."));
    }
  }
  return { config, origin, ignored };
}

function convert(from: readonly string[], value: unknown): unknown {
  if (from[0] === "oracle_node") return value !== true;
  if (from[0] !== "protocol" || !Array.isArray(value)) return value;
  // jstzd lists unnamed `[public key, mutez]` pairs.
  return value.map((entry: unknown, index) =>
    Array.isArray(entry)
      ? { label: `account${index}`, key: entry[0] as unknown, balance: String(entry[1]) }
      : entry,
  );
}

function get(from: Record<string, unknown>, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), from);
}

function set(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  if (!isObject(target[head])) target[head] = {};
  set(target[head] as Record<string, unknown>, rest, value);
}
