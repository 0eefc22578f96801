// Packing without an expression in between is a second way to the same bytes for the same gas.
import { describe, expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../../test/support/long-run.ts";
import { loadBls } from "../../tezos/curves.ts";
import { loadHashes } from "../../tezos/fast-hashes.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { randomType, randomValue, readValue } from "../testing/random-values.ts";
import { GasMeter } from "./gas.ts";
import { MichelsonError } from "./michelson-error.ts";
import { packSmall } from "./pack-small.ts";
import { parseType } from "./parse-type.ts";
import { type Type } from "./type.ts";
import { unparseValue } from "./unparse-value.ts";
import type { Value } from "./value.ts";

const GAS = 1_000_000_000;

/** Bytes in hex and gas, or the error. */
function outcome(run: (gas: GasMeter) => Uint8Array | undefined, limit = GAS): unknown {
  const gas = new GasMeter(limit);
  try {
    const bytes = run(gas);
    return bytes && { bytes: Buffer.from(bytes).toString("hex"), gas: gas.used };
  } catch (error) {
    if (!(error instanceof MichelsonError)) throw error;
    return error.errors.map(({ id }) => id);
  }
}

const direct = (t: Type, value: Value, limit?: number): unknown =>
  outcome((gas) => packSmall(t, value, gas), limit);
const byExpression = (t: Type, value: Value, limit?: number): unknown =>
  outcome((gas) => {
    const expression = unparseValue(t, value, "packed", gas);
    return Buffer.concat([Buffer.of(5), encodeMicheline(expression)]);
  }, limit);

const typeOf = (text: string): Type => parseType(parseMichelineText(text));

describe("packing in one go gives the bytes and the gas of the expression", () => {
  it("for random values", async () => {
    await Promise.all([loadBls(), loadHashes()]);
    const random = seededRandom(SEED);
    let packed = 0;
    for (let i = 0; i < amount(2_000, 100_000); i++) {
      const t = randomType(random, 3);
      const value = readValue(t, randomValue(random, t));
      const found = direct(t, value);
      if (found === undefined) continue;
      packed++;
      expect(found).toEqual(byExpression(t, value));
    }
    expect(packed).toBeGreaterThan(amount(2_000, 100_000) / 4);
  });

  it("for numbers of all lengths", () => {
    const t = typeOf("int");
    for (let bits = 0n; bits < 700n; bits++)
      for (const near of [-1n, 0n, 1n])
        for (const sign of [1n, -1n]) {
          const value = sign * ((1n << bits) + near);
          expect(direct(t, value)).toEqual(byExpression(t, value));
        }
  });

  it.each(["string", "bytes", "option (pair string string)"])("for a long %s", (text) => {
    const t = typeOf(text);
    const long = "a".repeat(100_000);
    const value = t.prim === "option" ? { some: { left: long, right: long } } : long;
    expect(direct(t, value)).toEqual(byExpression(t, value));
  });

  it("with the same error at every limit of gas", () => {
    const t = typeOf("pair (option address) (or int string)");
    const address = "KT18amZmM5W7qDWVt2pH6uj7sCEd3kbzLrHT%name";
    const value = { left: { some: address }, right: { isLeft: true, value: 1n << 2_000n } };
    const { gas } = direct(t, value) as { gas: number };
    for (let limit = 0; limit <= gas; limit += Math.max(1, Math.floor(gas / 97)))
      expect(direct(t, value, limit)).toEqual(byExpression(t, value, limit));
    expect(direct(t, value, gas - 1)).toEqual(["gas_exhausted.operation"]);
    expect(direct(t, value, gas)).toHaveProperty("bytes");
  });

  it("and refuses what is too large", () => {
    const t = typeOf("pair bytes bytes");
    const long = "a".repeat(200_000);
    expect(direct(t, { left: long, right: long })).toEqual(["sandbox.value_too_large"]);
  });
});

it("leaves values of many nodes and lambdas to others", () => {
  const items = typeOf("list int");
  const many = readValue(
    items,
    Array.from({ length: 1_001 }, () => ({ int: "1" })),
  );
  expect(packSmall(items, many)).toBeUndefined();
  expect(packSmall(typeOf("list (list int)"), readValue(typeOf("list (list int)"), [[]]))).toBeUndefined();
});
