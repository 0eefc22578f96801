// What contracts tell of their tokens (TZIP-12, TZIP-21): the big map `token_metadata` maps a token's number to a record
// of that number and its properties, each in bytes. Documents elsewhere (ipfs, https) are not fetched.
import { isObject } from "../../tezos/json-fields.ts";
import { asApplication, asBytes, asNatural, asPair, asText } from "../../tezos/micheline-data.ts";
import { isSequence, type Micheline } from "../../tezos/micheline.ts";
import { type Json, putField } from "../human/human-value.ts";
import type { KeyChange } from "./apply-big-maps.ts";
import type { ChainIndex } from "./chain-index.ts";
import type { ContractState } from "./index-rows.ts";

/** Properties of a token, such as its `name`, `symbol` and `decimals`. */
export type TokenMetadata = Readonly<Record<string, Json>>;

/** Characters of the properties of one token; longer ones are left out. */
const MAX_CHARACTERS = 16_384;
/** Depth of a property that is JSON; a deeper one stays text. */
const MAX_DEPTH = 16;
/** Entries of a contract's own metadata among which a document is looked up. */
const MAX_ENTRIES = 100;
/** TZIP-16: a document in the big map `metadata` of the same contract. */
const IN_STORAGE = "tezos-storage:";

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the changes of `token_metadata`. */
export function applyTokenMetadata(
  index: ChainIndex,
  contract: ContractState,
  changes: readonly KeyChange[],
): void {
  for (const { bigMap, key, after } of changes) {
    if (!bigMap.tags.includes("token_metadata")) continue;
    const tokenId = asNatural(key.node);
    if (tokenId === undefined) continue;
    const properties = after && asPair(after.node)?.[1];
    const metadata = properties && metadataOf(index, contract, properties);
    index.setTokenMetadata(`${contract.address}/${tokenId}`, metadata);
  }
}

function metadataOf(
  index: ChainIndex,
  contract: ContractState,
  properties: Micheline,
): TokenMetadata | undefined {
  const texts = textsOf(properties);
  if (texts === undefined) return undefined;
  const metadata: Record<string, Json> = {};
  const document = texts.get("");
  if (document?.startsWith(IN_STORAGE))
    for (const [name, value] of Object.entries(
      storedDocument(index, contract, document.slice(IN_STORAGE.length)),
    ))
      putField(metadata, name, value);
  for (const [name, text] of texts) if (name !== "") putField(metadata, name, propertyOf(text));
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

/** A map of text to bytes, which hold text; undefined for other values and for too much text. */
function textsOf(properties: Micheline): ReadonlyMap<string, string> | undefined {
  if (!isSequence(properties)) return undefined;
  const texts = new Map<string, string>();
  let left = MAX_CHARACTERS;
  for (const element of properties) {
    const [key, value] = asApplication(element, "Elt") ?? [];
    const name = asText(key);
    const bytes = asBytes(value);
    if (name === undefined || bytes === undefined) return undefined;
    left -= name.length + bytes.length;
    if (left < 0) return undefined;
    texts.set(name, textOf(bytes));
  }
  return texts;
}

/** Text of bytes; hex of bytes that are no text. */
function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("hex");
  }
}

/** Lists and objects are written as JSON; everything else is text, also numbers. */
function propertyOf(text: string): Json {
  const parsed = /^\s*[[{]/.test(text) ? jsonOf(text) : undefined;
  return parsed ?? text;
}

/** A JSON document in the contract's own metadata; empty when there is none. */
function storedDocument(
  index: ChainIndex,
  contract: ContractState,
  encodedKey: string,
): { readonly [name: string]: Json } {
  const document = contractMetadata(index, contract, decodeText(encodedKey));
  const parsed = document && document.length <= MAX_CHARACTERS ? jsonOf(textOf(document)) : undefined;
  return isObject(parsed) ? parsed : {};
}

function contractMetadata(index: ChainIndex, contract: ContractState, name: string): Uint8Array | undefined {
  for (const [id] of contract.paths) {
    const map = index.bigMaps.get(id);
    if (!map?.tags.includes("metadata")) continue;
    let left = MAX_ENTRIES;
    for (const { key, value, active } of map.keys.values()) {
      if (--left < 0) break;
      if (active && asText(key.node) === name) return asBytes(value.node);
    }
  }
  return undefined;
}

function decodeText(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function jsonOf(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isShallow(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isShallow = (value: Json, depth: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1)));
