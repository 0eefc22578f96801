import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { createTestNode } from "../testing/test-node.ts";

const [ALICE] = BOOTSTRAP_ACCOUNTS;
const part = createTestNode({ blockTimeSeconds: 3600 });
let endpoint = "";
let hash = "";

/** The address in it is in readable form, and the chain stores the expression unchanged. */
const BODY = `{ DROP; PUSH address "${ALICE.address}"; NIL operation; PAIR }`;

beforeAll(async () => {
  await part.start(new AbortController().signal);
  endpoint = part.endpoint();
  const tezos = new TezosToolkit(endpoint);
  tezos.setProvider({ signer: new InMemorySigner(ALICE.secretKey) });
  const registered = await tezos.contract.registerGlobalConstant({
    value: parseMichelineText(BODY) as never,
  });
  await registered.confirmation();
  hash = registered.globalConstantHash!;
});
afterAll(() => part.stop(1_000));

async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${endpoint}/chains/main/blocks/head/helpers/scripts${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const program = (body: string) => parseScriptText(`{ parameter unit; storage address; code ${body} }`);
const withConstant = () => program(`(constant "${hash}")`);

it("run_code expands constants", async () => {
  const ran = await post("/run_code", {
    script: withConstant(),
    storage: { string: BOOTSTRAP_ACCOUNTS[1].address },
    input: { prim: "Unit" },
    amount: "0",
    chain_id: "NetXynUjJNZm7wi",
  });
  expect(ran).toMatchObject({ status: 200, body: { storage: { string: ALICE.address } } });
});

it("typecheck_code checks it, and reports an unknown constant", async () => {
  expect((await post("/typecheck_code", { program: withConstant() })).status).toBe(200);
  const unknown = program('(constant "exprtZBwZUeYYYfUs9B9Rg2ywHezVHnCCnmF9WsDQVrs582dSK63dC")');
  expect(await post("/typecheck_code", { program: unknown })).toMatchObject({
    status: 500,
    body: [{ id: "proto.024-PtTALLiN.Nonexistent_global" }],
  });
});

it("normalize_script expands it in the requested form", async () => {
  const readable = await post("/normalize_script", { script: withConstant(), unparsing_mode: "Readable" });
  expect(readable).toEqual({ status: 200, body: { normalized: program(BODY) } });
  const optimized = await post("/normalize_script", { script: withConstant(), unparsing_mode: "Optimized" });
  expect(JSON.stringify(optimized.body)).toContain('{"prim":"address"},{"bytes":"0000');
});

it("entrypoint finds the parameter of a script that uses one", async () => {
  expect(await post("/entrypoint", { script: withConstant() })).toEqual({
    status: 200,
    body: { entrypoint_type: { prim: "unit" } },
  });
});
