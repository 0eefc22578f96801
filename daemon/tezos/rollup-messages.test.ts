import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf } from "./address.ts";
import { MalformedBytes } from "./byte-reader.ts";
import { fromHex, toHex } from "./hex.ts";
import { externalMessage, readTransfer, transferMessage } from "./inbox-message.ts";
import { encodeMicheline } from "./micheline-binary.ts";
import { decodeOutboxMessage, encodeOutboxMessage } from "./outbox-message.ts";
import { entrypointName, implicitAddress, michelineOf, ofKind } from "./testing/random-values.ts";

const transaction = fc.record({
  parameters: michelineOf(),
  destination: ofKind("KT1").map(addressOf),
  entrypoint: entrypointName,
});

/** Bytes with one byte changed, or truncated. */
const harm = (bytes: Uint8Array) =>
  fc
    .tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean())
    .map(([at, byte, isCut]) =>
      isCut ? bytes.slice(0, at) : bytes.map((old, i) => (i === at ? byte : old)),
    );

describe("transfers to the rollup", () => {
  const transfer = fc.record({
    payload: michelineOf(),
    sender: ofKind("KT1").map(addressOf),
    source: implicitAddress,
    rollup: ofKind("sr1").map(addressOf),
  });

  it("decode to what was encoded", () => {
    fc.assert(
      fc.property(transfer, (written) => {
        const hex = transferMessage({ ...written, payload: encodeMicheline(written.payload) });
        expect(readTransfer(fromHex(hex)!)).toEqual(written);
        expect(readTransfer(fromHex(externalMessage(hex))!)).toBeUndefined();
      }),
    );
  });

  it("decode in one form only when corrupted, or not at all", () => {
    const message = transfer.map((written) =>
      fromHex(transferMessage({ ...written, payload: encodeMicheline(written.payload) }))!,
    );
    fc.assert(
      fc.property(message.chain(harm), (bytes) => {
        const read = readTransfer(bytes);
        if (!read) return;
        expect(transferMessage({ ...read, payload: encodeMicheline(read.payload) })).toBe(toHex(bytes));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("outbox messages", () => {
  const transactions = fc.array(transaction, { minLength: 1, maxLength: 3 });

  it("decode to what was encoded", () => {
    fc.assert(
      fc.property(transactions, (written) => {
        expect(decodeOutboxMessage(encodeOutboxMessage(written))).toEqual(written);
      }),
    );
  });

  it("are refused with MalformedBytes when corrupted", () => {
    fc.assert(
      fc.property(transactions.map(encodeOutboxMessage).chain(harm), (bytes) => {
        try {
          decodeOutboxMessage(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedBytes);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["no transactions", []],
    [
      "a user as destination",
      [
        {
          parameters: [],
          destination: addressOf("tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"),
          entrypoint: "default",
        },
      ],
    ],
  ])("with %s are refused", (_, written) => {
    expect(() => decodeOutboxMessage(encodeOutboxMessage(written))).toThrow(MalformedBytes);
  });
});
