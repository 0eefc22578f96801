import { expect, it } from "vitest";
import { BRIDGE_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { fromHex } from "../../tezos/hex.ts";
import { MAX_ACTIVE_OUTBOX_LEVELS } from "../../tezos/parameters.ts";
import { ALICE, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";

// A withdrawal of 1 tez through the exchanger.
const WITHDRAWAL = fromHex(
  "000000006407070a0000001600007324983d7c29837e7277473c1c2e467bfb3f77b407070a000000160146d83d8ef8bce4d8c60a96170739c0269384075a0007070707000003060080897a0146d83d8ef8bce4d8c60a96170739c0269384075a00000000046275726e",
)!;
const HISTORY_BLOCKS = 10;

/** A chain whose rollup holds 3 tez and whose commitments are cemented at once. */
async function rollup(): Promise<DrivenChain> {
  const driven = driveChain({
    commitmentPeriodBlocks: 1,
    challengeWindowBlocks: 0,
    historyBlocks: HISTORY_BLOCKS,
  });
  await driven.apply({
    kind: "transaction",
    destination: BRIDGE_ADDRESS,
    amount: "3000000",
    parameters: { entrypoint: "deposit", value: { string: ALICE.address } },
  });
  return driven;
}

async function execute({ chain, outbox, apply }: DrivenChain, proof: string): Promise<readonly string[]> {
  const [metadata] = await apply({
    kind: "smart_rollup_execute_outbox_message",
    rollup: ROLLUP_ADDRESS,
    cemented_commitment: outbox.commitmentHash(outbox.lastCemented(chain.head.level)),
    output_proof: proof,
  });
  return errorIds(metadata!.operation_result);
}

const prune = ({ chain, outbox }: DrivenChain, head = chain.head.level): void =>
  outbox.prune(head, chain.history.oldest, chain.contextAt(chain.head));

it("forgets executed messages with the history, but still refuses to execute them again", async () => {
  const driven = await rollup();
  const { level } = driven.chain.head;
  driven.outbox.add(level, WITHDRAWAL, "w1");
  driven.outbox.add(level, WITHDRAWAL, "w2");
  const [first, second] = [0, 1].map((index) => driven.outbox.proofOf(level, index, level)!.proof);
  expect(await execute(driven, first!)).toEqual([]);
  for (let i = 0; i <= HISTORY_BLOCKS; i++) driven.chain.bake();
  prune(driven);
  // One of the two has not been executed yet.
  expect(driven.outbox.at(level)).toHaveLength(2);
  expect(await execute(driven, second!)).toEqual([]);
  prune(driven);
  expect(driven.outbox.at(level)).toEqual([]);
  expect([...driven.outbox.levels()]).toEqual([]);
  expect(await execute(driven, second!)).toEqual(["smart_rollup_outbox_message_already_applied"]);
});

it("keeps executed messages as long as their block", async () => {
  const driven = await rollup();
  const { level } = driven.chain.head;
  driven.outbox.add(level, WITHDRAWAL, undefined);
  expect(await execute(driven, driven.outbox.proofOf(level, 0, level)!.proof)).toEqual([]);
  prune(driven);
  expect(driven.outbox.at(level)).toHaveLength(1);
});

it("forgets what expired, executed or not", async () => {
  const driven = await rollup();
  const { level } = driven.chain.head;
  driven.outbox.add(level, WITHDRAWAL, undefined);
  prune(driven, level + MAX_ACTIVE_OUTBOX_LEVELS);
  expect(driven.outbox.at(level)).toHaveLength(1);
  prune(driven, level + MAX_ACTIVE_OUTBOX_LEVELS + 1);
  expect(driven.outbox.at(level)).toEqual([]);
});
