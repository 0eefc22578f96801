import { expect, it } from "vitest";
import { amount } from "../../../test/support/long-run.ts";
import { BRIDGE_ADDRESS } from "../../protocol/constants.ts";
import { MalformedBytes } from "../../tezos/byte-reader.ts";
import { OperationRefused } from "../operations/operation-refused.ts";
import { ALICE, driveChain } from "../testing/driven-chain.ts";

/** A small deterministic generator, so that failures are reproducible. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The long run takes 13 s of one core. */
const COUNT = amount(25_000, 100_000);

it("refuses any truncated or bit-flipped operations without changing the state", async () => {
  const driven = driveChain({ strict: true });
  const whole = driven.sign(
    driven.fill([
      { kind: "transaction", destination: ALICE.address, amount: "5" },
      {
        kind: "transaction",
        destination: BRIDGE_ADDRESS,
        amount: "1",
        parameters: { entrypoint: "deposit", value: { string: ALICE.address } },
      },
    ]),
  );
  const next = randoms(7);
  const head = driven.chain.head.hash;
  let refused = 0;
  for (let i = 0; i < COUNT; i++) {
    const bytes = next(4) === 0 ? whole.slice(0, next(whole.length)) : whole.slice();
    // Flips bits in signed bytes and signature alike; a truncated operation is invalid anyway.
    if (bytes.length === whole.length)
      for (let flips = 1 + next(3); flips > 0; flips--) bytes[next(bytes.length)]! ^= 1 << next(8);
    if (Buffer.compare(bytes, whole) === 0) continue;
    try {
      await driven.chain.inject(bytes);
      expect.unreachable(Buffer.from(bytes).toString("hex"));
    } catch (error) {
      if (!(error instanceof MalformedBytes) && !(error instanceof OperationRefused)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(COUNT * 0.99);
  expect(driven.chain.pending).toEqual([]);
  expect(driven.chain.head.hash).toBe(head);
  expect(driven.chain.nextBlock.layer.writes.size).toBe(0);
}, 120_000);
