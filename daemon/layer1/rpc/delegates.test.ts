import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { createTestNode } from "../testing/test-node.ts";

const HEAD = "/chains/main/blocks/head";
const [USER, BAKER, OTHER] = BOOTSTRAP_ACCOUNTS;
const part = createTestNode({ blockTimeSeconds: 3600 });
let endpoint = "";
let tezos: TezosToolkit;

beforeAll(async () => {
  await part.start(new AbortController().signal);
  endpoint = part.endpoint();
  tezos = new TezosToolkit(endpoint);
  tezos.setProvider({ signer: new InMemorySigner(USER.secretKey) });
});
afterAll(() => part.stop(1_000));

const get = async (path: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(endpoint + HEAD + path);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
};
const ofDelegate = async (address: string, path = ""): Promise<unknown> =>
  (await get(`/context/delegates/${address}${path}`)).body;

describe("RPCs of delegates", () => {
  it("list the bakers of the chain from its start", async () => {
    const listed = (await get("/context/delegates?active=true&with_minimal_stake=true")).body as string[];
    expect(listed.toSorted()).toEqual(
      BOOTSTRAP_ACCOUNTS.slice(1)
        .map(({ address }) => address)
        .toSorted(),
    );
    expect((await get("/context/delegates?inactive=true")).body).toEqual([]);
    expect((await get("/votes/total_voting_power")).body).toBe("20000000000000");
    expect((await get("/votes/listings")).body).toContainEqual({
      pkh: BAKER.address,
      voting_power: "4000000000000",
    });
    expect((await get("/context/total_frozen_stake")).body).toBe("1000000000000");
  });

  it("show a delegate as a whole and field by field", async () => {
    const whole = (await ofDelegate(BAKER.address)) as Record<string, unknown>;
    expect(whole).toMatchObject({
      deactivated: false,
      active_staking_parameters: { limit_of_staking_over_baking_millionth: 0 },
      own_staked: "200000000000",
      own_delegated: "100000000000",
      own_full_balance: "300000000000",
      baking_power: "233333333333",
      voting_info: { voting_power: "4000000000000", remaining_proposals: 20 },
      consensus_key: { active: { pkh: BAKER.address, pk: BAKER.publicKey } },
      companion_key: { active: null },
      stakers: [{ staker: BAKER.address, frozen_deposits: "200000000000" }],
      delegators: [BAKER.address],
    });
    for (const [field, value] of Object.entries(whole))
      expect(await ofDelegate(BAKER.address, `/${field}`), field).toEqual(value);
  });

  it("work through Taquito", async () => {
    expect(await tezos.rpc.getDelegates(BAKER.address)).toMatchObject({ deactivated: false });
    expect(await tezos.rpc.getVotingInfo(BAKER.address)).toMatchObject({ remaining_proposals: 20 });
    expect((await tezos.rpc.getAllDelegates({})).length).toBe(5);
  });

  it("answer the protocol's error for an account that is not a delegate", async () => {
    expect(await get(`/context/delegates/${USER.address}`)).toMatchObject({
      status: 500,
      body: [{ id: "proto.024-PtTALLiN.delegate.not_registered", pkh: USER.address }],
    });
    expect((await get("/context/delegates/tz1nonsense")).status).toBe(404);
  });
});

describe("staking through Taquito", () => {
  it("shows in the RPCs of the account and of its delegate", async () => {
    await (
      await tezos.contract.setDelegate({ source: USER.address, delegate: OTHER.address })
    ).confirmation();
    expect(await ofDelegate(OTHER.address, "/delegators")).toEqual(
      expect.arrayContaining([USER.address, OTHER.address]),
    );
    const bob = new TezosToolkit(endpoint);
    bob.setProvider({ signer: new InMemorySigner(OTHER.secretKey) });
    await (await bob.contract.stake({ amount: 10 })).confirmation();
    expect((await get(`/context/contracts/${OTHER.address}/staked_balance`)).body).toBe("200010000000");
    await (await bob.contract.unstake({ amount: 4 })).confirmation();
    const contract = `/context/contracts/${OTHER.address}`;
    expect((await get(`${contract}/staked_balance`)).body).toBe("200006000000");
    expect((await get(`${contract}/unstaked_frozen_balance`)).body).toBe("4000000");
    expect((await get(`${contract}/unstaked_finalizable_balance`)).body).toBe("0");
    expect((await get(`${contract}/unstake_requests`)).body).toEqual({
      finalizable: [],
      unfinalizable: { delegate: OTHER.address, requests: [{ cycle: 0, amount: "4000000" }] },
    });
    expect(await ofDelegate(OTHER.address, "/total_unstaked_per_cycle")).toEqual([
      { cycle: 0, deposit: "4000000" },
    ]);
    await (await bob.contract.finalizeUnstake({})).confirmation();
  });

  it("registers a delegate's new key, pending until its cycle", async () => {
    const baker = new TezosToolkit(endpoint);
    baker.setProvider({ signer: new InMemorySigner(BAKER.secretKey) });
    await (await baker.contract.updateConsensusKey({ pk: USER.publicKey })).confirmation();
    expect(await ofDelegate(BAKER.address, "/consensus_key")).toEqual({
      active: { pkh: BAKER.address, pk: BAKER.publicKey },
      pendings: [{ cycle: 3, pkh: USER.address, pk: USER.publicKey }],
    });
  });
});
