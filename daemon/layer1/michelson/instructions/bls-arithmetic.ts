// Arithmetic in the field and the groups of BLS12-381, and the pairing check.
import { bytesOf } from "../../../tezos/number-length.ts";
import {
  FIELD_ORDER,
  addPairings,
  addPoints,
  fieldElement,
  isPairingOne,
  multiplyPoint,
  negatePoint,
} from "../bls.ts";
import type { PairingProduct } from "../bls.ts";
import { BLS_COSTS } from "../costs.ts";
import type { GasMeter } from "../gas.ts";
import {
  type Code,
  type Instruction,
  argumentsOf,
  badStack,
  does,
  undefinedOperands,
} from "../instruction.ts";
import { BOOL } from "../type.ts";
import { type ListValue, type PairValue, type PointValue, itemsOf } from "../value.ts";

function addFields(a: bigint, b: bigint, gas: GasMeter): bigint {
  gas.spend(BLS_COSTS.addFr);
  const sum = a + b;
  return sum < FIELD_ORDER ? sum : sum - FIELD_ORDER;
}

function multiplyFields(a: bigint, b: bigint, gas: GasMeter): bigint {
  gas.spend(BLS_COSTS.mulFr);
  return (a * b) % FIELD_ORDER;
}

const addition =
  (cost: number) =>
  (a: PointValue, b: PointValue, gas: GasMeter): PointValue => {
    gas.spend(cost);
    return addPoints(a, b);
  };

const multiplication =
  (cost: number) =>
  (point: PointValue, factor: bigint, gas: GasMeter): PointValue => {
    gas.spend(cost);
    return multiplyPoint(point, factor);
  };

const negation =
  (cost: number) =>
  (point: PointValue, gas: GasMeter): PointValue => {
    gas.spend(cost);
    return negatePoint(point);
  };

export const BLS_ARITHMETIC = {
  addFr: addFields,
  addG1: addition(BLS_COSTS.addG1),
  addG2: addition(BLS_COSTS.addG2),
  mulFr: multiplyFields,
  mulG1: multiplication(BLS_COSTS.mulG1),
  mulG2: multiplication(BLS_COSTS.mulG2),
  mulFrByNumber: (number: bigint, fr: bigint, gas: GasMeter): bigint => {
    gas.spend(BLS_COSTS.mulFrByNumber(bytesOf(number)));
    return fieldElement(fieldElement(number) * fr);
  },
  negateFr: (a: bigint, gas: GasMeter): bigint => {
    gas.spend(BLS_COSTS.negateFr);
    return a === 0n ? a : FIELD_ORDER - a;
  },
  negateG1: negation(BLS_COSTS.negateG1),
  negateG2: negation(BLS_COSTS.negateG2),
  intOfFr: (a: bigint, gas: GasMeter): bigint => {
    gas.spend(BLS_COSTS.intOfFr);
    return a;
  },
} as const;

/** Pairings of one step: as long as the check of a signature of this curve. */
const PAIRINGS_IN_ONE_GO = 4;

/**
 * Whether the product of the pairings of a list is one. Few pairs make a step of their own: a pairing takes nearly a
 * millisecond, and a list may have thousands.
 */
export const pairingCheck: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [list, second] = stack.head(2);
  const pair = list?.prim === "list" ? list.args[0] : undefined;
  if (pair?.prim !== "pair" || pair.args[0].prim !== "bls12_381_g1" || pair.args[1].prim !== "bls12_381_g2")
    throw second ? undefinedOperands(node, stack, scope) : badStack(node, stack, scope, 2);
  const after = stack.drop(1).under(BOOL);
  return does(after, (m, s) => {
    m.gas.spend(BLS_COSTS.pairing(0));
    const pairs = itemsOf(s.pop() as ListValue) as PairValue[];
    m.gas.check(BLS_COSTS.pairing(pairs.length) - BLS_COSTS.pairing(0));
    let [next, product]: [number, PairingProduct | undefined] = [0, undefined];
    const round: Code = {
      steps: [
        () => {
          const few = pairs.slice(next, next + PAIRINGS_IN_ONE_GO);
          next += few.length;
          if (few.length === 0) {
            s.push(isPairingOne(product));
            m.endDetour();
            return;
          }
          m.gas.spend(BLS_COSTS.pairing(few.length) - BLS_COSTS.pairing(0));
          product = addPairings(product, few);
          m.call(round);
        },
      ],
      types: [undefined, undefined],
      locate: () => scope.location(node),
    };
    m.detour(round);
  });
};
