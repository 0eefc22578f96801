import { expect, it } from "vitest";
import { deployGas, operationGas } from "./operation-gas.ts";

it("gives modules two ceilings beside the operation's one, within what the operation asks for", () => {
  expect(operationGas(100n)).toEqual({ gas: 100n, moduleGas: 200n });
  expect(operationGas(100n, 60n)).toEqual({ gas: 60n, moduleGas: 0n });
  expect(operationGas(100n, 150n)).toEqual({ gas: 100n, moduleGas: 50n });
  expect(operationGas(100n, 2n ** 60n)).toEqual({ gas: 100n, moduleGas: 200n });
  expect(deployGas(100n)).toBe(300n);
});

it("gives no more than the engine counts exactly, whatever the ceiling", () => {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  expect(deployGas(most - 5n)).toBe(most);
  expect(operationGas(most, 2n ** 60n)).toEqual({ gas: most, moduleGas: 0n });
});
