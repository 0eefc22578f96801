import { InMemorySigner } from "@taquito/signer";
import { describe, expect, it } from "vitest";
import { BOOTSTRAP_BALANCE } from "../../protocol/constants.ts";
import { addressOf, signatureBytes } from "../../tezos/address.ts";
import { encodeBase58 } from "../../tezos/base58.ts";
import type { Contents } from "../../tezos/content.ts";
import { toHex } from "../../tezos/hex.ts";
import { forgeOperation, signedBytes } from "../../tezos/operation-codec.ts";
import { type Draft, driveChain, errorIds } from "../testing/driven-chain.ts";

// Development keys used only by this test.
const SECRET_KEYS = {
  tz1: "edsk3AbxMYLgdY71xPEjWjXi5JCx6tSS8jhQ2mc1KczZ1JfPrTqSgM",
  tz2: "spsk3C5t8pmj3etbMhXFFo2wVgiM9CQn5oPW7XuT3ZHM2Edv2wg171",
  tz3: "p2sk2REWfVA5GbHf6cdGK74krBzHzEaS9ifLg3b1syZ821DQ5Btd3T",
  tz4: "BLsk1YzeMtbVxGre6wskMFkbDb2UKm8Eu2QKfruj6ndSNhKyVitcQi",
} as const;

const wrongProof = encodeBase58("BLsig", new Uint8Array(96).fill(1));

describe.each(Object.entries(SECRET_KEYS))("an account of kind %s", (kind, secretKey) => {
  it("reveals its key and signs transfers, which no other key can", async () => {
    const signer = new InMemorySigner(secretKey);
    const address = await signer.publicKeyHash();
    expect(address.slice(0, 3)).toBe(kind);
    const publicKey = await signer.publicKey();
    const driven = driveChain();
    await driven.apply({ kind: "transaction", destination: address, amount: "10000000" });

    const account = { label: kind, address: addressOf(address), publicKey, secretKey: "" };
    const proof = kind === "tz4" ? { proof: (await signer.provePossession()).prefixSig } : {};
    const contentsWith = (reveal: Draft): Contents =>
      driven.fill(
        [reveal, { kind: "transaction", destination: "tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx", amount: "5" }],
        account,
      );
    const contents = contentsWith({ kind: "reveal", public_key: publicKey, ...proof });
    const signWith = async (of: Contents): Promise<Uint8Array> => {
      const unsigned = forgeOperation(driven.chain.head.hash, of);
      const { prefixSig } = await signer.sign(toHex(unsigned), Uint8Array.of(3));
      return signedBytes(unsigned, signatureBytes(prefixSig)!);
    };
    const bytes = await signWith(contents);
    if (kind === "tz4") {
      const unproven = contentsWith({ kind: "reveal", public_key: publicKey, proof: wrongProof });
      // The proof is checked when the operation is applied.
      const [tried] = await driven.chain.trials.simulate({
        branch: driven.chain.head.hash,
        contents: unproven,
        signature: undefined,
      });
      expect(errorIds(tried!.metadata.operation_result)).toEqual(["validate.operation.incorrect_bls_proof"]);
    }
    const forged = bytes.slice();
    forged[forged.length - 5]! ^= 1;
    await expect(driven.chain.inject(forged)).rejects.toMatchObject({
      errors: [{ id: "operation.invalid_signature" }],
    });
    await driven.chain.inject(bytes);
    const [included] = driven.chain.bake().operations;
    expect(included!.contents.map(({ metadata }) => metadata.operation_result.status)).toEqual([
      "applied",
      "applied",
    ]);
    expect(driven.balance("tz1KqTpEZ7Yob7QbPE4Hy4Wo8fHG8LhKxZSx")).toBe(
      BOOTSTRAP_BALANCE - 10_000_000n - 20_000n - 64_250n + 5n,
    );
  });
});
