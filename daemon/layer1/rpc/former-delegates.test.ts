import { expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../protocol/constants.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { BLOCKS_PER_CYCLE } from "../../tezos/parameters.ts";
import { ALICE, BOB, type Draft, driveChain } from "../testing/driven-chain.ts";
import { appliedResult } from "../testing/results.ts";
import { addDelegateRoutes } from "./delegate-routes.ts";
import { RouteTable } from "./route-table.ts";

const USER = BOOTSTRAP_ACCOUNTS[0];

type Handler = (call: object) => unknown;

it("tez on their way back count for the delegate that they were staked with, whoever is delegate now", async () => {
  const driven = driveChain();
  const table = new RouteTable<Handler>();
  const get = (path: string, handler: Handler): void => void table.add("GET", path, handler);
  addDelegateRoutes({ get } as never, driven.chain);
  const ask = async (delegate: string, field: string): Promise<unknown> => {
    const found = table.find("GET", `/chains/main/blocks/head/context/delegates/${delegate}/${field}`)!;
    return await found.value({ params: found.params, query: {} });
  };
  const pseudo = (destination: string, entrypoint: string, value: string, amount = "0"): Draft => ({
    kind: "transaction",
    amount,
    destination,
    parameters: { entrypoint, value: parseMichelineText(value) },
  });
  appliedResult(
    await driven.apply(pseudo(BOB.address, "set_delegate_parameters", "Pair 5000000 0 Unit"), BOB),
  );
  appliedResult(await driven.apply({ kind: "delegation", delegate: BOB.address }, USER));
  for (let level = 0; level < 6 * BLOCKS_PER_CYCLE; level++) driven.chain.bake();
  appliedResult(await driven.apply(pseudo(USER.address, "stake", "Unit", "500"), USER));
  const [ofBob, ofAlice] = [
    await ask(BOB.address, "total_delegated"),
    await ask(ALICE.address, "total_delegated"),
  ];
  const moved = driven.balance(USER.address) - 20_000n; // without the fee of the move
  appliedResult(await driven.apply({ kind: "delegation", delegate: ALICE.address }, USER));

  expect(await ask(BOB.address, "total_unstaked_per_cycle")).toEqual([{ cycle: 6, deposit: "500" }]);
  expect(await ask(ALICE.address, "total_unstaked_per_cycle")).toEqual([]);
  expect(await ask(BOB.address, "total_delegated")).toBe(
    (BigInt(ofBob as string) - moved - 20_000n + 500n).toString(),
  );
  expect(await ask(ALICE.address, "total_delegated")).toBe((BigInt(ofAlice as string) + moved).toString());

  // As a delegate itself it owns them, and they still count for the former one.
  appliedResult(await driven.apply({ kind: "delegation", delegate: USER.address }, USER));
  expect(await ask(USER.address, "own_delegated")).toBe(driven.balance(USER.address).toString());
  expect(await ask(USER.address, "own_full_balance")).toBe((driven.balance(USER.address) + 500n).toString());
  expect(await ask(USER.address, "external_delegated")).toBe("0");
  expect(await ask(BOB.address, "external_delegated")).toBe("500");
});
