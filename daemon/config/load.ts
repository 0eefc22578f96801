// Reads a configuration file and builds the effective configuration: partial files keep the defaults, unknown keys
// cause a warning with the nearest known name, and every error names file, line, column, key, found and expected.
import type { TSchema } from "@sinclair/typebox";
import { closest } from "fastest-levenshtein";
import { type LocatedJson, readLocatedJson } from "../local/located-json.ts";
import { ADMIN_SECRET_EXPECTED } from "../protocol/admin-secret.ts";
import { BOOTSTRAP_ACCOUNTS } from "../protocol/constants.ts";
import { endpointOf, LISTEN_ADDRESS_EXPECTED, listenAddress, parseEndpoint } from "../protocol/endpoint.ts";
import { SandboxError } from "../protocol/errors.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { isObject } from "../tezos/json-fields.ts";
import { parsePublicKey } from "../tezos/keys.ts";
import { translateJstzd } from "./jstzd-spelling.ts";
import { configSchema, defaultConfig, type SandboxConfig } from "./schema.ts";

export interface LoadedConfig {
  readonly config: SandboxConfig;
  /** One sentence per key that has no effect. */
  readonly warnings: readonly string[];
}

/** Stands for a found value that is not repeated, because it may be a secret. */
const HIDDEN = Symbol("hidden");

type Path = readonly (string | number)[];

/**
 * The effective configuration of a file.
 * @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export function loadConfig(file: string): LoadedConfig {
  return configOf(readLocatedJson(file, { invalid: "CONFIG_INVALID" }));
}

/** Like {@link loadConfig}, for a parsed file. @throws SandboxError CONFIG_INVALID */
export function configOf(json: LocatedJson): LoadedConfig {
  if (!isObject(json.value)) throw invalid(json, [], json.value, "an object");
  const { config: given, origin, ignored } = translateJstzd(json.value);
  // A short form, for there is nothing else to say of an indexer that is left out.
  if (given["indexer"] === "off") given["indexer"] = { follow: "off" };
  const warnings = ignored.map((key) => `${key} has no effect in this sandbox.`);
  const placeOf = (path: Path): Path => {
    for (let length = path.length; length > 0; length--) {
      const from = origin.get(path.slice(0, length).join("."));
      if (from) return [...from, ...path.slice(length)];
    }
    return path;
  };
  const check = (schema: TSchema, value: unknown, path: Path): unknown =>
    checkValue(schema, value, path, {
      fail: (at, found, expected) => {
        // Never repeat a secret, valid or not.
        if (at.at(-1) === "admin_secret") throw invalid(json, placeOf(at), HIDDEN, ADMIN_SECRET_EXPECTED);
        throw invalid(json, placeOf(at), found, expected);
      },
      warn: (at, known) => {
        const key = at.join(".");
        const near = closest(String(at.at(-1)), known);
        warnings.push(`${key} is not a known key (${place(json, at)}); did you mean ${near}?`);
      },
    });
  const checked = check(configSchema, given, []) as SandboxConfig;
  const config = merge(defaultConfig(), checked) as SandboxConfig;
  for (const { path, text, host } of listeningAt(config)) {
    if (listenAddress(host) === undefined)
      throw invalid(json, placeOf(path), text, `${LISTEN_ADDRESS_EXPECTED}, for this part listens there`);
  }
  return { config, warnings };
}

/** The hosts on which our servers will listen. Those of other programs may be names. */
function listeningAt({ server_host, layer1_node, runtime_node, indexer }: SandboxConfig) {
  const parts = [
    { path: ["layer1_node", "rpc_endpoint"], text: layer1_node.rpc_endpoint, part: layer1_node },
    { path: ["runtime_node", "endpoint"], text: runtime_node.endpoint, part: runtime_node },
  ];
  return [
    { path: ["server_host"], text: server_host, host: server_host },
    ...(indexer.endpoint === ""
      ? []
      : [
          {
            path: ["indexer", "endpoint"],
            text: indexer.endpoint,
            host: parseEndpoint(indexer.endpoint)?.host ?? "",
          },
        ]),
    ...parts
      .filter(({ part }) => !part.skipped && part.command.length === 0)
      .map(({ path, text }) => ({ path, text, host: endpointOf(text).host })),
  ];
}

interface Reporter {
  fail(path: Path, found: unknown, expected: string): never;
  warn(path: Path, known: readonly string[]): void;
}

/** Validates a value against a schema of configSchema's dialect and returns it without unknown keys. */
function checkValue(schema: TSchema, value: unknown, path: Path, report: Reporter): unknown {
  const anyOf = schema["anyOf"] as readonly TSchema[] | undefined;
  if (anyOf) {
    const options = anyOf.map((option) => option["const"] as unknown);
    if (!options.includes(value))
      report.fail(path, value, `one of ${options.map((o) => JSON.stringify(o)).join(", ")}`);
    return value;
  }
  switch (schema["type"]) {
    case "object":
      return checkObject(schema, value, path, report);
    case "array":
      if (!Array.isArray(value)) return report.fail(path, value, "a list");
      return value.map((item, index) =>
        checkValue(schema["items"] as TSchema, item, [...path, index], report),
      );
    case "boolean":
      if (typeof value !== "boolean") report.fail(path, value, "true or false");
      return value;
    case "integer":
    case "number":
      return checkNumber(schema, value, path, report);
    default:
      return checkString(schema, value, path, report);
  }
}

function checkObject(schema: TSchema, value: unknown, path: Path, report: Reporter): unknown {
  if (!isObject(value)) return report.fail(path, value, "an object");
  const properties = schema["properties"] as Record<string, TSchema>;
  const checked: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const child = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (child) checked[key] = checkValue(child, item, [...path, key], report);
    else report.warn([...path, key], Object.keys(properties));
  }
  const isListItem = typeof path.at(-1) === "number";
  const missing = isListItem && Object.keys(properties).find((key) => checked[key] === undefined);
  if (missing) report.fail([...path, missing], undefined, describe(properties[missing]!));
  return checked;
}

function checkNumber(schema: TSchema, value: unknown, path: Path, report: Reporter): unknown {
  const integer = schema["type"] === "integer";
  const minimum = schema["minimum"] as number | undefined;
  const maximum = schema["maximum"] as number | undefined;
  const good =
    typeof value === "number" &&
    (!integer || Number.isInteger(value)) &&
    value >= (minimum ?? -Infinity) &&
    value <= (maximum ?? Infinity);
  if (!good) report.fail(path, value, describe(schema));
  return value;
}

function checkString(schema: TSchema, value: unknown, path: Path, report: Reporter): unknown {
  if (typeof value !== "string") return report.fail(path, value, describe(schema));
  if (value.length < ((schema["minLength"] as number | undefined) ?? 0))
    report.fail(path, value, "text that is not empty");
  if (schema["format"] === "endpoint" && !parseEndpoint(value)) report.fail(path, value, describe(schema));
  const pattern = schema["pattern"] as string | undefined;
  if (pattern && !new RegExp(pattern).test(value)) report.fail(path, value, describe(schema));
  if (path.at(-1) === "external_key" && value !== "") checkOracleKey(value, path, report);
  if (path.at(-1) === "key" && path.includes("bootstrap_accounts")) checkKey(value, path, report);
  return value;
}

function checkOracleKey(value: string, path: Path, report: Reporter): void {
  const key = parsePublicKey(value);
  if (!key) report.fail(path, HIDDEN, "a public key (edpk…, sppk…, p2pk…)");
  else if (BOOTSTRAP_ACCOUNTS.some(({ address }) => address === key.address))
    report.fail(path, value, "your own key: the secret keys of the bootstrap accounts are public");
}

function checkKey(value: string, path: Path, report: Reporter): void {
  if (parsePublicKey(value)) return;
  try {
    parseSecretKey(value);
  } catch {
    // The text may be a mistyped secret, so it is not repeated.
    report.fail(
      path,
      HIDDEN,
      "a public key (edpk…, sppk…, p2pk…) or an unencrypted secret key (edsk…, spsk…, p2sk…)",
    );
  }
}

/** Descriptions of text patterns. */
const FORMS: Readonly<Record<string, string>> = {
  "^[0-9]{1,19}$": 'an amount of mutez as a text of 1 to 19 digits, for example "1000000"',
};

/** Describes what a schema accepts. */
function describe(schema: TSchema): string {
  if (schema["format"] === "endpoint") return "<host>:<port>, for example 127.0.0.1:18730";
  if (schema["type"] === "string")
    return schema["pattern"]
      ? (FORMS[String(schema["pattern"])] ?? `text of the form ${String(schema["pattern"])}`)
      : "text";
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const kind = schema["type"] === "integer" ? "a whole number" : "a number";
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  return minimum === undefined ? kind : `${kind} of at least ${minimum}`;
}

function invalid(json: LocatedJson, path: Path, found: unknown, expected: string): SandboxError {
  return new SandboxError("CONFIG_INVALID", {
    file: json.file,
    ...json.locate(path),
    key: path.join("."),
    found: found === undefined ? "nothing" : found === HIDDEN ? "another text" : JSON.stringify(found),
    expected,
  });
}

function place(json: LocatedJson, path: Path): string {
  const { line, column } = json.locate(path);
  return `${json.file}, line ${line}, column ${column}`;
}

function merge(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over === undefined ? base : over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = merge(base[key], value);
  return merged;
}
