import { describe, expect, it } from "vitest";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { addressBytes } from "../../tezos/address.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";
import { fromHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { finish } from "../job.ts";
import { storageJson } from "../rpc/context-routes.ts";
import { ALICE, BOB, type Draft, driveChain, errorIds } from "../testing/driven-chain.ts";

const deposit = (amount: string, receiver: Micheline = { string: ALICE.address }): Draft => ({
  kind: "transaction",
  destination: BRIDGE_ADDRESS,
  amount,
  parameters: { entrypoint: "deposit", value: receiver },
});

/** The ticket of tez as text. */
const ticket = (amount: number): string => `Pair "${EXCHANGER_ADDRESS}" (Pair 0 None) ${amount}`;

/** An outbox message that burns a ticket of tez for a receiver. */
function burnMessage(receiver: string, amount: number): Uint8Array {
  const batch = new ByteWriter()
    .bytes(encodeMicheline(parseMichelineText(`Pair "${receiver}" (${ticket(amount)})`)))
    .bytes(addressBytes(EXCHANGER_ADDRESS)!)
    .sized(Buffer.from("burn"));
  return new ByteWriter().byte(0).sized(batch.finish()).finish();
}

const WITHDRAWAL_OF_1_TEZ =
  "000000006407070a0000001600007324983d7c29837e7277473c1c2e467bfb3f77b407070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a0007070707000003060080897a0146d83d8ef8bce4d8c60a96170739c0269384075a00000000046275726e";

describe("a deposit", () => {
  it("locks the tez in the exchanger, gives the ticket to the rollup and puts the exact message in the inbox", async () => {
    const driven = driveChain();
    const before = driven.balance(EXCHANGER_ADDRESS);
    const [metadata] = await driven.apply(deposit("3000000"));
    expect(metadata!.operation_result.status).toBe("applied");
    expect(
      metadata!.internal_operation_results!.map(({ nonce, destination, result }) => [
        nonce,
        destination,
        result.status,
      ]),
    ).toEqual([
      [0, EXCHANGER_ADDRESS, "applied"],
      [1, BRIDGE_ADDRESS, "applied"],
      [2, ROLLUP_ADDRESS, "applied"],
    ]);
    expect(driven.balance(EXCHANGER_ADDRESS) - before).toBe(3_000_000n);
    expect(driven.chain.head.messages).toEqual([
      "0000050507070a00000016000002298c03ed7d454a101eb7022bc95f7e5f41ac7807070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a00070707070000030600809bee0254267463f8cf2844e4d8b20a76f0471bcb2137fd0002298c03ed7d454a101eb7022bc95f7e5f41ac78c3ea4c18195bcfac262dcb29e3d803ae74681739",
    ]);
    const context = driven.chain.contextAt(driven.chain.head);
    expect([...context.ticketsOf(ROLLUP_ADDRESS).values()]).toMatchObject([
      { ticketer: EXCHANGER_ADDRESS, amount: 3_000_000n },
    ]);
    expect([...context.ticketsOf(BRIDGE_ADDRESS).values()]).toEqual([]);
    expect(finish(storageJson(context.account(BRIDGE_ADDRESS)!.contract!, "readable"))).toEqual(
      parseMichelineText(`Pair "${EXCHANGER_ADDRESS}" "${ROLLUP_ADDRESS}" None`),
    );
  });

  it.each([
    "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ",
    "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ%run",
    ROLLUP_ADDRESS,
    "tz4HVR6aty9KwsQFHh81C1G7gBdhxT8kuytm",
  ])("to %s is valid on layer 1, even if the runtime ignores it", async (receiver) => {
    const driven = driveChain();
    const [metadata] = await driven.apply(deposit("1", { string: receiver }));
    expect(metadata!.operation_result.status).toBe("applied");
    expect(driven.chain.head.messages).toHaveLength(1);
  });

  it("of 0 tez fails with the text of the bridge", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply(deposit("0"));
    expect(metadata!.operation_result).toMatchObject({
      status: "failed",
      errors: [{}, { with: { string: "Invalid deposit amount: Deposit amount must be greater than 0." } }],
    });
    expect(driven.chain.head.messages).toEqual([]);
  });

  it("to an invalid address fails and costs only the fee", async () => {
    const driven = driveChain();
    const before = driven.balance(ALICE.address);
    const [metadata] = await driven.apply(deposit("5", { string: "nobody" }));
    expect(errorIds(metadata!.operation_result)).toEqual([
      "michelson_v1.bad_contract_parameter",
      "michelson_v1.invalid_constant",
      "destination_repr.invalid_b58check",
    ]);
    expect(before - driven.balance(ALICE.address)).toBe(20_000n);
  });

  it("of more than the account has fails", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply(deposit("100000000001"));
    expect(errorIds(metadata!.operation_result)).toEqual([
      "contract.balance_too_low",
      "tez.subtraction_underflow",
    ]);
  });

  it("sent as a plain transfer fails, because neither contract takes unit", async () => {
    const driven = driveChain();
    for (const destination of [BRIDGE_ADDRESS, EXCHANGER_ADDRESS]) {
      const [metadata] = await driven.apply({ kind: "transaction", destination, amount: "1" });
      expect(errorIds(metadata!.operation_result)[0]).toBe("michelson_v1.bad_contract_parameter");
    }
  });
});

describe("the bridge's contracts", () => {
  it("refuse a mint whose callback does not accept a ticket", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply({
      kind: "transaction",
      destination: EXCHANGER_ADDRESS,
      amount: "1",
      parameters: { entrypoint: "mint", value: { string: BRIDGE_ADDRESS } },
    });
    expect(metadata!.operation_result).toMatchObject({
      status: "failed",
      errors: [{}, { with: { string: "Invalid callback" } }],
    });
  });

  it("give a ticket to an implicit account that mints for itself and can transfer it", async () => {
    const driven = driveChain();
    await driven.apply({
      kind: "transaction",
      destination: EXCHANGER_ADDRESS,
      amount: "5",
      parameters: { entrypoint: "mint", value: { string: ALICE.address } },
    });
    const handOn: Draft = {
      kind: "transfer_ticket",
      ticket_contents: parseMichelineText("Pair 0 None"),
      ticket_ty: parseMichelineText("pair nat (option bytes)"),
      ticket_ticketer: EXCHANGER_ADDRESS,
      ticket_amount: "3",
      destination: BOB.address,
      entrypoint: "default",
    };
    const [metadata] = await driven.apply(handOn);
    expect(metadata!.operation_result).toMatchObject({
      status: "applied",
      ticket_updates: [
        {
          updates: [
            { account: ALICE.address, amount: "-3" },
            { account: BOB.address, amount: "3" },
          ],
        },
      ],
    });
    const [again] = await driven.apply(handOn);
    expect(errorIds(again!.operation_result)).toEqual(["Negative_ticket_balance"]);
    expect([...driven.chain.contextAt(driven.chain.head).ticketsOf(ALICE.address).values()]).toMatchObject([
      { amount: 2n },
    ]);
  });

  it("refuse a callback without a pending deposit, and revert the whole operation", async () => {
    const driven = driveChain();
    // Mints a ticket for the bridge's callback although no deposit was requested.
    const [metadata] = await driven.apply({
      kind: "transaction",
      destination: EXCHANGER_ADDRESS,
      amount: "5",
      parameters: { entrypoint: "mint", value: { string: `${BRIDGE_ADDRESS}%callback` } },
    });
    expect(metadata!.operation_result.status).toBe("backtracked");
    expect(metadata!.internal_operation_results![0]!.result).toMatchObject({
      status: "failed",
      errors: [{}, { with: { string: "Callback on non-locked deposit" } }],
    });
    expect(driven.balance(EXCHANGER_ADDRESS)).toBe(1_000_000n);
  });

  it("cannot be given a ticket literal", async () => {
    const driven = driveChain();
    const [metadata] = await driven.apply({
      kind: "transaction",
      destination: BRIDGE_ADDRESS,
      amount: "0",
      parameters: { entrypoint: "callback", value: parseMichelineText(ticket(5)) },
    });
    expect(errorIds(metadata!.operation_result)).toEqual([
      "michelson_v1.bad_contract_parameter",
      "michelson_v1.invalid_constant",
      "michelson_v1.unexpected_forged_value",
    ]);
  });
});

describe("a deposit of another token", () => {
  /** Mints its own ticket and sends it to the rollup as an FA deposit through a proxy. */
  const DEPOSITOR = parseScriptText(`
    parameter address; storage unit;
    code { CAR; NIL operation; PUSH address "${ROLLUP_ADDRESS}";
      CONTRACT (or (pair address (ticket (pair nat (option bytes)))) (pair address (option address) (ticket (pair nat (option bytes)))));
      IF_NONE { PUSH int 0; FAILWITH } {}; PUSH mutez 0;
      PUSH nat 9; PUSH bytes 0xabcd; SOME; PUSH nat 4; PAIR; TICKET; IF_NONE { PUSH int 1; FAILWITH } {};
      PUSH address "${EXCHANGER_ADDRESS}"; SOME; DIG 5; PAIR 3;
      RIGHT (pair address (ticket (pair nat (option bytes)))); TRANSFER_TOKENS; CONS; UNIT; SWAP; PAIR }`);

  it("puts the right branch into the inbox and gives the ticket to the rollup", async () => {
    const driven = driveChain();
    const [origination] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: { code: DEPOSITOR, storage: { prim: "Unit" } },
    });
    const result = origination!.operation_result;
    const [depositor] = result.status === "applied" ? result.originated_contracts! : [];
    const [metadata] = await driven.apply({
      kind: "transaction",
      destination: depositor!,
      amount: "0",
      parameters: { entrypoint: "default", value: { string: ALICE.address } },
    });
    expect(metadata!.operation_result.status).toBe("applied");
    // 00 00, then Right (Pair receiver (Pair (Some proxy) ticket)).
    expect(driven.chain.head.messages[0]).toMatch(
      /^0000050807070a00000016000002298c03ed7d454a101eb7022bc95f7e5f41ac78070705090a000000160146d83d8ef8bce4d8c60a96170739c0269384075a00/,
    );
    expect([...driven.chain.contextAt(driven.chain.head).ticketsOf(ROLLUP_ADDRESS).values()]).toMatchObject([
      { ticketer: depositor, amount: 9n },
    ]);
  });
});

describe("a withdrawal", () => {
  async function withDeposit(period = 2, window = 3) {
    const driven = driveChain({ commitmentPeriodBlocks: period, challengeWindowBlocks: window });
    await driven.apply(deposit("3000000"));
    return driven;
  }

  const execution = (commitment: string, proof: string): Draft => ({
    kind: "smart_rollup_execute_outbox_message",
    rollup: ROLLUP_ADDRESS,
    cemented_commitment: commitment,
    output_proof: proof,
  });

  it("pays out after its commitment is cemented, and only once", async () => {
    const driven = await withDeposit();
    const receiver = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";
    const { level, index } = driven.outbox.add(driven.chain.head.level, fromHex(WITHDRAWAL_OF_1_TEZ)!, "w1");
    expect(driven.outbox.add(level, fromHex(WITHDRAWAL_OF_1_TEZ)!, "w1")).toMatchObject({ level, index });
    expect(driven.outbox.proofOf(level, index, driven.chain.head.level)).toBeUndefined();
    while (driven.chain.head.level < driven.outbox.executableFrom(level)) driven.chain.bake();
    const { commitment, proof } = driven.outbox.proofOf(level, index, driven.chain.head.level)!;
    const [metadata] = await driven.apply(execution(commitment, proof));
    expect(metadata!.operation_result).toMatchObject({
      status: "applied",
      ticket_updates: [{ updates: [{ account: ROLLUP_ADDRESS, amount: "-1000000" }] }],
    });
    expect(driven.balance(receiver)).toBe(1_000_000n);
    const [again] = await driven.apply(execution(commitment, proof));
    expect(errorIds(again!.operation_result)).toEqual(["smart_rollup_outbox_message_already_applied"]);
    expect(driven.balance(receiver)).toBe(1_000_000n);
  });

  it("of more than was deposited fails, because the rollup has no such tickets", async () => {
    const driven = await withDeposit(1, 1);
    const { level, index } = driven.outbox.add(
      driven.chain.head.level,
      burnMessage(ALICE.address, 3_000_001),
      undefined,
    );
    driven.chain.bake();
    const { commitment, proof } = driven.outbox.proofOf(level, index, driven.chain.head.level)!;
    const [metadata] = await driven.apply(execution(commitment, proof));
    expect(errorIds(metadata!.operation_result)).toEqual(["Negative_ticket_balance"]);
  });

  it("with a wrong proof, commitment or index fails with a specific error", async () => {
    const driven = await withDeposit(1, 1);
    const { level, index } = driven.outbox.add(
      driven.chain.head.level,
      fromHex(WITHDRAWAL_OF_1_TEZ)!,
      undefined,
    );
    driven.chain.bake();
    const { commitment, proof } = driven.outbox.proofOf(level, index, driven.chain.head.level)!;
    const outcome = async (c: string, p: string): Promise<readonly string[]> =>
      errorIds((await driven.apply(execution(c, p)))[0]!.operation_result);
    expect(await outcome(commitment, "c0ffee")).toEqual(["smart_rollup_invalid_output_proof"]);
    expect(await outcome(driven.outbox.commitmentHash(9_999), proof)).toEqual([
      "smart_rollup_unknown_commitment",
    ]);
    expect(await outcome(commitment, `${proof.slice(0, -2)}07`)).toEqual([
      "smart_rollup_invalid_outbox_message_index",
    ]);
  });
});

describe("the exchanger's burn", () => {
  /** A contract that mints its own ticket and burns it at the exchanger. */
  const FORGER = parseScriptText(`
    parameter unit; storage unit;
    code { DROP; NIL operation; PUSH address "${EXCHANGER_ADDRESS}"; CONTRACT %burn (pair address (ticket (pair nat (option bytes))));
      IF_NONE { PUSH int 0; FAILWITH } {}; AMOUNT;
      PUSH nat 5; NONE bytes; PUSH nat 0; PAIR; TICKET; IF_NONE { PUSH int 1; FAILWITH } {};
      PUSH address "${ALICE.address}"; PAIR; TRANSFER_TOKENS; CONS; UNIT; SWAP; PAIR }`);

  it("refuses foreign tickets, and tez", async () => {
    const driven = driveChain();
    const [origination] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: { code: FORGER, storage: { prim: "Unit" } },
    });
    const result = origination!.operation_result;
    const [forger] = result.status === "applied" ? result.originated_contracts! : [];
    const failureOf = async (amount: string): Promise<unknown> =>
      (await driven.apply({ kind: "transaction", destination: forger!, amount }))[0]!
        .internal_operation_results![0]!.result;
    expect(await failureOf("0")).toMatchObject({
      errors: [{}, { with: { string: "Burn only accepts tez tickets minted by the exchanger." } }],
    });
    expect(await failureOf("1")).toMatchObject({
      errors: [{}, { with: { string: "Burn does not accept tez." } }],
    });
  });
});
