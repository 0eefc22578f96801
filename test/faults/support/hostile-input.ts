// Structure-aware random input: nearly valid requests and documents with a few corrupted places.
import fc from "fast-check";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../../daemon/protocol/constants.ts";

const ALICE = BOOTSTRAP_ACCOUNTS[2];
const BLOCK_HASH = "BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2";

/** Texts that often break programs. */
const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "\u0000",
      "__proto__",
      "constructor",
      "toString",
      "../../etc/passwd",
      "..%2f..%2f",
      "%",
      "-1",
      "1e309",
      "NaN",
      "9223372036854775808",
      "99999999999999999999999999",
      "\ud800",
      "\u202e",
      "null",
      "${7*7}",
      "'; drop table",
      "head~99999999999",
      "head~-1",
      "tz1",
      "edsk",
      "0x",
      "0xabc",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 100, max: 3000 }).map((length) => "(".repeat(length)),
  },
);

/** Texts that a route may well know. */
const knownText = fc.constantFrom(
  ALICE.address,
  ALICE.publicKey,
  BRIDGE_ADDRESS,
  "bootstrap1",
  "runtime_node",
  "main",
  "test",
  "head",
  "genesis",
  "head~1",
  "1",
  "0",
  "balance",
  BLOCK_HASH,
  "a".repeat(64),
  "default",
  "deposit",
);

const hostileNumber = fc.oneof(
  fc.constantFrom(0, -1, 1, 2, 1.5, 1e-7, 1e21, 2 ** 31, 2 ** 53, 1e308, -1e308),
  fc.integer({ min: -1000, max: 1000 }),
);

/** Any small JSON value. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  knownText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], { int: "1" }, { prim: "Pair", args: [] }),
  fc.jsonValue({ maxDepth: 3 }),
  // Deep enough to trouble a recursive parser, small enough to be sent often.
  fc.integer({ min: 10, max: 2000 }).map((depth) => nestValue(depth)),
);

function nestValue(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { args: value };
  return value;
}

/** All places inside a JSON value. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]))];
}

function replaceAt(value: unknown, path: readonly string[], by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return by;
  const copy = (Array.isArray(value) ? Array.from(value) : { ...value }) as Record<string, unknown>;
  if (rest.length === 0 && by === undefined) delete copy[key];
  else {
    const child = replaceAt(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, by);
    // An assignment would set the prototype for the key `__proto__`, and send nothing.
    Object.defineProperty(copy, key, { value: child, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** A document with up to 3 places replaced, removed or extended. */
export function spoilt(document: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(document);
  const change = fc.record({
    path: fc.constantFrom(...places),
    key: fc.option(fc.constantFrom("__proto__", "constructor", "extra", "0", ""), { freq: 6 }),
    by: fc.oneof({ weight: 4, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constant(undefined) }),
  });
  return fc
    .array(change, { maxLength: 3 })
    .map((changes) =>
      changes.reduce(
        (value, { path, key, by }) => replaceAt(value, key === null ? path : [...path, key], by),
        document,
      ),
    );
}

const transaction = {
  kind: "transaction",
  source: ALICE.address,
  fee: "1000",
  counter: "1",
  gas_limit: "10000",
  storage_limit: "100",
  amount: "1",
  destination: BRIDGE_ADDRESS,
  parameters: { entrypoint: "deposit", value: { string: ALICE.address } },
};
const origination = {
  ...transaction,
  kind: "origination",
  balance: "0",
  script: {
    code: [
      { prim: "parameter", args: [{ prim: "unit" }] },
      { prim: "storage", args: [{ prim: "nat" }] },
      {
        prim: "code",
        args: [[{ prim: "CDR" }, { prim: "NIL", args: [{ prim: "operation" }] }, { prim: "PAIR" }]],
      },
    ],
    storage: { int: "0" },
  },
};
const operation = { branch: BLOCK_HASH, contents: [transaction, origination] };
const signature = `edsig${"t".repeat(94)}`;

/** Documents that some route accepts: each is sent to its own route and to others. */
const DOCUMENTS: readonly unknown[] = [
  // sandboxd
  { from: "bootstrap3", contract: BRIDGE_ADDRESS, amount: 0.1, entrypoint: "deposit", arg: '"x"' },
  { blocks: 1 },
  { seconds: 315_360_000 },
  // layer 1
  operation,
  { operation, chain_id: "NetXdQprcVkpaWU" },
  { operation: { ...operation, signature }, chain_id: "NetXdQprcVkpaWU", latency: 3 },
  [{ ...operation, protocol: "PtSeouLouXkxhg39oWzjxDWaCydNfR3RxCUrNe4Q9Ro8BTehcbh", signature }],
  [operation],
  "00".repeat(32) + "6c0002298c03ed7d454a101eb7022bc95f7e5f41ac78",
  { data: { int: "1" }, type: { prim: "nat" } },
  { data: { prim: "Pair", args: [{ string: "a" }, { bytes: "00" }] }, type: { prim: "pair" }, gas: "100" },
  {
    script: origination.script.code,
    storage: { int: "0" },
    input: { prim: "Unit" },
    amount: "0",
    chain_id: "NetXdQprcVkpaWU",
    balance: "0",
    unparsing_mode: "Readable",
  },
  { contract: BRIDGE_ADDRESS, view: "x", input: { int: "1" }, chain_id: "NetXdQprcVkpaWU" },
  { expr: origination.script.code, program: origination.script.code },
  ["00ff", "01"],
  { level: 1, proof: "00", commitment: "src1" },
  // runtime
  {
    inner: {
      publicKey: { Ed25519: ALICE.publicKey },
      nonce: 0,
      content: { _type: "DeployFunction", functionCode: "export default () => 1", accountCredit: 0 },
    },
    signature: { Ed25519: signature },
  },
  {
    publicKey: { Ed25519: ALICE.publicKey },
    nonce: 1,
    content: {
      _type: "RunFunction",
      uri: `jstz://${BRIDGE_ADDRESS}/x`,
      method: "GET",
      headers: { "x-jstz-amount": "1" },
      body: [1, 2, 3],
      gasLimit: 550_000,
    },
  },
];

export interface Route {
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
}

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const escapeSegment = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
const segment = fc.oneof(
  { weight: 3, arbitrary: knownText.map(escapeSegment) },
  { weight: 2, arbitrary: hostileText.map(escapeSegment) },
  { weight: 1, arbitrary: fc.constantFrom("%", "%ff", "%2F", "..", ".", "%00", "") },
);
const query = fc.option(
  fc
    .array(
      fc.tuple(
        fc.constantFrom("limit", "offset", "key", "lifeline", "length", "head", "min_date", "validated", "x"),
        fc.oneof(hostileText, knownText, hostileNumber.map(String)),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${escapeSegment(value)}`).join("&")}`),
  { freq: 2, nil: "" },
);
const headers = fc.record(
  {
    "content-type": fc.constantFrom(
      "application/json",
      "application/json; charset=utf-8",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "x",
      "",
    ),
    accept: fc.constantFrom("*/*", "text/event-stream", ""),
    "last-event-id": fc.constantFrom("0", "-1", "NaN", "99999999999999999999", "1e3"),
    origin: fc.constantFrom("null", "https://evil.example"),
    "x-jstz-amount": fc.constantFrom("1", "-1", "x"),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...DOCUMENTS)
      .chain(spoilt)
      .map((value) => JSON.stringify(value) ?? ""),
  },
  { weight: 1, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "{", "[", '{"a":', "nul", '"\\u', '{"a":1}}') },
);

/** A request to one of the routes, or close to one. */
export function hostileRequest(routes: readonly Route[]): fc.Arbitrary<HostileRequest> {
  return fc
    .record({
      route: fc.constantFrom(...routes),
      segments: fc.array(segment, { minLength: 4, maxLength: 4 }),
      method: fc.option(fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"), {
        freq: 9,
      }),
      tail: fc.option(segment, { freq: 9 }),
      query,
      headers: fc.option(headers, { freq: 3, nil: {} as Record<string, string> }),
      body,
    })
    .map(({ route, segments, method, tail, query: search, headers: given, body: text }) => {
      const filled = segments.values();
      const path = route.path.replace(/:\w+/g, () => filled.next().value ?? "x");
      const sent = method ?? route.method;
      const hasBody = !["GET", "HEAD", "OPTIONS"].includes(sent);
      return {
        method: sent,
        path: `${path}${tail === null ? "" : `/${tail}`}${search}`,
        headers: {
          ...(hasBody ? { "content-type": "application/json" } : {}),
          ...(given as Record<string, string>),
        },
        body: hasBody ? text : undefined,
      };
    });
}
