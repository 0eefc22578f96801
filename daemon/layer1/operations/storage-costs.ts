// Milligas of reading and writing the chain's state. The protocol charges for the depth of a key in its tree and for the
// bytes of a value, each of which is stored with its length beside it.
// Source: Octez, `storage_costs.ml`, `storage_functors.ml`, and the paths in `storage.ml`.

const READ = 200_000;
const WRITE = 200_000;
const PATH_STEP = 5_000;

/** Depths of keys. */
const CODE_OR_STORAGE = 5;
const BIG_MAP_ENTRY = 6;
const BALANCE = 4;
export const CONSTANT = 3;
export const ADDRESS_INDEX = 5;

const access = (depth: number, bytes: number): number => READ + PATH_STEP * depth + 2 * bytes;
export const writeCost = (bytes: number): number => WRITE + 4 * bytes;

/** Allocation of a buffer for bytes to be written. */
export const allocationCost = (bytes: number): number => 26_000 + 2_000 * (((bytes + 7) >> 3) + 1);

/** Checks whether a key exists, and reads its value if it does. */
export const findCost = (depth: number, bytes: number | undefined): number =>
  access(depth, 0) + (bytes === undefined ? 0 : access(depth, bytes));

/**
 * Code or storage of a contract; `bytes` excludes their length prefix and is undefined when there is no contract. Decoding
 * is charged twice, by the store and by its reader.
 */
export const readScriptCost = (bytes: number | undefined): number =>
  findCost(CODE_OR_STORAGE, bytes === undefined ? undefined : bytes + 4) +
  (bytes === undefined ? 0 : 40 * bytes);
export const writeScriptCost = (bytes: number): number => writeCost(bytes + 4);

export const hasBigMapEntryCost = access(BIG_MAP_ENTRY, 0);
export const readBigMapEntryCost = (bytes: number | undefined): number => findCost(BIG_MAP_ENTRY, bytes);
export const writeBigMapEntryCost = (bytes: number): number => allocationCost(bytes) + writeCost(bytes);
export const removeBigMapEntryCost = writeCost(0);
/** Going through the keys of a big map; each value is read besides. Source: `storage_costs_generated.ml`. */
export const listBigMapCost = (entries: number): number => 470 + 118 * entries;
/** Whether a big map exists, and its two types. */
export const readBigMapTypesCost = access(4, 0);

export const readBalanceCost = access(BALANCE, 8);
/** Accesses to `/votes/listings/<kind>/<hash>` and `/votes/total_voting_power`. */
export const readVotingPowerCost = access(4, 8);
export const readTotalVotingPowerCost = access(2, 8);
