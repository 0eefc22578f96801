// Requests that are too deep, too large or malformed get a proper answer, and none counts as an internal error.
import { afterAll, beforeAll, expect, it } from "vitest";
import { longestTurn, processorTime } from "../../../test/support/processor-time.ts";
import { silentLog } from "../../parts/log.ts";
import { BRIDGE_ADDRESS } from "../../protocol/constants.ts";
import { loadBls } from "../../tezos/curves.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { G1_POINT, HOSTILE_CODE, hostileScript } from "../testing/hostile-scripts.ts";
import { createTestNode } from "../testing/test-node.ts";

const logged: string[] = [];
const part = createTestNode({
  blockTimeSeconds: 3600,
  log: { ...silentLog, error: (data, message) => void logged.push(`${message} ${JSON.stringify(data)}`) },
});
beforeAll(() => part.start(new AbortController().signal));
afterAll(async () => {
  await part.stop(1_000);
  expect(logged).toEqual([]);
});

const HELPERS = "/chains/main/blocks/head/helpers";

async function post(
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(part.endpoint() + HELPERS + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const UNIT = { prim: "Unit" };
const scriptOf = (code: Micheline): Micheline => [
  ...(parseMichelineText("{ parameter unit; storage unit }") as readonly Micheline[]),
  {
    prim: "code",
    args: [[code, ...(parseMichelineText("{ CDR; NIL operation; PAIR }") as readonly Micheline[])]],
  },
];
const running = (code: Micheline, fields: object = {}): object => ({
  script: scriptOf(code),
  storage: UNIT,
  input: UNIT,
  amount: "0",
  balance: "0",
  ...fields,
});

/** Wraps an expression `depth` times. */
function nest(depth: number, innermost: Micheline, wrap: (inner: Micheline) => Micheline): Micheline {
  let expression = innermost;
  for (let i = 0; i < depth; i++) expression = wrap(expression);
  return expression;
}

const somes = (depth: number): Micheline =>
  nest(depth, { prim: "None" }, (inner) => ({ prim: "Some", args: [inner] }));
const options = (depth: number): Micheline =>
  nest(depth, { prim: "unit" }, (inner) => ({ prim: "option", args: [inner] }));
const POINTS = { prim: "list", args: [{ prim: "bls12_381_g1" }] };
const points = (count: number): readonly Micheline[] => Array<Micheline>(count).fill({ bytes: G1_POINT });
const DROP = { prim: "DROP" };
const SENDER = parseMichelineText("{ SENDER; PACK; DROP }");

it.each<readonly [string, number, string, unknown]>([
  ["JSON that opens and never ends", 400, "/scripts/run_code", "[".repeat(500_000)],
  [
    "JSON nested a hundred thousand times",
    400,
    "/scripts/run_code",
    `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  ],
  ["code nested too deeply", 400, "/scripts/run_code", running(nest(2_000, [], (inner) => [inner]))],
  ["more nodes than allowed", 400, "/scripts/run_code", running(Array.from({ length: 250_000 }, () => []))],
  [
    "a number of a million digits",
    400,
    "/scripts/normalize_data",
    { type: { prim: "int" }, data: { int: "9".repeat(900_000) } },
  ],
  ["a sender that is not an address", 400, "/scripts/run_code", running(SENDER, { source: "zzz" })],
  ["a payer that is not an address", 400, "/scripts/run_code", running(SENDER, { payer: "zzz" })],
  ["a contract that is not an address", 400, "/scripts/run_code", running([], { self: "zzz" })],
  ["a fractional level", 400, "/scripts/run_code", running([], { level: 1.5 })],
  ["a negative level", 400, "/scripts/run_code", running([], { level: -1 })],
  [
    "a type with too many components",
    500,
    "/scripts/normalize_type",
    {
      type: nest(11, { prim: "unit" }, (inner) => ({ prim: "pair", args: [inner, inner] })),
    },
  ],
  ["a type of the greatest depth", 200, "/scripts/normalize_type", { type: options(950) }],
  ["data of the greatest depth", 200, "/scripts/pack_data", { type: options(900), data: somes(899) }],
  [
    "lambdas within lambdas",
    200,
    "/scripts/run_code",
    running(
      nest(400, [], (inner) => [
        { prim: "LAMBDA", args: [{ prim: "unit" }, { prim: "unit" }, inner] },
        { prim: "DROP" },
      ]),
    ),
  ],
  [
    "branches within branches",
    200,
    "/scripts/run_code",
    running(
      nest(400, [], (inner) => [
        { prim: "PUSH", args: [{ prim: "bool" }, { prim: "True" }] },
        { prim: "IF", args: [inner, []] },
      ]),
    ),
  ],
])("%s: %i", async (_name, status, path, body) => {
  expect((await post(path, body)).status).toBe(status);
});

it("stops a script that takes too long, and says why", async () => {
  const body = running(parseMichelineText("{ PUSH bool True; LOOP { PUSH bool True } }"));
  const { status, text } = await post("/scripts/run_code", body);
  expect(status).toBe(500);
  expect(text).toMatch(/sandbox\.processor_time_exhausted|gas_exhausted\.operation/);
});

/** Milliseconds of processor time within which others are answered: each of these requests takes longer. */
const SOON = 1_000;

it.each<readonly [string, string, () => object]>([
  [
    "values that take seconds to parse",
    "/scripts/normalize_data",
    () => ({ type: POINTS, data: points(3_000) }),
  ],
  ["values that take seconds to pack", "/scripts/pack_data", () => ({ type: POINTS, data: points(3_000) })],
  ["values that are typechecked", "/scripts/typecheck_data", () => ({ type: POINTS, data: points(3_000) })],
  [
    "a key that takes seconds to parse",
    `/../context/contracts/${BRIDGE_ADDRESS}/big_map_get`,
    () => ({ type: POINTS, key: points(3_000) }),
  ],
  [
    "ticket contents that take seconds to parse",
    `/../context/contracts/${BRIDGE_ADDRESS}/ticket_balance`,
    () => ({ ticketer: BRIDGE_ADDRESS, content_type: POINTS, content: points(3_000) }),
  ],
  [
    "an argument that takes seconds to parse",
    "/scripts/run_code",
    () => ({
      ...running([]),
      script: parseScriptText(
        "{ parameter (list bls12_381_g1); storage unit; code { CDR; NIL operation; PAIR } }",
      ),
      input: points(3_000),
    }),
  ],
  [
    "bytes that take seconds to unpack",
    "/scripts/run_code",
    () => ({
      ...running([]),
      script: hostileScript(HOSTILE_CODE["points that are unpacked"]!),
      gas: "250000",
    }),
  ],
  [
    "code with thousands of points",
    "/scripts/run_code",
    () =>
      running(
        points(3_000).flatMap((point) => [{ prim: "PUSH", args: [{ prim: "bls12_381_g1" }, point] }, DROP]),
      ),
  ],
])("lets others take turns while it reads %s", async (_name, path, body) => {
  await loadBls();
  const asking = JSON.stringify(body());
  await post("/scripts/run_code", running([]));
  const answers = Promise.all([post(path, asking), post(path, asking)]);
  const turn = longestTurn(answers);
  const asked = processorTime();
  const header = await fetch(`${part.endpoint()}/chains/main/blocks/head/header`);
  const answered = processorTime() - asked;
  expect(header.status).toBe(200);
  for (const { status, text } of await answers)
    if (status !== 200) expect(text).toMatch(/sandbox\.processor_time_exhausted|gas_exhausted\.operation/);
  expect(answered).toBeLessThan(SOON);
  expect(await turn).toBeLessThan(SOON);
});

it("answers that it is busy when overloaded, and recovers", async () => {
  const loop = running(parseMichelineText("{ PUSH bool True; LOOP { PUSH bool True } }"));
  const stop = new AbortController();
  const answers = Array.from({ length: 100 }, async () => {
    const init = { method: "POST", body: JSON.stringify(loop), signal: stop.signal };
    const response = await fetch(`${part.endpoint()}${HELPERS}/scripts/run_code`, init);
    return { status: response.status, body: (await response.json()) as { error?: { code: string } } };
  });
  const first = await Promise.any(
    answers.map(async (answer) => {
      const { status, body } = await answer;
      if (status !== 503) throw new Error("another answer");
      return body.error?.code;
    }),
  );
  expect(first).toBe("LAYER1_BUSY");
  stop.abort();
  await Promise.allSettled(answers);
  // Jobs whose clients have disconnected are dropped, so that a short one is answered at once.
  expect((await post("/scripts/run_code", running([]))).status).toBe(200);
});
