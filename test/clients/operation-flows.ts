// Operations other than transfers and originations, as client libraries send them: constants, paid storage, keys of
// delegates, stakes, rollups. Estimates are the client's own.
import { type TezosToolkit, OpKind } from "@taquito/taquito";
import { expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import { randomSecretKey } from "../../daemon/tezos/keys.ts";

type Account = { readonly secretKey: string };

interface Confirmed {
  readonly status: string;
}

async function expectApplied(sent: Promise<Confirmed & { confirmation(): Promise<unknown> }>): Promise<void> {
  const operation = await sent;
  await operation.confirmation();
  expect(operation.status).toBe("applied");
}

const constantCode = (storage: object): object[] => [
  { prim: "parameter", args: [{ prim: "unit" }] },
  { prim: "storage", args: [storage] },
  {
    prim: "code",
    args: [[{ prim: "CDR" }, { prim: "NIL", args: [{ prim: "operation" }] }, { prim: "PAIR" }]],
  },
];

export function describeOperations(toolkit: (account?: Account) => TezosToolkit): void {
  const [rich, baker] = [BOOTSTRAP_ACCOUNTS[1], BOOTSTRAP_ACCOUNTS[4]];

  /** A new account with some tez. */
  async function newcomer(): Promise<{ readonly tezos: TezosToolkit; readonly address: string }> {
    const tezos = toolkit({ secretKey: randomSecretKey().text });
    const address = await tezos.signer.publicKeyHash();
    await expectApplied(toolkit(rich).contract.transfer({ to: address, amount: 50 }));
    return { tezos, address };
  }

  it("registers as a delegate, stakes, and unstakes", async () => {
    const { tezos, address } = await newcomer();
    await expectApplied(tezos.contract.registerDelegate({}));
    expect(await tezos.rpc.getDelegate(address)).toBe(address);
    await expectApplied(tezos.contract.stake({ amount: 5 }));
    await expectApplied(tezos.contract.unstake({ amount: 2 }));
    await expectApplied(tezos.contract.finalizeUnstake({}));
    expect((await tezos.rpc.getStakedBalance(address)).toFixed()).toBe("3000000");
    expect((await tezos.rpc.getUnstakedFrozenBalance(address)).toFixed()).toBe("2000000");
    expect(await tezos.rpc.getUnstakeRequests(address)).toMatchObject({
      unfinalizable: { delegate: address, requests: [{ cycle: 0 }] },
    });
    expect((await tezos.rpc.getDelegates(address)).delegated_contracts ?? [address]).toContain(address);
  });

  it("delegates to a baker of the chain", async () => {
    const { tezos, address } = await newcomer();
    await expectApplied(tezos.contract.setDelegate({ source: address, delegate: baker.address }));
    expect(await tezos.rpc.getDelegate(address)).toBe(baker.address);
  });

  it("registers a constant and deploys a contract with it", async () => {
    const tezos = toolkit(rich);
    const value = { prim: "pair", args: [{ prim: "nat", annots: ["%count"] }, { prim: "string" }] };
    const operation = await tezos.contract.registerGlobalConstant({ value });
    await operation.confirmation();
    expect(operation.status).toBe("applied");
    const { globalConstantHash } = operation;
    expect(globalConstantHash).toMatch(/^expr/);
    const constant = { prim: "constant", args: [{ string: globalConstantHash }] };
    const originated = await tezos.contract.originate({
      code: constantCode(constant) as never,
      init: { prim: "Pair", args: [{ int: "3" }, { string: "three" }] },
    });
    await originated.confirmation();
    const { code } = (await tezos.rpc.getScript(originated.contractAddress!)) as { code: object[] };
    expect(code).toEqual(constantCode(value));
    await expect(tezos.contract.registerGlobalConstant({ value })).rejects.toThrow(
      "context.storage_error", // the last of its errors, which clients show
    );
  });

  it("pays for storage of a contract in advance", async () => {
    const tezos = toolkit(rich);
    const before = await tezos.rpc.getStoragePaidSpace(BRIDGE_ADDRESS);
    await expectApplied(tezos.contract.increasePaidStorage({ amount: 20, destination: BRIDGE_ADDRESS }));
    expect(Number(await tezos.rpc.getStoragePaidSpace(BRIDGE_ADDRESS))).toBe(Number(before) + 20);
  });

  it("changes the key of a delegate", async () => {
    const { tezos, address } = await newcomer();
    await expectApplied(tezos.contract.registerDelegate({}));
    const other = toolkit({ secretKey: randomSecretKey().text });
    const pk = await other.signer.publicKey();
    await expectApplied(tezos.contract.updateConsensusKey({ pk }));
    expect((await tezos.rpc.getDelegates(address)) as object).toMatchObject({
      consensus_key: { pendings: [{ cycle: 3, pk }] },
    });
  });

  it("originates a rollup", async () => {
    const tezos = toolkit(rich);
    await expectApplied(
      tezos.contract.smartRollupOriginate({
        pvmKind: "wasm_2_0_0" as never,
        kernel: "00".repeat(100),
        parametersType: { prim: "bytes" } as never,
      }),
    );
  });

  it("sends several kinds in one operation", async () => {
    const tezos = toolkit(rich);
    const batch = tezos.contract.batch([
      { kind: OpKind.TRANSACTION, to: baker.address, amount: 1 },
      {
        kind: OpKind.REGISTER_GLOBAL_CONSTANT,
        value: { prim: "list", args: [{ prim: "nat" }], annots: ["%in_a_batch"] },
      },
      { kind: OpKind.INCREASE_PAID_STORAGE, amount: 3, destination: BRIDGE_ADDRESS },
    ]);
    await expectApplied(batch.send());
  });

  it("signs a message as an operation that no chain accepts", async () => {
    const tezos = toolkit(rich);
    const signed = await tezos.contract.failingNoop({ arbitrary: "48656c6c6f", basedOnBlock: "head" });
    expect(signed.signedContent!.contents).toEqual([{ kind: "failing_noop", arbitrary: "48656c6c6f" }]);
    await expect(tezos.rpc.injectOperation(signed.bytes + "00".repeat(64))).rejects.toThrow(
      "failing_noop_error",
    );
  });

  it("gets an error naming an operation that the sandbox lacks", async () => {
    const tezos = toolkit(rich);
    const ballot = {
      kind: "ballot",
      source: rich.address,
      period: 1,
      proposal: "PtTALLiNtPec7mE7yY4m3k26J8Qukef3E3ehzhfXgFZKGtDdAXu",
      ballot: "yay",
    };
    const { hash: branch } = await tezos.rpc.getBlockHeader();
    const bytes = await tezos.rpc.forgeOperations({ branch, contents: [ballot as never] });
    await expect(tezos.rpc.injectOperation(bytes + "00".repeat(64))).rejects.toThrow(
      "Operations of kind ballot are not supported by this sandbox",
    );
  });
}
