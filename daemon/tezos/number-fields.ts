// Bounds of the numbers in operations, within which an operation can be decoded at all, from bytes and from JSON. Whether
// a number makes sense is for the chain to say.
// Source: Octez, `operation_repr.ml` and the encodings of `tez_repr.ml`, `gas_limit_repr.ml`, `ticket_amount.ml`.
import { MAX_MUTEZ } from "./parameters.ts";

interface Bounds {
  readonly least: bigint;
  /** Undefined where there is no limit. */
  readonly most: bigint | undefined;
}

const TEZ: Bounds = { least: 0n, most: MAX_MUTEZ };
/** Ten groups of seven bits. */
const TEN_BYTES: Bounds = { least: 0n, most: 2n ** 70n - 1n };

const NUMBER_FIELDS = {
  fee: TEZ,
  amount: TEZ,
  balance: TEZ,
  limit: TEZ,
  counter: TEN_BYTES,
  storage_limit: TEN_BYTES,
  /** Octez counts thousandths, in an integer of OCaml. */
  gas_limit: { least: 0n, most: (2n ** 62n - 2n) / 1_000n },
  ticket_amount: { least: 1n, most: undefined },
} satisfies Readonly<Record<string, Bounds>>;

export type NumberField = keyof typeof NUMBER_FIELDS;

/** Whether a number may stand in a field. */
export function isInBounds(field: NumberField, value: bigint): boolean {
  const { least, most }: Bounds = NUMBER_FIELDS[field];
  return value >= least && (most === undefined || value <= most);
}

/** What a field takes, for messages. */
export function boundsText(field: NumberField): string {
  const { least, most }: Bounds = NUMBER_FIELDS[field];
  return most === undefined ? `${least} or more` : `${least} to ${most}`;
}
