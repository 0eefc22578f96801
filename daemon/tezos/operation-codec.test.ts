import { LocalForger } from "@taquito/local-forging";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS, ROLLUP_ADDRESS } from "../protocol/constants.ts";
import { encodeBase58 } from "./base58.ts";
import { blake2b256 } from "./blake2b.ts";
import { MalformedBytes } from "./byte-reader.ts";
import { parseContent } from "./content-json.ts";
import type { Content } from "./content.ts";
import { fromHex, toHex } from "./hex.ts";
import { MalformedJson } from "./json-fields.ts";
import { parseMichelineText } from "./micheline-text.ts";
import type { Micheline } from "./micheline.ts";
import { decodeOperation, decodeUnsigned, forgeOperation, signedBytes } from "./operation-codec.ts";
import { parseForgeable, parseOperationJson } from "./operation-json.ts";
import { type OtherContent } from "./other-content.ts";
import { type Primitives, contentOf, michelineOf, ofKind } from "./testing/random-values.ts";
import { UnsupportedKind } from "./unsupported-kind.ts";

/** Primitives for which Taquito's forging agrees with the protocol; of the long forms, only those of pairs. */
const UNKNOWN_TO_TAQUITO: ReadonlySet<string> = new Set(
  "LAMBDA LAMBDA_REC view IS_IMPLICIT_ACCOUNT INDEX_ADDRESS GET_ADDRESS_INDEX".split(" "),
);
const TAQUITO_FORGES: Primitives = {
  mayOccur: (name) => !UNKNOWN_TO_TAQUITO.has(name),
  mayBeLong: (name) => name === "Pair" || name === "pair",
};

const BRANCH = "BLockGenesisGenesisGenesisGenesisGenesisf79b5d1CoW2";
const [FIRST, SECOND] = BOOTSTRAP_ACCOUNTS;
const manager = {
  source: FIRST.address,
  fee: "1000",
  counter: "2",
  gas_limit: "10000",
  storage_limit: "300",
};
const SCRIPT = parseMichelineText("{ parameter unit; storage int; code { CDR; NIL operation; PAIR } }");

const CONTENTS: Readonly<Record<string, Content>> = {
  reveal: { kind: "reveal", ...manager, public_key: FIRST.publicKey },
  "reveal of a tz4": {
    kind: "reveal",
    ...manager,
    public_key: encodeBase58("BLpk", new Uint8Array(48).fill(7)),
    proof: encodeBase58("BLsig", new Uint8Array(96).fill(9)),
  },
  transfer: { kind: "transaction", ...manager, amount: "3000000", destination: SECOND.address },
  "call of %deposit": {
    kind: "transaction",
    ...manager,
    amount: "1",
    destination: BRIDGE_ADDRESS,
    parameters: { entrypoint: "deposit", value: { string: SECOND.address } },
  },
  "call of a named entrypoint": {
    kind: "transaction",
    ...manager,
    amount: "0",
    destination: BRIDGE_ADDRESS,
    parameters: {
      entrypoint: "set_price",
      value: parseMichelineText('Pair -5 (Some "a") {1; 0x00ff; Pair 1 2 3 4}'),
    },
  },
  origination: {
    kind: "origination",
    ...manager,
    balance: "5",
    script: { code: SCRIPT, storage: { int: "-64" } },
  },
  "origination with delegate": {
    kind: "origination",
    ...manager,
    balance: "5",
    delegate: SECOND.address,
    script: { code: SCRIPT, storage: { int: "64" } },
  },
  delegation: { kind: "delegation", ...manager, delegate: SECOND.address },
  "withdrawal of delegation": { kind: "delegation", ...manager },
  "transfer of tickets": {
    kind: "transfer_ticket",
    ...manager,
    ticket_contents: { string: "a" },
    ticket_ty: { prim: "string" },
    ticket_ticketer: BRIDGE_ADDRESS,
    ticket_amount: "7",
    destination: BRIDGE_ADDRESS,
    entrypoint: "default",
  },
  "rollup messages": { kind: "smart_rollup_add_messages", ...manager, message: ["00ff", "", "abcd"] },
  "outbox execution": {
    kind: "smart_rollup_execute_outbox_message",
    ...manager,
    rollup: ROLLUP_ADDRESS,
    cemented_commitment: encodeBase58("src1", new Uint8Array(32).fill(3)),
    output_proof: "c0ffee",
  },
  "global constant": { kind: "register_global_constant", ...manager, value: SCRIPT },
  "limit of deposits": { kind: "set_deposits_limit", ...manager, limit: "1000" },
  "no limit of deposits": { kind: "set_deposits_limit", ...manager },
  "paid storage": {
    kind: "increase_paid_storage",
    ...manager,
    amount: "5",
    destination: BRIDGE_ADDRESS,
  },
  "new rollup": {
    kind: "smart_rollup_originate",
    ...manager,
    pvm_kind: "wasm_2_0_0",
    kernel: "00c0ffee",
    parameters_ty: { prim: "bytes" },
  },
  "rollup with a whitelist": {
    kind: "smart_rollup_originate",
    ...manager,
    pvm_kind: "arith",
    kernel: "",
    parameters_ty: { prim: "unit" },
    whitelist: [FIRST.address, SECOND.address],
  },
  "data commitment": {
    kind: "dal_publish_commitment",
    ...manager,
    slot_header: {
      slot_index: 7,
      commitment: encodeBase58("sh", new Uint8Array(48).fill(5)),
      commitment_proof: "ab".repeat(96),
    },
  },
  "entrypoint that no script can have": {
    kind: "transaction",
    ...manager,
    amount: "0",
    destination: BRIDGE_ADDRESS,
    parameters: { entrypoint: "entrypoint©Ͻ", value: { prim: "Unit" } },
  },
  ...keyUpdates(),
};

/** Key updates for the four curves, with a proof where there is one. */
function keyUpdates(): Record<string, Content> {
  const updates: Record<string, Content> = {};
  for (const [curve, length] of Object.entries({ edpk: 32, sppk: 33, p2pk: 33, BLpk: 48 })) {
    const pk = encodeBase58(curve as "edpk", new Uint8Array(length).fill(2));
    const proof = curve === "BLpk" && { proof: encodeBase58("BLsig", new Uint8Array(96).fill(4)) };
    for (const kind of ["update_consensus_key", "update_companion_key"] as const)
      updates[`${kind} to ${curve}`] = { kind, ...manager, pk, ...proof };
    updates[`reveal of ${curve}`] = { kind: "reveal", ...manager, public_key: pk, ...proof };
  }
  return updates;
}

const PAYLOAD = encodeBase58("blockPayloadHash", new Uint8Array(32).fill(6));
const PROPOSAL = encodeBase58("protocolHash", new Uint8Array(32).fill(8));
const TZ1 = encodeBase58("tz1", new Uint8Array(20).fill(3));
const ATTESTATION = { slot: 258, level: 70_000, round: 3, block_payload_hash: PAYLOAD };

/** Contents that no account pays for. */
const OTHERS: readonly OtherContent[] = [
  { kind: "seed_nonce_revelation", level: 66_299, nonce: "ab".repeat(32) },
  { kind: "activate_account", pkh: TZ1, secret: "cd".repeat(20) },
  { kind: "proposals", source: TZ1, period: 5, proposals: [PROPOSAL, PROPOSAL] },
  { kind: "ballot", source: TZ1, period: -5, proposal: PROPOSAL, ballot: "nay" },
  { kind: "drain_delegate", consensus_key: TZ1, delegate: FIRST.address, destination: SECOND.address },
  { kind: "failing_noop", arbitrary: "48656c6c6f" },
  { kind: "attestation", ...ATTESTATION },
  { kind: "attestation_with_dal", ...ATTESTATION, dal_attestation: "255" },
];

describe("bytes of operations", () => {
  it.each(Object.entries(CONTENTS))("of %s equal Taquito's, and decode to the same", async (_, content) => {
    const unsigned = forgeOperation(BRANCH, [content]);
    expect(toHex(unsigned)).toBe(
      await new LocalForger().forge({ branch: BRANCH, contents: [content as never] }),
    );
    expect(decodeUnsigned(unsigned)).toEqual({ branch: BRANCH, contents: [content] });
    expect(parseContent(JSON.parse(JSON.stringify(content)), "content")).toEqual(content);
  });

  it.each(OTHERS.map((content) => [content.kind, content] as const))(
    "of %s equal Taquito's, and decode to the same",
    async (_, content) => {
      const unsigned = forgeOperation(BRANCH, [content]);
      expect(toHex(unsigned)).toBe(
        await new LocalForger().forge({ branch: BRANCH, contents: [content as never] }),
      );
      expect(decodeUnsigned(unsigned)).toEqual({ branch: BRANCH, contents: [content] });
      expect(parseForgeable({ branch: BRANCH, contents: [content] }).contents).toEqual([content]);
      expect(() => parseContent(content, "content")).toThrow(UnsupportedKind);
    },
  );

  it("encode the amount of paid storage as signed, which Taquito encodes as unsigned", () => {
    const content = { ...CONTENTS["paid storage"]!, amount: "64" } as Content;
    const unsigned = toHex(forgeOperation(BRANCH, [content]));
    expect(unsigned).toContain(`ac02${"8001"}01`); // storage_limit, amount, tag of a contract
    expect(decodeUnsigned(fromHex(unsigned)!).contents).toEqual([content]);
  });

  it.each(["smart_rollup_publish", "zk_rollup_update", "double_baking_evidence"])(
    "of %s are reported as unsupported, not as malformed",
    (kind) => {
      expect(() => parseContent({ kind, ...manager }, "content")).toThrow(
        expect.objectContaining({ name: "UnsupportedKind", kind }),
      );
    },
  );

  it("of random contents equal Taquito's, and decode to the same", async () => {
    const value = michelineOf(TAQUITO_FORGES);
    await fc.assert(
      fc.asyncProperty(
        ofKind("blockHash"),
        fc.array(contentOf(value), { minLength: 1, maxLength: 3 }),
        async (branch, contents) => {
          const unsigned = forgeOperation(branch, contents);
          expect(toHex(unsigned)).toBe(
            await new LocalForger().forge({ branch, contents: contents as never }),
          );
          expect(decodeUnsigned(unsigned)).toEqual({ branch, contents });
          expect(parseOperationJson({ branch, contents }).contents).toEqual(contents);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("yield the signature after several contents: 64 bytes, or 96 with a prefix", () => {
    const contents = Object.values(CONTENTS);
    const unsigned = forgeOperation(BRANCH, contents);
    for (const length of [64, 96]) {
      // A signature that begins like a content must not be parsed as one.
      const signature = new Uint8Array(length).fill(0x6c);
      const decoded = decodeOperation(signedBytes(unsigned, signature));
      expect(decoded.contents).toEqual(contents);
      expect(decoded.signature).toEqual(signature);
      expect(decoded.unsigned).toEqual(unsigned);
    }
  });

  it("hash to the published example", () => {
    const unsigned =
      "8fcf233671b6a04fcf679d2a381c2544ea6c1ea29ba6157776ed8424c7ccd00b6c007324983d7c29837e7277473c1c2e467bfb3f77b4e80702904eac02c08db7010154267463f8cf2844e4d8b20a76f0471bcb2137fd00ff05000000290100000024747a314b715470455a37596f62375162504534487934576f38664847384c684b785a5378";
    const tail =
      "6125ccd9f9b689882ef82f0ffbb1712323f52db96bab71a14bff7ad86730b85d9fc81996b95866f3a58f7ada2550456e9b32fd13b58192d15d6a2224ae02d004";
    const bytes = fromHex(unsigned + tail)!;
    expect(encodeBase58("operationHash", blake2b256(bytes))).toBe(
      "opQm7si7k6rFf8aahpE1M3Ky2ASABN6LpRvfwmZhzyhsLic1k5L",
    );
    expect(decodeOperation(bytes).contents[0]).toMatchObject({
      kind: "transaction",
      amount: "3000000",
      destination: BRIDGE_ADDRESS,
    });
  });

  it("are refused with MalformedBytes when cut or changed, and have one encoding", () => {
    const whole = signedBytes(forgeOperation(BRANCH, Object.values(CONTENTS)), new Uint8Array(64).fill(1));
    const mutation = fc.oneof(
      fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
      fc
        .tuple(fc.nat(whole.length - 1), fc.nat(7))
        .map(([at, bit]) => whole.map((byte, i) => (i === at ? byte ^ (1 << bit) : byte))),
      fc.uint8Array({ maxLength: 300 }),
    );
    fc.assert(
      fc.property(mutation, (bytes) => {
        try {
          const decoded = decodeOperation(bytes);
          // Compared as text: the test library compares arrays much more slowly.
          expect(
            toHex(signedBytes(forgeOperation(decoded.branch, decoded.contents), decoded.signature!)),
          ).toBe(toHex(bytes));
        } catch (error) {
          if (!(error instanceof MalformedBytes || error instanceof UnsupportedKind)) throw error;
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("numbers in operations", () => {
  const transfer = CONTENTS["transfer"]!;
  const origination = CONTENTS["origination"]!;
  const ticket = CONTENTS["transfer of tickets"]!;
  const limit = CONTENTS["limit of deposits"]!;

  // The largest and smallest numbers that Octez decodes: int64 for tez, ten bytes, and OCaml's integers for thousandths.
  it.each<[string, Content, bigint, bigint]>([
    ["fee", transfer, 0n, 9_223_372_036_854_775_807n],
    ["amount", transfer, 0n, 9_223_372_036_854_775_807n],
    ["balance", origination, 0n, 9_223_372_036_854_775_807n],
    ["limit", limit, 0n, 9_223_372_036_854_775_807n],
    ["counter", transfer, 0n, 1_180_591_620_717_411_303_423n],
    ["storage_limit", transfer, 0n, 1_180_591_620_717_411_303_423n],
    ["gas_limit", transfer, 0n, 4_611_686_018_427_387n],
    ["ticket_amount", ticket, 1n, 2n ** 200n],
  ])("%s are decoded within their bounds alone, from bytes as from JSON", (field, content, least, most) => {
    const decodes = (value: bigint): readonly [boolean, boolean] => {
      const json = { ...content, [field]: value.toString() };
      return [
        accepts(() => decodeUnsigned(forgeOperation(BRANCH, [json])), MalformedBytes),
        accepts(() => parseContent(json, "content"), MalformedJson),
      ];
    };
    expect([decodes(least), decodes(most)]).toEqual([
      [true, true],
      [true, true],
    ]);
    if (least > 0n) expect(decodes(least - 1n)).toEqual([false, false]);
    if (field !== "ticket_amount") expect(decodes(most + 1n)).toEqual([false, false]);
  });

  function accepts(decode: () => unknown, refusal: typeof MalformedBytes | typeof MalformedJson): boolean {
    try {
      decode();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(refusal);
      return false;
    }
  }
});

describe("JSON contents", () => {
  const base = CONTENTS["transfer"]!;
  it.each<[string, unknown]>([
    ["a negative amount", { ...base, amount: "-1" }],
    ["a fraction", { ...base, amount: "1.5" }],
    ["a number instead of text", { ...base, amount: 1 }],
    ["a huge number", { ...base, amount: "9".repeat(5000) }],
    ["a wrong address", { ...base, destination: "tz1abc" }],
    ["a KT1 as source", { ...base, source: BRIDGE_ADDRESS }],
    ["an unknown kind", { ...base, kind: "gift" }],
    [
      "Micheline with unknown fields",
      { ...base, parameters: { entrypoint: "a", value: { prim: "Pair", extra: 1 } } },
    ],
    ["no object", [base]],
  ])("with %s are refused", (_, json) => {
    expect(() => parseContent(json, "content")).toThrow(expect.objectContaining({ name: "MalformedJson" }));
  });

  it("with Micheline of 100,000 levels are refused", () => {
    let value: Micheline = [];
    for (let i = 0; i < 100_000; i++) value = [value];
    expect(() => parseContent({ ...base, parameters: { entrypoint: "a", value } }, "content")).toThrow(
      expect.objectContaining({ name: "MalformedJson" }),
    );
  });
});
