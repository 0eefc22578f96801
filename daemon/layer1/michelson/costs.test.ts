import { expect, it } from "vitest";
import { divideCost, findCost, keySize, linearCost, multiplyCost, updateCost } from "./costs.ts";
import { GasMeter, MAX_TEXT_BYTES } from "./gas.ts";
import { INT, type } from "./type.ts";
import { pair } from "./value.ts";

// Growth as in the protocol: twice the size costs about twice as much (four times for division).
it.each([
  ["addition", (size: number) => linearCost(size, size), 2],
  ["multiplication", (size: number) => multiplyCost(size, size), 2],
  ["division", (size: number) => divideCost(2 * size, size), 4],
])("the cost of %s grows with its operands", (_name, cost, factor) => {
  const growth = cost(2_000_000) / cost(1_000_000);
  expect(growth).toBeGreaterThan(0.95 * factor);
  expect(growth).toBeLessThan(1.1 * factor);
});

it("the cost of a lookup grows with the logarithm of the collection and with its keys", () => {
  expect(findCost(32, 1_000_000)).toBeGreaterThan(findCost(32, 1_000));
  expect(findCost(32, 1_000_000)).toBeLessThan(2.1 * findCost(32, 1_000));
  // Exact figures are checked by the real protocol's recorded runs.
  expect(updateCost(2_000, 1_000)).toBeGreaterThan(25 * updateCost(8, 1_000));
  expect(keySize(type("pair", INT, type("bytes")), pair(1n, "00".repeat(5_000)))).toBeGreaterThan(5_000);
});

const idOf = (run: () => void): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { errors: readonly { id: string }[] }).errors[0]!.id;
  }
};

it("a meter reports exhausted gas, long texts and exhausted memory with different errors", () => {
  expect(idOf(() => new GasMeter(10).spend(11))).toBe("gas_exhausted.operation");
  expect(idOf(() => new GasMeter(10).reserveText(MAX_TEXT_BYTES))).toBe(undefined);
  expect(idOf(() => new GasMeter(10).reserveText(MAX_TEXT_BYTES + 1))).toBe("sandbox.value_too_large");
  expect(idOf(() => new GasMeter(10).reserveNumber(8_751))).toBe("sandbox.value_too_large");
  const meter = new GasMeter(10);
  expect(
    idOf(() => {
      for (let i = 0; i < 2_000; i++) meter.reserveText(MAX_TEXT_BYTES);
    }),
  ).toBe("sandbox.memory_exhausted");
});
