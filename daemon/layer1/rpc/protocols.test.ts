import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { parseScriptText } from "../../tezos/micheline-text.ts";
import { type ProtocolName, protocolOf } from "../../tezos/protocols.ts";
import { ALICE, driveChain } from "../testing/driven-chain.ts";
import { createTestNode } from "../testing/test-node.ts";

const HEAD = "/chains/main/blocks/head";
const NUMBERING = parseScriptText(
  "{ parameter address; storage nat; code { CAR; INDEX_ADDRESS; NIL operation; PAIR } }",
);
const RUN = {
  script: NUMBERING,
  storage: { int: "0" },
  input: { string: BOOTSTRAP_ACCOUNTS[0].address },
  chain_id: "NetXynUjJNZm7wi",
  amount: "0",
  balance: "0",
};

describe.each<[ProtocolName, string, object]>([
  ["seoul", "proto.023-PtSeouLo.", { hard_gas_limit_per_block: "1386666", cache_layout_size: 3 }],
  ["tallinn", "proto.024-PtTALLiN.", { hard_gas_limit_per_block: "1040000", cache_layout_size: 3 }],
  ["ushuaia", "proto.025-PsUshuai.", { hard_gas_limit_per_block: "1040000", cache_layout_size: 5 }],
])("a chain of %s", (name, prefix, constants) => {
  const part = createTestNode({ protocol: name });
  const { hash } = protocolOf(name);
  let endpoint = "";
  beforeAll(async () => {
    await part.start(new AbortController().signal);
    endpoint = part.endpoint();
  });
  afterAll(() => part.stop(1_000));
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(endpoint + HEAD + path);
    return response.status === 404 ? "404" : response.json();
  };
  const post = async (path: string, body: object): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(endpoint + HEAD + path, { method: "POST", body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };

  it("shows its hash everywhere, and its constants", async () => {
    expect(await get("/protocols")).toEqual({ protocol: hash, next_protocol: hash });
    expect(await get("/header")).toMatchObject({ protocol: hash });
    expect(await get("/metadata")).toMatchObject({ protocol: hash, next_protocol: hash });
    expect(await get("/context/constants")).toMatchObject(constants);
  });

  it("has exactly the fields of its headers, metadata and constants", async () => {
    const isSeoul = name === "seoul";
    expect("adaptive_issuance_vote" in ((await get("/header")) as object)).toBe(isSeoul);
    const metadata = (await get("/metadata")) as object;
    expect("adaptive_issuance_vote_ema" in metadata).toBe(isSeoul);
    expect("all_bakers_attest_activation_level" in metadata).toBe(!isSeoul);
    const found = (await get("/context/constants")) as { dal_parametric: object };
    expect("all_bakers_attest_activation_threshold" in found).toBe(!isSeoul);
    expect("tz5_account_enable" in found).toBe(name === "ushuaia");
    expect("attestation_lags" in found.dal_parametric).toBe(name === "ushuaia");
  });

  it("prefixes its error ids", async () => {
    const refused = await post("/helpers/scripts/run_code", {
      ...RUN,
      script: parseScriptText("{ parameter unit; storage nat; code { FAILWITH } }"),
    });
    expect((refused.body as { id: string }[])[0]!.id.startsWith(prefix)).toBe(true);
  });

  it("indexes addresses from Tallinn on", async () => {
    const ran = await post("/helpers/scripts/run_code", RUN);
    const index = await get(`/context/destination/${ALICE.address}/index`);
    if (name === "seoul") {
      expect(ran).toMatchObject({ status: 400, body: [{ msg: expect.stringContaining("INDEX_ADDRESS") }] });
      expect(index).toBe("404");
    } else {
      expect(ran).toMatchObject({ status: 200, body: { storage: { int: "1" } } });
      expect(index).toBe(null);
      expect(await get("/context/destination/tz1Ke2h7sDdakHJQh8WX4Z372du1KChsksyU/index")).toBe("0");
    }
  });

  it("accepts operations for its own hash only", async () => {
    const other = protocolOf(name === "tallinn" ? "seoul" : "tallinn").hash;
    const refused = await post("/helpers/preapply/operations", [{ protocol: other } as never]);
    expect(refused).toMatchObject({ status: 400, body: [{ msg: expect.stringContaining(hash) }] });
  });
});

describe("address indexes", () => {
  it("appear in the receipts of the calls that assign them, and in the state", async () => {
    const driven = driveChain();
    const [originated] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: { code: NUMBERING, storage: { int: "0" } },
    });
    const [contract] = (originated!.operation_result as never as { originated_contracts: string[] })
      .originated_contracts;
    const call = {
      kind: "transaction",
      amount: "0",
      destination: contract!,
      parameters: { entrypoint: "default", value: { string: ALICE.address } },
    } as const;
    const [first] = await driven.apply(call);
    expect(first!.operation_result).toMatchObject({
      status: "applied",
      storage: { int: "1" },
      address_registry_diff: [{ address: ALICE.address, index: "1" }],
    });
    const [again] = await driven.apply(call);
    expect(again!.operation_result).not.toHaveProperty("address_registry_diff");
  });

  it("are unknown to operations of Seoul", async () => {
    const driven = driveChain({ protocol: protocolOf("seoul") });
    const contents = driven.fill([
      { kind: "origination", balance: "0", script: { code: NUMBERING, storage: { int: "0" } } },
    ]);
    await expect(driven.chain.inject(driven.sign(contents))).rejects.toThrow(
      "unknown primitive INDEX_ADDRESS",
    );
  });
});
