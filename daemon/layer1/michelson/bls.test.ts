// Points that are the negative of another one, without a new one, are as good as new ones.
import { beforeAll, expect, it } from "vitest";
import { SEED, seededRandom } from "../../../test/support/long-run.ts";
import { loadBls } from "../../tezos/curves.ts";
import {
  FIELD_ORDER,
  type PairingProduct,
  addPairings,
  addPoints,
  isPairingOne,
  multiplyPoint,
  negatePoint,
  readPoint,
  writePoint,
} from "./bls.ts";
import { type PairValue, type PointValue, pair } from "./value.ts";

const BASES = {
  g1: "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1",
  g2: "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb80606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
} as const;

const random = seededRandom(SEED);
const small = (): bigint => BigInt(Math.floor(random() * 7));

beforeAll(() => loadBls());

it.each(["g1", "g2"] as const)("points of %s are added and multiplied, whatever their sign", (group) => {
  const base = readPoint(group, BASES[group])!;
  /** A multiple of the base, as a point or as the negative of one. */
  const multiple = (factor: bigint): PointValue => {
    const field = (factor + FIELD_ORDER) % FIELD_ORDER;
    if (random() < 0.5) return multiplyPoint(base, field);
    return negatePoint(multiplyPoint(base, (FIELD_ORDER - field) % FIELD_ORDER));
  };
  const plain = (factor: bigint): string =>
    writePoint(multiplyPoint(base, (factor + FIELD_ORDER) % FIELD_ORDER));
  for (let i = 0; i < 60; i++) {
    const [a, b] = [small() - 3n, small() - 3n];
    const factor = small();
    expect(writePoint(multiple(a))).toBe(plain(a));
    expect(writePoint(addPoints(multiple(a), multiple(b)))).toBe(plain(a + b));
    expect(writePoint(multiplyPoint(multiple(a), factor))).toBe(plain(a * factor));
    expect(writePoint(negatePoint(negatePoint(multiple(a))))).toBe(plain(a));
  }
});

it("pairings with negatives cancel those without, in one step or in two", () => {
  const [g1, g2] = [readPoint("g1", BASES.g1)!, readPoint("g2", BASES.g2)!];
  const [minus1, minus2] = [negatePoint(g1), negatePoint(g2)];
  const isOne = (...pairs: readonly PairValue[]): boolean => {
    const together = isPairingOne(addPairings(undefined, pairs));
    const apart = pairs.reduce<PairingProduct | undefined>((so, one) => addPairings(so, [one]), undefined);
    expect(isPairingOne(apart)).toBe(together);
    return together;
  };
  const once = pair(g1, g2);
  const nothing = pair(multiplyPoint(g1, 0n), g2);
  expect(isOne()).toBe(true);
  expect(isOne(once)).toBe(false);
  expect(isOne(nothing)).toBe(true);
  expect(isOne(nothing, once, nothing)).toBe(false);
  expect(isOne(once, pair(minus1, g2))).toBe(true);
  expect(isOne(once, nothing, pair(g1, minus2))).toBe(true);
  expect(isOne(once, pair(minus1, minus2))).toBe(false);
  expect(isOne(once, once, once, once, pair(multiplyPoint(minus1, 4n), g2))).toBe(true);
});
