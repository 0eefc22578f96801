// Protocol parameters that several components need and all protocols share; those that differ are in protocols.ts,
// those that only `/context/constants` shows in daemon/layer1/rpc/constants.ts.
// Source: Octez, `default_parameters.ml` and `constants_repr.ml`.
import { mutez } from "./mutez.ts";

/** Largest amount of layer 1 in mutez: 63 bits. */
export const MAX_MUTEZ = mutez(2n ** 63n - 1n);

export const MAX_GAS_PER_OPERATION = 1_040_000n;
/** Bytes of storage that one operation may allocate. */
export const MAX_STORAGE_PER_OPERATION = 60_000n;

/** Levels of a cycle; shorter than mainnet's, as in the Jstz sandbox. */
export const BLOCKS_PER_CYCLE = 900;

/** Mutez per byte of storage. */
export const COST_PER_BYTE = 250n;
/** Bytes of storage charged for a new account or contract. */
export const ORIGINATION_SIZE = 257n;

/** Bytes of one signed operation. */
export const MAX_OPERATION_BYTES = 32_768;
/** Blocks within which an operation must be included, counted from its branch. */
export const OPERATION_TTL = 60;

/** Largest message of the rollup inbox in bytes, the leading tag included. */
export const MAX_MESSAGE_BYTES = 4_096;
/** Outbox messages that the rollup may send in one level. */
export const MAX_OUTBOX_MESSAGES_PER_LEVEL = 100;
/** Levels after which an outbox message can no longer be executed. */
export const MAX_ACTIVE_OUTBOX_LEVELS = 151_200;
/** Cemented commitments that layer 1 remembers. */
export const MAX_CEMENTED_COMMITMENTS = 5;
