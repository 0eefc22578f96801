// User contracts through a client library: originate, call, read storage, big maps and views, sign data.
import { readFileSync } from "node:fs";
import type { ContractAbstraction, ContractProvider, TezosToolkit } from "@taquito/taquito";
import { expect, it } from "vitest";
import { packValue } from "../../daemon/layer1/michelson/pack.ts";
import { parseType } from "../../daemon/layer1/michelson/parse-type.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { signMessage } from "../../daemon/tezos/keys.ts";
import { parseMichelineText, parseScriptText } from "../../daemon/tezos/micheline-text.ts";

type Contract = ContractAbstraction<ContractProvider>;
const [ALICE, BOB, CAROL] = BOOTSTRAP_ACCOUNTS.slice(3, 6) as [
  (typeof BOOTSTRAP_ACCOUNTS)[number],
  (typeof BOOTSTRAP_ACCOUNTS)[number],
  (typeof BOOTSTRAP_ACCOUNTS)[number],
];

const source = (name: string): object[] =>
  parseScriptText(readFileSync(new URL(`contracts/${name}.tz`, import.meta.url), "utf8")) as object[];

/** @param toolkit a fresh toolkit of the library, signing as the account */
export function describeContracts(toolkit: (account: { readonly secretKey: string }) => TezosToolkit): void {
  async function originate(tezos: TezosToolkit, name: string, init: string): Promise<Contract> {
    const operation = await tezos.contract.originate({
      code: source(name),
      init: parseMichelineText(init) as object,
    });
    await operation.confirmation(1);
    return tezos.contract.at(operation.contractAddress!);
  }

  async function call(
    contract: Contract,
    entrypoint: string,
    argument: unknown,
  ): Promise<{ readonly status: string }> {
    const operation = await contract.methodsObject[entrypoint]!(argument as never).send();
    await operation.confirmation(1);
    return operation;
  }

  it("originates a fungible token (FA1.2), moves tokens and reads balances", async () => {
    const tezos = toolkit(ALICE);
    const token = await originate(tezos, "token-fa12", `Pair { Elt "${ALICE.address}" 1000 } {} 1000`);
    expect((await call(token, "transfer", { from: ALICE.address, to: BOB.address, value: 300 })).status).toBe(
      "applied",
    );
    const storage = await token.storage<{
      ledger: { get(key: string): Promise<{ toFixed(): string }> };
      total: { toFixed(): string };
    }>();
    expect((await storage.ledger.get(ALICE.address)).toFixed()).toBe("700");
    expect((await storage.ledger.get(BOB.address)).toFixed()).toBe("300");
    expect(storage.total.toFixed()).toBe("1000");

    // Bob lets Alice spend 100 of his tokens; 101 are rejected before anything is sent.
    const asBob = await toolkit(BOB).contract.at(token.address);
    await call(asBob, "approve", { spender: ALICE.address, value: 100 });
    await expect(
      call(token, "transfer", { from: BOB.address, to: ALICE.address, value: 101 }),
    ).rejects.toThrow("NotEnoughAllowance");
    await call(token, "transfer", { from: BOB.address, to: ALICE.address, value: 60 });
    const allowance = await token.views["getAllowance"]!(BOB.address, ALICE.address).read();
    expect(String(allowance)).toBe("40");
    expect(String(await token.views["getTotalSupply"]!([["Unit"]]).read())).toBe("1000");
    const balance = await token.contractViews["balance"]!(BOB.address).executeView({
      viewCaller: token.address,
    });
    expect(String(balance)).toBe("240");
  });

  it("originates a token with unique items (FA2), mints, delegates to an operator and transfers", async () => {
    const tezos = toolkit(ALICE);
    const token = await originate(tezos, "token-fa2", `Pair "${ALICE.address}" {} {} {}`);
    const info = { name: "01" };
    const minted = await token.methodsObject["mint"]!({ to_: ALICE.address, token_id: 7, info }).send();
    await minted.confirmation(1);
    const [result] = minted.results as unknown as [
      { metadata: { internal_operation_results: { kind: string; tag: string; payload: object }[] } },
    ];
    expect(result.metadata.internal_operation_results).toMatchObject([
      { kind: "event", tag: "minted", payload: { int: "7" } },
    ]);
    await expect(call(token, "mint", { to_: ALICE.address, token_id: 7, info })).rejects.toThrow(
      "TOKEN_EXISTS",
    );

    const asBob = await toolkit(BOB).contract.at(token.address);
    const move = [{ from_: ALICE.address, txs: [{ to_: CAROL.address, token_id: 7, amount: 1 }] }];
    await expect(call(asBob, "transfer", move)).rejects.toThrow("FA2_NOT_OPERATOR");
    await call(token, "update_operators", [
      { add_operator: { owner: ALICE.address, operator: BOB.address, token_id: 7 } },
    ]);
    await call(asBob, "transfer", move);
    const balances = (await token.views["balance_of"]!([
      { owner: CAROL.address, token_id: 7 },
      { owner: ALICE.address, token_id: 7 },
    ]).read()) as { balance: { toFixed(): string } }[];
    expect(balances.map(({ balance }) => balance.toFixed())).toEqual(["1", "0"]);
    expect(
      await token.contractViews["owner_of"]!(7).executeView({ viewCaller: token.address }),
    ).toMatchObject(expect.anything());
  });

  it("pays from a multisig with two of three signatures, once", async () => {
    const tezos = toolkit(ALICE);
    const keys = [ALICE, BOB, CAROL].map(({ publicKey }) => `"${publicKey}"`).join("; ");
    const wallet = await originate(tezos, "multisig", `Pair 0 2 { ${keys} }`);
    await (await tezos.contract.transfer({ to: wallet.address, amount: 5 })).confirmation(1);
    const chainId = await tezos.rpc.getChainId();
    const type = parseType(parseMichelineText("pair chain_id address nat (pair mutez key_hash)"));
    const signed = Buffer.from(
      packValue(type, {
        left: chainId,
        right: {
          left: wallet.address,
          right: { left: 0n, right: { left: 2_000_000n, right: CAROL.address } },
        },
      }),
    );
    const sign = (account: { readonly secretKey: string }): string =>
      signMessage(parseSecretKey(account.secretKey), signed);
    const pay = (signatures: readonly (string | null)[]): Promise<unknown> =>
      call(wallet, "pay", { payment: { amount: 2_000_000, to: CAROL.address }, signatures });
    const before = await tezos.tz.getBalance(CAROL.address);
    await expect(pay([sign(ALICE), null, null])).rejects.toThrow("TOO_FEW_SIGNATURES");
    await expect(pay([sign(ALICE), sign(ALICE), null])).rejects.toThrow("BAD_SIGNATURE");
    await pay([sign(ALICE), null, sign(CAROL)]);
    expect((await tezos.tz.getBalance(CAROL.address)).minus(before).toFixed()).toBe("2000000");
    await expect(pay([sign(ALICE), null, sign(CAROL)])).rejects.toThrow("BAD_SIGNATURE");
  });
}
