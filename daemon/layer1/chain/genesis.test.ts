import { expect, it, vi } from "vitest";
import { Store } from "../state/store.ts";
import { weightOf } from "../state/weight.ts";
import * as scripts from "./bridge-scripts.ts";
import { lazyContract, writeGenesis } from "./genesis.ts";

vi.mock("./bridge-scripts.ts", { spy: true });

it("is written without reading a contract: no start waits for that", () => {
  writeGenesis(new Store(), []);
  expect(scripts.genesisContract).not.toHaveBeenCalled();
});

it.each(scripts.GENESIS_CONTRACTS)("counts about the memory of %s before it is read", (address) => {
  const account = lazyContract(address);
  const stated = weightOf(account);
  expect(scripts.genesisContract).not.toHaveBeenCalledWith(address);
  const real = weightOf({ ...account });
  expect(scripts.genesisContract).toHaveBeenCalledWith(address);
  expect(stated).toBeGreaterThan(real * 0.75);
  expect(stated).toBeLessThan(real * 1.5);
});
