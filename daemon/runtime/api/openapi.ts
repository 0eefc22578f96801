// OpenAPI document of the runtime's interface.
import { VERSION } from "../../protocol/constants.ts";
import { FUNCTION_LOG_LEVELS } from "../../protocol/log-level.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" };
/** Position among all entries of the operation. */
const seq = { type: "integer" };
const integer = { type: "integer", format: "uint64" };
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const ok = (schema: Json, description = "Found"): Json => ({
  description,
  content: { "application/json": { schema } },
});
const notFound = { description: "Not found (empty body)" };
const stream = { description: "Server-sent events", content: { "text/event-stream": { schema: text } } };

const parameter = (place: "path" | "query", name: string, description: string): Json => ({
  name,
  in: place,
  required: place === "path",
  description,
  schema: text,
});
const address = parameter("path", "address", "Address of an account (tz1, tz2, tz3 or KT1)");
const hash = parameter("path", "hash", "Operation hash, 64 hex digits");
const key = parameter("query", "key", "Key in the function's store");
const limit = parameter("query", "limit", "Most entries to answer with");
const trees = parameter("query", "trees", "`false` omits the call trees");

const get = (summary: string, parameters: readonly Json[], responses: Json): Json => ({
  get: { summary, ...(parameters.length > 0 ? { parameters } : {}), responses },
});
const post = (summary: string, body: Json, responses: Json): Json => ({
  post: {
    summary,
    requestBody: { required: true, content: { "application/json": { schema: body } } },
    responses: {
      ...responses,
      "400": { description: "The body is not JSON" },
      "413": { description: "The body is larger than 10 MiB" },
      "415": { description: "The content type is not JSON" },
      "422": { description: "The JSON has another shape" },
    },
  },
});

const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: "object",
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const nullable = (schema: Json): Json => ({ oneOf: [schema, { type: "null" }] });
const taggedObject = (tag: string, properties: Json): Json =>
  object({ _type: { const: tag }, ...properties });
const bytes = { type: "array", items: { type: "integer", minimum: 0, maximum: 255 } };
const headerMap = {
  type: "object",
  additionalProperties: { oneOf: [text, { type: "array", items: text }] },
};
const run = { body: nullable(text), statusCode: { type: "integer" }, headers: headerMap };

function schemas(): Json {
  return {
    Operation: object({
      publicKey: text,
      nonce: integer,
      content: {
        oneOf: [
          taggedObject("DeployFunction", { functionCode: text, accountCredit: integer }),
          taggedObject("RunFunction", {
            uri: text,
            method: text,
            headers: headerMap,
            body: nullable({ ...text, description: "Base64" }),
            gasLimit: integer,
          }),
          taggedObject("RevealLargePayload", {
            rootHash: bytes,
            revealType: { const: "DeployFunction" },
            originalOpHash: bytes,
          }),
          taggedObject("OracleResponse", {
            requestId: integer,
            response: object({
              status: { type: "integer" },
              status_text: text,
              headers: { type: "array", items: { type: "array", items: text } },
              body: bytes,
            }),
          }),
        ],
      },
    }),
    SignedOperation: object(
      {
        inner: ref("Operation"),
        signature: text,
        verifier: nullable(object({ Passkey: object({ authenticatorData: text, clientDataJSON: text }) })),
      },
      ["verifier"],
    ),
    Receipt: object({
      hash: bytes,
      result: {
        oneOf: [
          taggedObject("Success", {
            inner: {
              oneOf: [
                taggedObject("DeployFunction", { address: text }),
                taggedObject("RunFunction", run),
                taggedObject("Deposit", { account: text, updatedBalance: integer }),
                taggedObject("FaDeposit", {
                  receiver: text,
                  ticketBalance: integer,
                  runFunction: nullable(object(run)),
                }),
                taggedObject("OracleResponse", { requestId: integer }),
              ],
            },
          }),
          taggedObject("Failed", { inner: text }),
        ],
      },
    }),
    Account: {
      oneOf: [
        object({ User: object({ amount: integer, nonce: integer }) }),
        object({ SmartFunction: object({ amount: integer, nonce: integer, functionCode: text }) }),
      ],
    },
    LogRecord: object({
      address: text,
      requestId: text,
      level: { enum: FUNCTION_LOG_LEVELS },
      text,
    }),
    Deposit: object(
      {
        kind: { enum: ["tez", "fa"] },
        level: { type: "integer" },
        index: { type: "integer" },
        hash: text,
        at: text,
        receiver: text,
        amount: { ...text, description: "Decimal; mutez where the kind is tez" },
        source: text,
        proxy: nullable(text),
        ticketHash: text,
        receipt: ref("Receipt"),
      },
      ["proxy", "ticketHash"],
    ),
    Accounts: object({
      total: { type: "integer" },
      accounts: { type: "array", items: object({ address: text, amount: text, nonce: text }) },
    }),
    Trace: object(
      {
        hash: text,
        at: text,
        operation: text,
        sender: text,
        success: { type: "boolean" },
        statusCode: nullable({ type: "integer" }),
        failure: nullable(text),
        deployed: nullable(text),
        target: nullable(text),
        call: nullable(text),
        trace: nullable(object({ call: ref("Call"), truncated: { type: "boolean" } })),
        request: nullable(
          object({
            uri: text,
            method: text,
            headers: nullable({ type: "object" }),
            body: nullable(text),
            bodySize: { type: "integer" },
            gasLimit: text,
          }),
        ),
      },
      ["trace", "request"],
    ),
    Call: object(
      {
        seq,
        caller: text,
        address: text,
        method: text,
        path: text,
        amount: text,
        status: { type: "integer" },
        gas: { type: "integer" },
        durationMs: { type: "number" },
        committed: { type: "boolean" },
        error: object({ class: text, message: text }),
        kv: {
          type: "array",
          items: object({ seq, op: text, key: text, value: nullable(text), before: nullable(text) }, [
            "value",
            "before",
          ]),
        },
        transfers: { type: "array", items: object({ seq, from: text, to: text, amount: text }) },
        logs: { type: "array", items: object({ seq, level: text, text }) },
        calls: { type: "array", items: ref("Call") },
      },
      ["error"],
    ),
  };
}

function paths(): Json {
  const logRecords = { type: "array", items: ref("LogRecord") };
  return {
    "/health": get("Whether the server responds", [], { "200": { description: "It does" } }),
    "/worker/health": get("Whether operations are executed", [], {
      "200": { description: "They are" },
      "503": { description: "They are not" },
    }),
    "/mode": get("Mode of the node", [], { "200": { description: '"sequencer"' } }),
    "/operations": post("Inject a signed operation", ref("SignedOperation"), {
      "200": { description: "Accepted; the receipt has the outcome (empty body)" },
      "503": { description: "The queue is full, or the node is shutting down" },
    }),
    "/operations/hash": post("Hash of an operation", ref("Operation"), { "200": ok(text, "64 hex digits") }),
    "/operations/{hash}/receipt": get("Receipt; waits while the operation is pending", [hash], {
      "200": ok(ref("Receipt")),
      "404": notFound,
    }),
    "/operations/{hash}/trace": get("Call tree of an operation", [hash], {
      "200": ok(ref("Trace")),
      "404": notFound,
    }),
    "/operations/held": get("The operation that a debugger keeps back, with all behind it", [], {
      "200": ok(
        object({ held: nullable(object({ hash: text, waiting: integer, seconds: { type: "number" } })) }),
      ),
    }),
    "/operations/stream": get("Finished operations, deposits and balance changes as they happen", [], {
      "200": stream,
    }),
    "/traces": get("Recent operations with their call trees, newest first", [limit, trees], {
      "200": ok({ type: "array", items: ref("Trace") }),
    }),
    "/deposits": get("Recent deposits, newest first", [limit], {
      "200": ok({ type: "array", items: ref("Deposit") }),
    }),
    "/accounts": get(
      "Accounts in the order of their creation",
      [
        parameter("query", "kind", "`user` (default) or `function`"),
        parameter("query", "after", "Last address of the page before"),
        limit,
        parameter("query", "address", "Only this one, if it exists; may be given several times, up to 1,000"),
      ],
      { "200": ok(ref("Accounts")) },
    ),
    "/accounts/{address}": get("Account", [address], { "200": ok(ref("Account")), "404": notFound }),
    "/accounts/{address}/nonce": get("Nonce of the next operation", [address], {
      "200": ok(integer),
      "404": notFound,
    }),
    "/accounts/{address}/balance": get("Balance in mutez", [address], {
      "200": ok(integer),
      "404": notFound,
    }),
    "/accounts/{address}/code": get("Code of a smart function", [address], {
      "200": ok(text),
      "400": { description: "The account is a user" },
      "404": notFound,
    }),
    "/accounts/{address}/kv": get("Value under a key", [address, key], { "200": ok({}), "404": notFound }),
    "/accounts/{address}/kv/subkeys": get("Keys one step below a key", [address, key], {
      "200": ok({ type: "array", items: text }),
      "404": notFound,
    }),
    "/logs/{address}/stream": get("Log of a smart function as it is written", [address], { "200": stream }),
    "/logs/{address}/persistent/requests": get(
      "Log of a smart function, newest first",
      [address, limit, parameter("query", "offset", "Entries to skip")],
      { "200": ok(logRecords) },
    ),
    "/logs/{address}/persistent/requests/{requestId}": get(
      "What one operation logged",
      [address, parameter("path", "requestId", "Operation hash")],
      { "200": ok(logRecords) },
    ),
  };
}

let document: Json | undefined;

/** The document, built on first request. */
export function openApiDocument(): Json {
  document ??= {
    openapi: "3.1.0",
    info: {
      title: "functez runtime",
      version: VERSION,
      description: "The interface of a Jstz node, served by runtime_node of the functez sandbox.",
    },
    paths: paths(),
    components: { schemas: schemas() },
  };
  return document;
}
