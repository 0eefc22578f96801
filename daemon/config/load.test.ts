import { expect, it } from "vitest";
import { parseLocatedJson } from "../local/located-json.ts";
import { BOOTSTRAP_ACCOUNTS } from "../protocol/constants.ts";
import { isError, type SandboxError } from "../protocol/errors.ts";
import { randomSecretKey } from "../tezos/keys.ts";
import { configOf, type LoadedConfig } from "./load.ts";
import { defaultConfig } from "./schema.ts";

const load = (text: string): LoadedConfig =>
  configOf(parseLocatedJson("sandbox.json", text, { invalid: "CONFIG_INVALID" }));

const failure = (text: string): SandboxError<"CONFIG_INVALID">["data"] & { code: string } => {
  try {
    load(text);
  } catch (error) {
    if (isError(error, "CONFIG_INVALID")) return { code: error.code, ...error.data };
    throw error;
  }
  throw new Error("no error");
};

it("keeps the defaults of omitted keys", () => {
  const { config, warnings } = load(
    '{ "server_port": 55555, "layer1_node": { "rpc_endpoint": "localhost:3000" } }',
  );
  expect(config.server_port).toBe(55555);
  expect(config.layer1_node).toEqual({ ...defaultConfig().layer1_node, rpc_endpoint: "localhost:3000" });
  expect(config.runtime_node).toEqual(defaultConfig().runtime_node);
  expect(warnings).toEqual([]);
});

it("takes a short form for an indexer that is left out", () => {
  expect(load('{ "indexer": "off" }').config.indexer.follow).toBe("off");
  expect(load('{ "indexer": { "endpoint": "127.0.0.1:0" } }').config.indexer).toMatchObject({
    follow: "when_asked",
    endpoint: "127.0.0.1:0",
  });
  expect(failure('{ "indexer": "on" }')).toMatchObject({ key: "indexer", expected: "an object" });
  expect(failure('{ "indexer": { "endpoint": "nowhere:5000" } }')).toMatchObject({ key: "indexer.endpoint" });
});

it("has the ports of the specification by default", () => {
  const config = defaultConfig();
  expect([config.server_port, config.layer1_node.rpc_endpoint, config.runtime_node.endpoint]).toEqual([
    54321,
    "127.0.0.1:18730",
    "127.0.0.1:8933",
  ]);
});

it("locates malformed JSON", () => {
  expect(failure('{\n  "server_port": 1\n  "log_level": "info"\n}')).toMatchObject({
    code: "CONFIG_INVALID",
    file: "sandbox.json",
    line: 3,
    column: 3,
    expected: "a comma",
  });
});

it("locates a value of the wrong type, in files and lists", () => {
  expect(failure('{\n  "server_port": "80"\n}')).toMatchObject({
    line: 2,
    column: 18,
    key: "server_port",
    found: '"80"',
  });
  expect(failure('{ "layer1_node": {\n"command": ["a", 1] } }')).toMatchObject({
    line: 2,
    key: "layer1_node.command.1",
  });
  expect(failure("[]")).toMatchObject({ expected: "an object" });
  expect(failure("")).toMatchObject({ found: "an empty file" });
});

it.each([
  ['{ "server_port": 70000 }', "server_port"],
  ['{ "server_port": 1.5 }', "server_port"],
  ['{ "log_level": "loud" }', "log_level"],
  ['{ "layer1_node": { "rpc_endpoint": "nowhere:" } }', "layer1_node.rpc_endpoint"],
  ['{ "layer1_node": { "block_time": 0 } }', "layer1_node.block_time"],
  ['{ "layer1_node": null }', "layer1_node"],
  ['{ "runtime_node": { "oracle": { "external_key": "edsk" } } }', "runtime_node.oracle.external_key"],
  [
    `{ "runtime_node": { "oracle": { "external_key": "${BOOTSTRAP_ACCOUNTS[1].publicKey}" } } }`,
    "runtime_node.oracle.external_key",
  ],
  [
    '{ "layer1_node": { "bootstrap_accounts": [{ "label": "a", "balance": "1" }] } }',
    "layer1_node.bootstrap_accounts.0.key",
  ],
])("rejects %s and names the key", (text, key) => {
  expect(failure(text)).toMatchObject({ code: "CONFIG_INVALID", key });
});

it("accepts the key of an external oracle", () => {
  const key = randomSecretKey().publicKey.text;
  const { config } = load(`{ "runtime_node": { "oracle": { "external_key": "${key}" } } }`);
  expect(config.runtime_node.oracle.external_key).toBe(key);
  expect(defaultConfig().runtime_node.oracle.external_key).toBe("");
});

it("warns of an unknown key with its place and the nearest known name", () => {
  const { config, warnings } = load('{\n  "sever_port": 1\n}');
  expect(config).toEqual(defaultConfig());
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/sever_port.*line 2.*server_port/);
});

it.each(["constructor", "__proto__", "toString"])("warns of the key %s, which objects have anyway", (key) => {
  const { config, warnings } = load(`{ "${key}": 1, "runtime_node": { "${key}": {} } }`);
  expect(config).toEqual(defaultConfig());
  expect(warnings).toHaveLength(2);
});

it("starts with a jstzd file: renamed keys apply, the others are reported as having no effect", () => {
  const { config, warnings } = load(
    JSON.stringify({
      server_port: 54321,
      octez_node: { rpc_endpoint: "localhost:18999", binary_path: "octez-node" },
      jstz_node: { mode: "sequencer", skipped: true },
      protocol: { protocol: "seoul", bootstrap_accounts: [[BOOTSTRAP_ACCOUNTS[2].publicKey, "6000000000"]] },
    }),
  );
  expect(config.layer1_node.rpc_endpoint).toBe("localhost:18999");
  expect(config.runtime_node.skipped).toBe(true);
  expect(config.layer1_node.bootstrap_accounts).toEqual([
    { label: "account0", key: BOOTSTRAP_ACCOUNTS[2].publicKey, balance: "6000000000" },
  ]);
  expect(warnings.join("\n")).toContain("octez_node.binary_path");
});

it("locates a mistake in a renamed key at its place in the file", () => {
  expect(failure('{ "octez_node": {\n "rpc_endpoint": 5 } }')).toMatchObject({ line: 2, column: 18 });
});

it("never repeats a mistyped secret key", () => {
  const secret = BOOTSTRAP_ACCOUNTS[3].secretKey;
  const mistyped = `${secret.slice(0, -1)}${secret.endsWith("Z") ? "Y" : "Z"}`;
  const text = JSON.stringify({
    layer1_node: { bootstrap_accounts: [{ label: "a", key: mistyped, balance: "1" }] },
  });
  expect(JSON.stringify(failure(text))).not.toContain(mistyped);
});

it.each([
  ['{ "server_host": "myhost" }', "server_host"],
  ['{ "server_host": "" }', "server_host"],
  ['{ "layer1_node": { "rpc_endpoint": "myhost:18730" } }', "layer1_node.rpc_endpoint"],
  ['{ "runtime_node": { "endpoint": "999.1.1.1:8933" } }', "runtime_node.endpoint"],
])("rejects a host name to listen on: %s", (text, key) => {
  expect(failure(text)).toMatchObject({ code: "CONFIG_INVALID", key });
});

it("accepts host names for parts that run elsewhere", () => {
  const text = '{ "layer1_node": { "rpc_endpoint": "node.example:80", "skipped": true } }';
  expect(load(text).config.layer1_node.rpc_endpoint).toBe("node.example:80");
});

it.each(["short", "a secret of many words that nobody is shown"])("never repeats a secret: %s", (secret) => {
  const { code, key, found } = failure(JSON.stringify({ admin_secret: secret }));
  expect([code, key]).toEqual(["CONFIG_INVALID", "admin_secret"]);
  expect(found).not.toContain(secret);
});
