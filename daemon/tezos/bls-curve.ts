// The curve of tz4 keys and of Michelson's points: a bundle of its own (`bls-curve.cjs`), loaded when somebody needs it.
export { bls12_381 } from "@noble/curves/bls12-381";
