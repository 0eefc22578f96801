import { describe, expect, it } from "vitest";
import { EXCHANGER_ADDRESS, INJECTOR, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import misc from "../../protocol/fixtures/inbox-receipts-misc.json" with { type: "json" };
import { addressOf, bytesOfAddress } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { asPair } from "../../tezos/micheline-data.ts";
import { type Micheline, prim } from "../../tezos/micheline.ts";
import { readDeposit } from "./inbox-message.ts";
import { faDepositMessage, messageOf, tezDepositMessage } from "./test-deposit.ts";
import { hashOf, ticketHash, ticketValue } from "./ticket.ts";

const OPTIONS = { rollupAddress: ROLLUP_ADDRESS, exchangerAddress: EXCHANGER_ADDRESS };
const ALICE = "tz1ia78UBMgdmVf8b2vu5y8Rd148p9e2yn2h";
const FUNCTION = addressOf("KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni");
// From a real inbox: 3 tez from and to the injector's address.
const SAMPLE =
  "0000050507070a00000016000002298c03ed7d454a101eb7022bc95f7e5f41ac7807070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a00070707070000030600809bee0254267463f8cf2844e4d8b20a76f0471bcb2137fd0002298c03ed7d454a101eb7022bc95f7e5f41ac78c3ea4c18195bcfac262dcb29e3d803ae74681739";

describe("tez deposits", () => {
  it("are read from the message of a real inbox", () => {
    expect(readDeposit(SAMPLE, OPTIONS)).toEqual({
      kind: "tez",
      receiver: INJECTOR.address,
      amount: 3_000_000n,
      source: INJECTOR.address,
    });
  });

  it("have the bytes that a real inbox has", () => {
    expect(tezDepositMessage(INJECTOR.address, 3_000_000n)).toBe(SAMPLE);
  });

  it.each([0n, 1n, 63n, 64n, 2n ** 53n + 1n, 2n ** 64n - 1n])("carry %s mutez exactly", (amount) => {
    expect(readDeposit(tezDepositMessage(ALICE, amount), OPTIONS)).toMatchObject({ amount });
  });

  it.each([
    ["another ticketer", tezDepositMessage(ALICE, 1n, { ticketer: FUNCTION })],
    ["a ticket with an id", tezDepositMessage(ALICE, 1n, { id: 1n })],
    ["a ticket with content", tezDepositMessage(ALICE, 1n, { content: Buffer.of(1) })],
    ["more than 64 bits", tezDepositMessage(ALICE, 2n ** 64n)],
    ["a receiver without account", tezDepositMessage("tz4HVR6aty9KwsQFHh81C1G7gBdhxT8kuytm", 1n)],
  ])("with %s are ignored, and say why", (_name, message) => {
    expect(readDeposit(message, OPTIONS)).toEqual({ kind: "ignored", reason: expect.any(String) as string });
  });

  it("to another rollup are not ours", () => {
    const rollup = addressOf("sr1Ghq66tYK9y3r8CC1Tf8i8m5nxh8nTvZEf");
    expect(readDeposit(tezDepositMessage(ALICE, 1n, { rollup }), OPTIONS)).toBeUndefined();
  });
});

describe("other messages", () => {
  it.each([
    "",
    "0001",
    "0002",
    `0003${"00".repeat(40)}`,
    "01",
    "xyz",
    `0000${"ff".repeat(80)}`,
    SAMPLE.slice(0, -2),
  ])("are not deposits: %s", (message) => {
    expect(readDeposit(message, OPTIONS)).toBeUndefined();
  });

  it("are ignored whatever byte of a deposit is cut off or corrupted", () => {
    for (let length = 0; length < SAMPLE.length; length += 2) {
      expect(() => readDeposit(SAMPLE.slice(0, length), OPTIONS)).not.toThrow();
      expect(() =>
        readDeposit(`${SAMPLE.slice(0, length)}ff${SAMPLE.slice(length + 2)}`, OPTIONS),
      ).not.toThrow();
    }
  });
});

describe("deposits of other tokens", () => {
  const ticket = { ticketer: FUNCTION, id: 7n, content: Buffer.from("ab", "hex"), amount: 10n };

  it.each([null, FUNCTION])("with the proxy %s are read", (proxy) => {
    expect(readDeposit(faDepositMessage(ALICE, proxy, ticket), OPTIONS)).toEqual({
      kind: "fa",
      receiver: ALICE,
      proxy,
      amount: 10n,
      ticketHash: ticketHash(ticket),
      source: INJECTOR.address,
    });
  });

  it.each([
    ["a proxy that is a user", faDepositMessage(ALICE, ALICE, ticket)],
    ["more than 256 bits", faDepositMessage(ALICE, null, { ...ticket, amount: 2n ** 256n })],
    [
      "a receiver that is neither tz1 nor KT1",
      faDepositMessage("tz2KDvEL9fuvytRfe1cVVDo1QfDfaBktGNkh", null, ticket),
    ],
  ])("with %s are ignored, and say why", (_name, message) => {
    expect(readDeposit(message, OPTIONS)).toEqual({ kind: "ignored", reason: expect.any(String) as string });
  });

  it("may be of more than 64 bits", () => {
    const amount = 2n ** 64n;
    expect(readDeposit(faDepositMessage(ALICE, null, { ...ticket, amount }), OPTIONS)).toMatchObject({
      kind: "fa",
      receiver: ALICE,
      amount,
    });
  });
});

describe("deposits in other encodings", () => {
  const parts = { ticketer: EXCHANGER_ADDRESS, id: 0n, content: null, amount: 5n };
  const [ticketer, inner] = asPair(ticketValue(parts))!;
  const [contents, amount] = asPair(inner)!;
  const deposit = (receiver: Micheline, ticket: Micheline = ticketValue(parts)): string =>
    messageOf(prim("Left", prim("Pair", receiver, ticket)));
  const contract = toHex(bytesOfAddress(FUNCTION));
  const user = toHex(bytesOfAddress(ALICE));

  it.each<[string, string, string | undefined]>([
    ["an address as text", deposit({ string: ALICE }), ALICE],
    ["the entrypoint of a contract as text", deposit({ string: `${FUNCTION}%take` }), FUNCTION],
    ["the entrypoint of a contract", deposit({ bytes: `${contract}74616b65` }), FUNCTION],
    ["a ticket as a comb", deposit({ bytes: user }, prim("Pair", ticketer, contents, amount)), ALICE],
    ["a ticket as a list", deposit({ bytes: user }, [ticketer, contents, amount]), ALICE],
    [
      "annotations",
      messageOf({
        prim: "Left",
        args: [{ prim: "Pair", args: [{ bytes: user }, ticketValue(parts)], annots: ["%a"] }],
      }),
      ALICE,
    ],
    ["a user with bytes behind the address", deposit({ bytes: `${user}74616b65` }), undefined],
    ["bytes that are not an address", deposit({ bytes: "05" }), undefined],
    ["a number for an address", deposit({ int: "1" }), undefined],
    ["a negative amount", deposit({ bytes: user }, [ticketer, contents, { int: "-5" }]), undefined],
    ["another pair", messageOf(prim("Pair", { bytes: user }, ticketValue(parts))), undefined],
    ["no pair", messageOf([prim("Left")]), undefined],
  ])("with %s", (_name, message, receiver) => {
    const read = readDeposit(message, OPTIONS);
    expect(read?.kind === "tez" ? read.receiver : undefined).toBe(receiver);
  });
});

describe("ticket hashes", () => {
  it.each(misc.ticketHash.vectors)("of $contents of $ticketer is the published one", ({ ticketer, hash }) => {
    expect(hashOf(addressOf(ticketer), { prim: "Unit" })).toBe(hash);
  });
});
