// What becomes of the big maps of a value that is stored or handed on. Receipts show it, and the chain writes it.
// Source: Octez, `lazy_storage_diff.ml`.
import type { Micheline } from "../../tezos/micheline.ts";
import { scriptExpr } from "./pack.ts";
import { type Type, plainType } from "./type.ts";
import type { Value } from "./value.ts";

export interface BigMapUpdate {
  /** Script_expr hash of the key. */
  readonly hash: string;
  readonly key: Value;
  /** Undefined removes the key. */
  readonly value: Value | undefined;
  /** Key and value in stored form. */
  readonly writtenKey: Micheline;
  readonly written: Micheline | undefined;
}

/** Where a big map comes from: it was there, it is a copy of another one, or it is new. */
export type BigMapOrigin =
  | { readonly action: "update" }
  | { readonly action: "copy"; readonly source: bigint }
  | { readonly action: "alloc"; readonly keyType: Type; readonly valueType: Type };

/** Ids below zero belong to the arguments of emitted operations: such a big map ends with the operation. */
export type BigMapDiff = { readonly id: bigint } & (
  | { readonly action: "remove" }
  | (BigMapOrigin & {
      /** In the order of the hashes. */
      readonly updates: readonly BigMapUpdate[];
    })
);

/** A diff as receipts show it. */
export const bigMapDiffJson = (diff: BigMapDiff): object => ({
  kind: "big_map",
  id: diff.id.toString(),
  diff: changeJson(diff),
});

function changeJson(diff: BigMapDiff): object {
  const { action } = diff;
  if (action === "remove") return { action };
  const updates = diff.updates.map(({ hash, writtenKey, written }) => ({
    key_hash: scriptExpr(hash),
    key: writtenKey,
    ...(written && { value: written }),
  }));
  switch (action) {
    case "update":
      return { action, updates };
    case "copy":
      return { action, source: diff.source.toString(), updates };
    case "alloc":
      return {
        action,
        updates,
        key_type: plainType(diff.keyType),
        value_type: plainType(diff.valueType),
      };
  }
}
