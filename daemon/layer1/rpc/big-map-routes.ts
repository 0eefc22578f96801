// RPCs that read big maps: by id and key hash, all values, or by key through the contract that holds the map.
import { decodeBase58 } from "../../tezos/base58.ts";
import { toHex } from "../../tezos/hex.ts";
import { fieldsOf, michelineField } from "../../tezos/json-fields.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { hashKey } from "../michelson/pack.ts";
import { parseType } from "../michelson/parse-type.ts";
import { readValue } from "../michelson/parse-value.ts";
import { parseStorageType } from "../michelson/script.ts";
import { type Type, sameType } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { idsIn } from "../operations/lazy-storage.ts";
import { dataScope } from "../operations/read-data.ts";
import type { ContextReader } from "../state/context.ts";
import { blockOf, blockRoute, inTurns, listRoute } from "./block-routes.ts";
import { throwNotFound } from "./path-values.ts";
import { BadQuery, type Call, type Rpc } from "./rpc-server.ts";

const idOf = (text: string): bigint => (/^\d{1,18}$/.test(text) ? BigInt(text) : throwNotFound());

/** @throws BadQuery */
function naturalIn(query: Call["query"], name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new BadQuery(name, text, "a natural number");
  return Number(text);
}

/** @param hash hex */
function* valueJson(context: ContextReader, id: bigint, hash: string): Job<Micheline | undefined> {
  const map = context.bigMap(id);
  const entry = map && context.bigMapEntry(id, hash);
  return entry && (yield* unparseWithRests(map.value, entry.value, "readable"));
}

/** An item of a list, with rests before it. */
function* writtenItem(t: Type, value: Value): Generator<Micheline | undefined, void> {
  const writing = unparseWithRests(t, value, "readable");
  for (let step = writing.next(); ; step = writing.next()) {
    yield step.done ? step.value : undefined;
    if (step.done) return;
  }
}

export function addBigMapRoutes(rpc: Rpc, chain: Chain): void {
  blockRoute(rpc, chain, "/context/big_maps/:id/:hash", (block, call) => {
    const id = idOf(call.params["id"]!);
    const hash = decodeBase58("scriptExpr", call.params["hash"]!) ?? throwNotFound();
    function* value(): Job<Micheline> {
      return (yield* valueJson(chain.contextAt(block), id, toHex(hash))) ?? throwNotFound();
    }
    return inTurns(chain, value, call);
  });

  listRoute(rpc, chain, "/context/big_maps/:id", function* (block, { params, query }) {
    const context = chain.contextAt(block);
    const id = idOf(params["id"]!);
    const map = context.bigMap(id) ?? throwNotFound();
    const offset = naturalIn(query, "offset") ?? 0;
    let left = naturalIn(query, "length") ?? Infinity;
    for (const entry of context.bigMapEntries(id).values(offset)) {
      if (left-- <= 0) return;
      yield* writtenItem(map.value, entry.value);
    }
  });

  // Deprecated on real nodes, but still served there and used by old clients. Looks in the contract's first big map with
  // the key type of the request, and answers null when there is no such map or key.
  rpc.post("/chains/:chain/blocks/:block/context/contracts/:address/big_map_get", (call) => {
    const block = blockOf(chain, call);
    const context = chain.contextAt(block);
    const contract = context.account(call.params["address"]!)?.contract ?? throwNotFound();
    const { key, type } = fieldsOf(call.body, "body");
    const keyType = parseType(michelineField(type, "type"));
    const scope = dataScope({
      context: chain.nextBlock.context,
      block: chain.nextBlock.frame,
      gas: noGasLimit(),
    });
    const written = michelineField(key, "key");
    const ids = idsIn(parseStorageType(contract.code), contract.storage);
    const id = ids.find((candidate) => {
      const map = context.bigMap(candidate);
      return map !== undefined && sameType(map.key, keyType);
    });
    return chain.trials.tryOut(function* () {
      const value = yield* readValue(keyType, written, scope);
      return id === undefined ? null : ((yield* valueJson(context, id, hashKey(keyType, value))) ?? null);
    }, call);
  });
}
