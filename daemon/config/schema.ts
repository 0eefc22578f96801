// Every configuration key of sandboxd: type, default and meaning. Documentation, JSON schema, validation and defaults
// are all derived from it.
import type { Static, TSchema } from "@sinclair/typebox";
import { ADMIN_SECRET_FORM } from "../protocol/admin-secret.ts";
import { DEFAULT_PORTS, LOOPBACK } from "../protocol/constants.ts";
import { LOG_LEVELS } from "../protocol/log-level.ts";
import * as Type from "../protocol/schema-types.ts";
import { DEFAULT_PROTOCOL } from "../tezos/protocols.ts";

const endpoint = (port: number, description: string) =>
  Type.String({ default: `${LOOPBACK}:${port}`, description, format: "endpoint" });

const skipped = Type.Boolean({
  default: false,
  description: "true: the part runs elsewhere, at the endpoint, and is only watched.",
});

const command = Type.Array(Type.String({ minLength: 1 }), {
  default: [],
  description:
    "Program and arguments to run instead of the built-in part, never through a shell. `{endpoint}`, `{host}`, `{port}`, `{layer1_endpoint}` and `{runtime_endpoint}` are filled in. Empty: the built-in part.",
});

const bootstrapAccount = Type.Object(
  {
    label: Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]*$", description: "Name for `--from` and `--to`." }),
    key: Type.String({
      description:
        "Secret key (edsk…, spsk…, p2sk…), with which the sandbox signs deposits from the account, or public key (edpk…, sppk…, p2pk…).",
    }),
    balance: Type.String({ pattern: "^[0-9]{1,19}$", description: "Balance in mutez." }),
  },
  { additionalProperties: false },
);

export const layer1Schema = Type.Object(
  {
    rpc_endpoint: endpoint(
      DEFAULT_PORTS.layer1_node,
      "`<host>:<port>` of the Tezos RPC; port 0: any free port.",
    ),
    skipped,
    command,
    protocol: Type.Union([Type.Literal("seoul"), Type.Literal("tallinn"), Type.Literal("ushuaia")], {
      default: DEFAULT_PROTOCOL,
      description:
        "Protocol of the chain: Seoul (023), Tallinn (024) or Ushuaia (025). The default is the newest one that all supported versions of Taquito support.",
    }),
    block_time: Type.Number({
      default: 1,
      minimum: 0.01,
      maximum: 3600,
      description: "Seconds between heartbeat blocks.",
    }),
    timing: Type.Union([Type.Literal("instant"), Type.Literal("interval"), Type.Literal("real")], {
      default: "instant",
      description:
        "`instant`: a block as soon as an operation arrives, and one every block_time. `interval`: only every block_time, and when the waiting operations take too much memory. `real`: like the real sandbox (interval, one operation per source and block).",
    }),
    strict: Type.Boolean({
      default: false,
      description: "true: reject a second pending operation of one source, as a real node does.",
    }),
    history_blocks: Type.Integer({
      default: 1000,
      minimum: 60,
      maximum: 1_000_000,
      description: "Number of blocks kept in memory, with their contexts.",
    }),
    commitment_period: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 1000,
      description: "Blocks between two commitments of the rollup.",
    }),
    challenge_window: Type.Integer({
      default: 16,
      minimum: 0,
      maximum: 1000,
      description: "Blocks until a commitment is cemented.",
    }),
    auto_withdraw: Type.Boolean({
      default: true,
      description: "Execute withdrawals on layer 1 without another operation of the user.",
    }),
    withdrawal_delay: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 100_000,
      description:
        "Blocks between the cementing of a withdrawal's commitment and its automatic execution. With commitment_period 1 and challenge_window 0 a withdrawal is executed at once.",
    }),
    bootstrap_accounts: Type.Array(bootstrapAccount, {
      default: [],
      description: "Further funded layer 1 accounts.",
    }),
  },
  { additionalProperties: false, description: "The simulated layer 1 node." },
);

const oracleSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: "Let smart functions fetch http(s) URLs." }),
    allow_private: Type.Boolean({
      default: false,
      description: "Let them reach loopback, link-local and private addresses too.",
    }),
    allowed_hosts: Type.Array(Type.String(), {
      default: [],
      description: "Host names that are always allowed, private or not.",
    }),
    external_key: Type.String({
      default: "",
      description:
        "Public key (edpk…, sppk…, p2pk…) of an external oracle: the sandbox then makes no requests itself, and `OracleResponse` operations signed with this key answer them, numbered from 1 in the order of the requests. Must not be the key of a bootstrap account, which is public. Empty: the built-in oracle answers, and such operations are rejected.",
    }),
    timeout_levels: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 10_000,
      description: "Seconds (levels at the usual block time) until a request is answered with 408.",
    }),
  },
  { additionalProperties: false, description: "Outgoing HTTP of smart functions." },
);

export const runtimeSchema = Type.Object(
  {
    endpoint: endpoint(
      DEFAULT_PORTS.runtime_node,
      "`<host>:<port>` of the runtime's HTTP API; port 0: any free port.",
    ),
    skipped,
    command,
    strict: Type.Boolean({
      default: false,
      description:
        "true: like the real runtime (docs/runtime-differences.md): no globals of this sandbox alone, no withdrawals, no large calls, fixed date, receipts that are 404 until they exist.",
    }),
    gas_ceiling: Type.Integer({
      default: 250_000_000,
      minimum: 100_000,
      description:
        "Limit of gas per operation, whatever its gasLimit. The default is about half a second of plain code, during which others wait. Evaluating modules that need it only once may take twice as much in addition.",
    }),
    max_live_calls: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 32,
      description: "Limit of live smart function instances per operation (the real runtime: 5).",
    }),
    real_time: Type.Boolean({
      default: false,
      description: "true: `Date` shows the time of the block; false: the fixed date of the real runtime.",
    }),
    history: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 10_000_000,
      description: "Number of operations whose traces and logs are kept in memory.",
    }),
    oracle: oracleSchema,
  },
  { additionalProperties: false, description: "The smart-function runtime." },
);

const indexerSchema = Type.Object(
  {
    follow: Type.Union([Type.Literal("when_asked"), Type.Literal("from_start"), Type.Literal("off")], {
      default: "when_asked",
      description:
        '`when_asked`: it begins with the first question, from the blocks that layer 1 keeps then, and costs nothing before. `from_start`: it knows everything from the first block on. `off`: there is none. `"indexer": "off"` says the same.',
    }),
    endpoint: Type.String({
      default: "",
      pattern: "^([^\\s/]+:[0-9]{1,5})?$",
      description:
        "`<host>:<port>` of a port of its own, for clients that look for TzKT at the root (`/v1/…`); port 0 takes any free port. Empty: only sandboxd serves it, under `/tzkt/v1/`.",
    }),
    blocks: Type.Integer({
      default: 10_000,
      minimum: 60,
      maximum: 1_000_000,
      description:
        "Blocks that it keeps, with their operations, events and updates; fewer where these are large. What big maps and tokens hold stays.",
    }),
  },
  { additionalProperties: false, description: "The chain's history for clients of TzKT." },
);

export const configSchema = Type.Object(
  {
    server_port: Type.Integer({
      default: DEFAULT_PORTS.sandboxd,
      minimum: 0,
      maximum: 65535,
      description: "Port of the daemon's HTTP server; 0: any free port.",
    }),
    server_host: Type.String({
      default: LOOPBACK,
      minLength: 1,
      description:
        "Address the daemon's HTTP server binds to. Anything but loopback exposes it to the network.",
    }),
    allowed_hosts: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: "Host names that requests may be addressed to, in addition to the loopback ones.",
    }),
    public_host: Type.String({
      default: "",
      pattern: "^[A-Za-z0-9._-]*$",
      description:
        "Host name by which clients reach the servers, if different from the bind address (containers, shared sandboxes): shown in `/config/`, and allowed like `allowed_hosts`.",
    }),
    admin_secret: Type.String({
      default: "",
      pattern: `^(${ADMIN_SECRET_FORM})?$`,
      description:
        "Secret (16 characters or more) that clients send as `Authorization: Bearer …` to change time, state or lifetime of the sandbox, for clients that cannot read the record of the daemon: containers, other users, parts that run elsewhere. Empty: a new random one at each start. The environment variable `FUNCTEZ_ADMIN_SECRET` overrides it. Never shown in `/config/`.",
    }),
    log_level: Type.Union(
      LOG_LEVELS.map((level) => Type.Literal(level)),
      { default: "info", description: "Lowest severity that is logged." },
    ),
    log_file: Type.String({
      default: "",
      description: "File that the log is appended to; empty: standard error.",
    }),
    layer1_node: layer1Schema,
    runtime_node: runtimeSchema,
    indexer: indexerSchema,
  },
  { additionalProperties: false, title: "functez sandbox configuration" },
);

type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The whole effective configuration: every key has a value. Built once, immutable. */
export type SandboxConfig = DeepReadonly<Static<typeof configSchema>>;
export type BootstrapAccountConfig = SandboxConfig["layer1_node"]["bootstrap_accounts"][number];

/** Default value of a schema: its own default, or an object of its properties' defaults. */
export function defaultOf(schema: TSchema): unknown {
  if (schema["default"] !== undefined) return structuredClone(schema["default"]);
  if (schema["type"] !== "object") return undefined;
  const properties = schema["properties"] as Record<string, TSchema>;
  return Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, defaultOf(child)]));
}

/** The configuration of a start without a file. */
export function defaultConfig(): SandboxConfig {
  return defaultOf(configSchema) as SandboxConfig;
}
