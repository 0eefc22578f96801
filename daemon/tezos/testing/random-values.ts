// Random values of every Tezos encoding, for tests that compare our codecs with Taquito's.
import fc from "fast-check";
import { type Address, type AddressKind, addressOf } from "../address.ts";
import { type Base58Kind, BASE58_KINDS, encodeBase58 } from "../base58.ts";
import { type Content, type Manager, PVM_KINDS } from "../content.ts";
import { toHex } from "../hex.ts";
import type { Micheline } from "../micheline.ts";
import { PRIMITIVE_NAMES } from "../primitives.ts";

/** A text of the kind with a random payload. */
export const ofKind = (kind: Base58Kind): fc.Arbitrary<string> => {
  const { length } = BASE58_KINDS[kind];
  return fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((payload) => encodeBase58(kind, payload));
};
const ofKinds = (...kinds: readonly Base58Kind[]): fc.Arbitrary<string> => fc.oneof(...kinds.map(ofKind));

const addressOfKinds = (...kinds: readonly AddressKind[]): fc.Arbitrary<Address> =>
  ofKinds(...kinds).map(addressOf);

export const implicitAddress = addressOfKinds("tz1", "tz2", "tz3", "tz4");
export const anyAddress = fc.oneof(implicitAddress, addressOfKinds("KT1", "sr1"));
export const publicKey = ofKinds("edpk", "sppk", "p2pk");
const hexText = (maxLength: number): fc.Arbitrary<string> => fc.uint8Array({ maxLength }).map(toHex);
export const entrypointName = fc.stringMatching(/^[a-z_][a-z0-9_.%@]{0,30}$/);

/** Numbers of all lengths, short ones more often. */
export const integer = fc.oneof(
  fc.bigInt({ min: -200n, max: 200n }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: -(2n ** 600n), max: 2n ** 600n }),
);
const annotation = fc.stringMatching(/^[:@%][a-zA-Z0-9_]{1,6}$/);

export interface Primitives {
  readonly mayOccur: (name: string) => boolean;
  /** Whether it may have more than two arguments. */
  readonly mayBeLong: (name: string) => boolean;
}

const ALL: Primitives = { mayOccur: () => true, mayBeLong: () => true };

export function michelineOf({ mayOccur, mayBeLong }: Primitives = ALL): fc.Arbitrary<Micheline> {
  const names = PRIMITIVE_NAMES.filter(mayOccur);
  return fc.letrec<{ node: Micheline }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      integer.map((value) => ({ int: value.toString() })),
      fc.string({ maxLength: 30 }).map((string) => ({ string })),
      hexText(20).map((bytes) => ({ bytes })),
      fc.array(tie("node"), { maxLength: 4 }),
      fc
        .constantFrom(...names)
        .chain((prim) =>
          fc.record({
            prim: fc.constant(prim),
            args: fc.array(tie("node"), { maxLength: mayBeLong(prim) ? 4 : 2 }),
            annots: fc.array(annotation, { maxLength: 3 }),
          }),
        )
        .map(({ prim, args, annots }) => ({
          prim,
          ...(args.length > 0 && { args }),
          ...(annots.length > 0 && { annots }),
        })),
    ),
  })).node;
}

const upTo = (max: bigint, min = 0n): fc.Arbitrary<string> => fc.bigInt({ min, max }).map(String);
const tez = upTo(2n ** 63n - 1n);
const tenBytes = upTo(2n ** 70n - 1n);

const manager: fc.Arbitrary<Manager> = fc.record({
  source: implicitAddress,
  fee: tez,
  counter: tenBytes,
  gas_limit: upTo(4_611_686_018_427_387n),
  storage_limit: tenBytes,
});

/** Contents of all kinds that contain values from `value`. */
export function contentOf(value: fc.Arbitrary<Micheline>): fc.Arbitrary<Content> {
  const kind = <K extends Content["kind"]>(name: K): fc.Arbitrary<K> => fc.constant(name);
  const optional = { requiredKeys: [] as [] };
  const parameters = fc.record({ entrypoint: entrypointName, value });
  const delegate = fc.record({ delegate: implicitAddress }, optional);
  const parts: readonly fc.Arbitrary<object>[] = [
    fc.record({ kind: kind("reveal"), public_key: publicKey }),
    fc.record({ kind: kind("reveal"), public_key: ofKind("BLpk"), proof: ofKind("BLsig") }),
    fc
      .tuple(
        fc.record({ kind: kind("transaction"), amount: tez, destination: anyAddress }),
        fc.record({ parameters }, optional),
      )
      .map(([base, rest]) => ({ ...base, ...rest })),
    fc
      .tuple(
        fc.record({
          kind: kind("origination"),
          balance: tez,
          script: fc.record({ code: value, storage: value }),
        }),
        delegate,
      )
      .map(([base, rest]) => ({ ...base, ...rest })),
    fc.tuple(fc.record({ kind: kind("delegation") }), delegate).map(([base, rest]) => ({ ...base, ...rest })),
    fc.record({
      kind: kind("transfer_ticket"),
      ticket_contents: value,
      ticket_ty: value,
      ticket_ticketer: ofKind("KT1"),
      ticket_amount: upTo(2n ** 80n, 1n),
      destination: anyAddress,
      entrypoint: entrypointName,
    }),
    fc.record({
      kind: kind("smart_rollup_add_messages"),
      message: fc.array(hexText(40), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({
      kind: kind("smart_rollup_execute_outbox_message"),
      rollup: ofKind("sr1"),
      cemented_commitment: ofKind("src1"),
      output_proof: hexText(60),
    }),
    fc.record({ kind: kind("register_global_constant"), value }),
    fc.record({ kind: kind("set_deposits_limit"), limit: tez }),
    fc.record({
      kind: kind("increase_paid_storage"),
      amount: fc.nat(63).map(String), // Taquito forges larger ones as unsigned numbers
      destination: ofKind("KT1"),
    }),
    fc.record({ kind: kind("update_consensus_key"), pk: publicKey }),
    fc.record({ kind: kind("update_companion_key"), pk: ofKind("BLpk"), proof: ofKind("BLsig") }),
    fc.record({
      kind: kind("smart_rollup_originate"),
      pvm_kind: fc.constantFrom(...PVM_KINDS),
      kernel: hexText(60),
      parameters_ty: value,
    }),
  ];
  return fc.tuple(manager, fc.oneof(...parts)).map(([base, rest]) => ({ ...base, ...rest }) as Content);
}
