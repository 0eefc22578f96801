// Applies the big map diffs of receipts: each adds rows and changes the state of its map.
import { humanType } from "../human/human-type.ts";
import { type ChainIndex, newBigMap } from "./chain-index.ts";
import type { BigMapState, BigMapUpdateRow, BlockRow } from "./index-rows.ts";
import type { RpcDiff, RpcUpdate } from "./rpc-block.ts";
import { ShownValue } from "./shown-value.ts";

/** One change of a big map, as in the field `diffs` of an operation. */
export interface DiffRow {
  readonly bigmap: number;
  readonly path: string;
  readonly action: BigMapUpdateRow["action"];
  readonly content?: BigMapUpdateRow["content"];
}

/** A change of a key, with the value before it. */
export interface KeyChange {
  readonly bigMap: BigMapState;
  readonly key: ShownValue;
  readonly before: ShownValue | undefined;
  readonly after: ShownValue | undefined;
}

export interface AppliedDiffs {
  readonly rows: readonly DiffRow[];
  readonly changes: readonly KeyChange[];
}

const NONE: AppliedDiffs = { rows: [], changes: [] };

/** @param contract whose storage the maps are in */
export function applyDiffs(
  index: ChainIndex,
  diffs: readonly RpcDiff[] | undefined,
  contract: string,
  at: Pick<BlockRow, "level" | "timestamp">,
): AppliedDiffs {
  if (diffs === undefined || diffs.length === 0) return NONE;
  const rows: DiffRow[] = [];
  const changes: KeyChange[] = [];
  const { level, timestamp } = at;
  for (const { kind, id, diff } of diffs) {
    const ptr = Number(id);
    if (kind !== "big_map") continue;
    const isTemporary = ptr < 0;
    if (isTemporary && diff.action !== "update") index.temporaryMaps.delete(ptr); // left from an earlier operation
    const map = mapOf(index, ptr, diff, contract, level);
    if (map === undefined) continue;
    const row = (action: DiffRow["action"], content?: DiffRow["content"]): void => {
      if (isTemporary) return; // temporary: it belongs to no contract
      const common = { bigmap: ptr, path: map.path, action, ...(content && { content }) };
      rows.push(common);
      index.addBigMapUpdate({
        id: index.nextId(),
        level,
        timestamp,
        bigmap: ptr,
        contract: map.contract,
        path: map.path,
        action,
        ...(content && { content }),
      });
      map.lastLevel = level;
      map.updates++;
    };
    if (diff.action === "remove") {
      map.active = false;
      row("remove");
      continue;
    }
    if (diff.action !== "update") row("allocate");
    const source = diff.action === "copy" ? mapAt(index, Number(diff.source)) : undefined;
    if (source !== undefined) copyKeys(index, source, map, level);
    for (const update of diff.updates ?? []) {
      const change = changeKey(index, map, update, level);
      if (change === undefined) continue;
      row(change.action, { hash: update.key_hash, key: change.key, value: change.shown });
      if (!isTemporary)
        changes.push({ bigMap: map, key: change.key, before: change.before, after: change.after });
    }
  }
  return { rows, changes };
}

function copyKeys(index: ChainIndex, source: BigMapState, map: BigMapState, level: number): void {
  const firstId = index.nextIds(source.keys.ranks);
  index.replaceKeys(map, source.keys.copy({ firstId, level, active: source.activeKeys }));
  map.activeKeys = source.activeKeys;
  map.hasForgotten = source.hasForgotten;
}

function mapOf(
  index: ChainIndex,
  ptr: number,
  diff: RpcDiff["diff"],
  contract: string,
  level: number,
): BigMapState | undefined {
  const known = mapAt(index, ptr);
  // A map found in a storage before its block was applied is created again by `alloc` or `copy`.
  if (known !== undefined && diff.action !== "alloc" && diff.action !== "copy") return known;
  const path = index.contracts.get(contract)?.paths.get(ptr) ?? known?.path ?? "big_map";
  const like = known ?? mapAt(index, Number(diff.source));
  // Share parsed types: an operation may create thousands of maps.
  const keyType = like?.keyType ?? (diff.key_type && humanType(diff.key_type));
  const valueType = like?.valueType ?? (diff.value_type && humanType(diff.value_type));
  if (keyType === undefined || valueType === undefined) return undefined;
  const map = newBigMap(ptr, contract, path, keyType, valueType, level);
  if (ptr < 0) index.temporaryMaps.set(ptr, map);
  else index.addBigMap(map);
  return map;
}

const mapAt = (index: ChainIndex, ptr: number): BigMapState | undefined =>
  (ptr < 0 ? index.temporaryMaps : index.bigMaps).get(ptr);

interface ChangedKey {
  readonly action: "add_key" | "update_key" | "remove_key";
  readonly key: ShownValue;
  readonly before: ShownValue | undefined;
  readonly after: ShownValue | undefined;
  /** The value that a row shows; the last one for a removed key. */
  readonly shown: ShownValue;
}

/** Undefined for the removal of a missing key. */
function changeKey(
  index: ChainIndex,
  map: BigMapState,
  { key_hash: hash, key: written, value }: RpcUpdate,
  level: number,
): ChangedKey | undefined {
  const known = map.keys.get(hash);
  const before = known?.active === true ? known.value : undefined;
  const key = known?.key ?? new ShownValue(map.keyType, written);
  const after = value === undefined ? undefined : new ShownValue(map.valueType, value);
  const shown = after ?? before;
  if (shown === undefined) return undefined;
  index.setKey(map, {
    id: known?.id ?? index.nextId(),
    active: after !== undefined,
    hash,
    key,
    value: shown,
    firstLevel: known?.firstLevel ?? level,
    lastLevel: level,
    updates: (known?.updates ?? 0) + 1,
  });
  if (before === undefined) map.activeKeys++;
  if (after === undefined) map.activeKeys--;
  const action = after === undefined ? "remove_key" : before === undefined ? "add_key" : "update_key";
  return { action, key, before, after, shown };
}
