// The subscriptions, and which rows of a block each selects. Names and parameters are those of TzKT's hub.
import { isAddress } from "../../tezos/address.ts";
import { isObject } from "../../tezos/json-fields.ts";
import { eventRow } from "../answers/events.ts";
import { concerns } from "../answers/operations.ts";
import { shownBalance, transferRow } from "../answers/tokens.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { BlockRow, TokenBalanceState, TokenTransferRow } from "../chain/index-rows.ts";

/** Selects the rows of a block for a subscription, or one value; undefined for none. @param head the head at this block */
export type Choose = (index: ChainIndex, block: BlockRow, head: object) => unknown;

export interface Subscription {
  readonly channel: string;
  /** Equal for equal subscriptions. */
  readonly key: string;
  readonly choose: Choose;
}

/** An invalid subscription; the message goes to the client. */
export class Unsubscribable extends Error {}

/** @throws Unsubscribable */
export function subscriptionTo(method: string, parameters: unknown): Subscription {
  const make = Object.hasOwn(METHODS, method) ? METHODS[method]! : undefined;
  if (make === undefined) throw new Unsubscribable(`Unknown method ${method.slice(0, 60)}`);
  const given = parametersOf(parameters);
  return {
    ...make(given),
    key: `${method} ${JSON.stringify([...given].sort(([one], [other]) => (one < other ? -1 : 1)))}`,
  };
}

type Parameters = ReadonlyMap<string, string | readonly string[]>;

/** Names in any case, values as text, as in TzKT. @throws Unsubscribable */
function parametersOf(given: unknown): Parameters {
  const found = new Map<string, string | readonly string[]>();
  if (given === undefined || given === null) return found;
  if (!isObject(given)) throw new Unsubscribable("Parameters must be an object");
  for (const [name, value] of Object.entries(given)) {
    if (value === null || found.size >= 16) continue;
    const list = Array.isArray(value) ? value : [value];
    const texts = list.slice(0, 64).map((each) => (typeof each === "number" ? String(each) : each));
    if (!texts.every((each) => typeof each === "string" && each.length <= 1_024))
      throw new Unsubscribable(`Invalid ${name.slice(0, 60)}`);
    found.set(name.toLowerCase(), Array.isArray(value) ? (texts as string[]) : (texts[0] as string));
  }
  return found;
}

/** @throws Unsubscribable */
function addressIn(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !isAddress(value)) throw new Unsubscribable(`Invalid ${name}`);
  return value;
}

function textIn(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  return value === undefined ? undefined : String(value);
}

const listOrNothing = (rows: readonly unknown[]): unknown => (rows.length === 0 ? undefined : rows);

/** Rows of a block, which must be the last one. */
function ofBlock<Row extends { readonly level: number }>(
  rows: { newestFirst(): Iterable<Row> },
  level: number,
  accept: (row: Row) => boolean,
): Row[] {
  const found: Row[] = [];
  for (const row of rows.newestFirst()) {
    if (row.level < level) break;
    if (row.level === level && accept(row)) found.push(row);
  }
  return found.reverse();
}

const METHODS: Readonly<Record<string, (parameters: Parameters) => Omit<Subscription, "key">>> = {
  SubscribeToHead: () => ({ channel: "head", choose: (_index, _block, head) => head }),
  SubscribeToBlocks: () => ({ channel: "blocks", choose: (_index, block) => [block] }),
  SubscribeToOperations: (parameters) => {
    const address = addressIn(parameters, "address");
    const types = new Set(
      (textIn(parameters, "types") ?? "transaction").split(",").map((type) => type.trim()),
    );
    const code = textIn(parameters, "codehash");
    return {
      channel: "operations",
      choose: (index, { level }) =>
        listOrNothing(
          ofBlock(
            index.operations,
            level,
            (row) =>
              types.has(row.type) &&
              (address === undefined || concerns(row, address)) &&
              (code === undefined ||
                [row["senderCodeHash"], row["targetCodeHash"]].map(String).includes(code)),
          ),
        ),
    };
  },
  SubscribeToBigMaps: (parameters) => {
    const contract = addressIn(parameters, "contract");
    const ptr = textIn(parameters, "ptr");
    const path = textIn(parameters, "path");
    const tags = parameters.get("tags");
    const wanted = typeof tags === "string" ? [tags] : (tags ?? []);
    return {
      channel: "bigmaps",
      choose: (index, { level }) =>
        listOrNothing(
          ofBlock(
            index.bigMapUpdates,
            level,
            (row) =>
              (contract === undefined || row.contract.address === contract) &&
              (ptr === undefined || String(row.bigmap) === ptr) &&
              (path === undefined || row.path === path) &&
              (wanted.length === 0 ||
                wanted.some((tag) => index.bigMaps.get(row.bigmap)?.tags.includes(tag))),
          ),
        ),
    };
  },
  SubscribeToEvents: (parameters) => {
    const contract = addressIn(parameters, "contract");
    const tag = textIn(parameters, "tag");
    const accept = (row: { contract: { address: string }; tag: string | null }): boolean =>
      (contract === undefined || row.contract.address === contract) && (tag === undefined || row.tag === tag);
    return {
      channel: "events",
      choose: (index, { level }) => listOrNothing(ofBlock(index.events, level, accept).map(eventRow)),
    };
  },
  SubscribeToTokenTransfers: (parameters) => {
    const accept = tokenFilter(parameters);
    return {
      channel: "transfers",
      choose: (index, { level }) => listOrNothing(ofBlock(index.transfers, level, accept).map(transferRow)),
    };
  },
  SubscribeToTokenBalances: (parameters) => {
    const accept = tokenFilter(parameters);
    return {
      channel: "token_balances",
      choose: (index, { level }) => {
        const changed = new Set<TokenBalanceState>();
        for (const { from, to, token } of ofBlock(index.transfers, level, accept))
          for (const party of [from, to]) {
            const held =
              party && index.balances.get(`${party.address}/${token.contract.address}/${token.tokenId}`);
            if (held) changed.add(held);
          }
        return listOrNothing([...changed].map(shownBalance));
      },
    };
  },
};

function tokenFilter(parameters: Parameters): (row: TokenTransferRow) => boolean {
  const account = addressIn(parameters, "account");
  const contract = addressIn(parameters, "contract");
  const tokenId = textIn(parameters, "tokenid");
  return ({ from, to, token }) =>
    (account === undefined || from?.address === account || to?.address === account) &&
    (contract === undefined || token.contract.address === contract) &&
    (tokenId === undefined || token.tokenId === tokenId);
}
