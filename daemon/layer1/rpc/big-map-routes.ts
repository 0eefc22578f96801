// RPCs that read big maps: by id and key hash, all values, or by key through the contract that holds the map.
import { decodeBase58 } from "../../tezos/base58.ts";
import { toHex } from "../../tezos/hex.ts";
import { fieldsOf, michelineField } from "../../tezos/json-fields.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Chain } from "../chain/chain.ts";
import { unmetered } from "../michelson/gas.ts";
import { hashKey } from "../michelson/pack.ts";
import { readValue } from "../michelson/parse-value.ts";
import { parseScript } from "../michelson/script.ts";
import { parseType, sameType } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import { idsIn } from "../operations/lazy-storage.ts";
import { dataScope } from "../operations/read-data.ts";
import type { ContextReader } from "../state/context.ts";
import { blockOf, blockRoute, listRoute } from "./block-routes.ts";
import { BadQuery, type Call, NotFound, type Rpc } from "./rpc-server.ts";

const missing = (): never => {
  throw new NotFound();
};

const idOf = (text: string): bigint => (/^\d{1,18}$/.test(text) ? BigInt(text) : missing());

/** @throws BadQuery */
function naturalIn(query: Call["query"], name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new BadQuery(name, text, "a natural number");
  return Number(text);
}

/** @param hash hex */
function valueJson(context: ContextReader, id: bigint, hash: string): Micheline | undefined {
  const map = context.bigMap(id);
  const entry = map && context.bigMapEntry(id, hash);
  return entry && unparseValue(map.value, entry.value, "readable");
}

export function addBigMapRoutes(rpc: Rpc, chain: Chain): void {
  blockRoute(rpc, chain, "/context/big_maps/:id/:hash", (block, { params }) => {
    const id = idOf(params["id"]!);
    const hash = decodeBase58("scriptExpr", params["hash"]!) ?? missing();
    return valueJson(chain.contextAt(block), id, toHex(hash)) ?? missing();
  });

  listRoute(rpc, chain, "/context/big_maps/:id", function* (block, { params, query }) {
    const context = chain.contextAt(block);
    const id = idOf(params["id"]!);
    const map = context.bigMap(id) ?? missing();
    const offset = naturalIn(query, "offset") ?? 0;
    let left = naturalIn(query, "length") ?? Infinity;
    for (const entry of context.bigMapEntries(id).values(offset)) {
      if (left-- <= 0) return;
      yield unparseValue(map.value, entry.value, "readable");
    }
  });

  // Deprecated on real nodes, but still served there and used by old clients. Looks in the contract's first big map with
  // the key type of the request, and answers null when there is no such map or key.
  rpc.post("/chains/:chain/blocks/:block/context/contracts/:address/big_map_get", async (call) => {
    const block = blockOf(chain, call);
    const context = chain.contextAt(block);
    const contract = context.account(call.params["address"]!)?.contract ?? missing();
    const { key, type } = fieldsOf(call.body, "body");
    const keyType = parseType(michelineField(type, "type"));
    const scope = dataScope({
      context: chain.nextBlock.context,
      block: chain.nextBlock.frame,
      gas: unmetered(),
    });
    const written = michelineField(key, "key");
    const value = await chain.trials.tryOut(() => readValue(keyType, written, scope), call);
    const ids = idsIn(parseScript(contract.code).storage, contract.storage);
    const id = ids.find((candidate) => {
      const map = context.bigMap(candidate);
      return map !== undefined && sameType(map.key, keyType);
    });
    return id === undefined ? null : (valueJson(context, id, hashKey(keyType, value)) ?? null);
  });
}
