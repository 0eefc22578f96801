// Token balances, from the changes of a ledger in an FA1.2 or FA2 contract. The name of the call does not matter: amounts
// that left one holder went to another, and unmatched gains were minted.
import { isAddress } from "../../tezos/address.ts";
import { asNatural } from "../../tezos/micheline-data.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { HumanType } from "../human/human-type.ts";
import { humanValue, pairFields } from "../human/human-value.ts";
import { UNMETERED } from "../human/meter.ts";
import type { KeyChange } from "./apply-big-maps.ts";
import type { ChainIndex } from "./chain-index.ts";
import type { BlockRow, ContractState, TokenBalanceState, TokenState } from "./index-rows.ts";
import type { ShownValue } from "./shown-value.ts";

/** The operation that caused a transfer. */
export interface TokenCause {
  readonly transactionId?: number;
  readonly originationId?: number;
}

interface Delta {
  readonly account: string;
  readonly tokenId: string;
  readonly change: bigint;
}

/** @returns the number of transfers */
export function applyTokens(
  index: ChainIndex,
  contract: ContractState,
  changes: readonly KeyChange[],
  at: Pick<BlockRow, "level" | "timestamp">,
  cause: TokenCause,
): number {
  const [tzip] = contract.script.tzips;
  if (tzip === undefined) return 0;
  const standard = tzip === "fa2" ? "fa2" : "fa1.2";
  const byToken = new Map<string, Map<string, bigint>>();
  for (const change of changes)
    for (const { account, tokenId, change: amount } of deltasOf(change)) {
      const accounts = byToken.get(tokenId) ?? new Map<string, bigint>();
      accounts.set(account, (accounts.get(account) ?? 0n) + amount);
      byToken.set(tokenId, accounts);
    }
  let count = 0;
  for (const [tokenId, accounts] of byToken) {
    const losses = [...accounts]
      .filter(([, change]) => change < 0n)
      .map(([account, change]) => ({ account, left: -change }));
    const gains = [...accounts]
      .filter(([, change]) => change > 0n)
      .map(([account, left]) => ({ account, left }));
    for (const moved of pairMoves(losses, gains)) {
      move(index, contract.address, tokenId, standard, moved, at, cause);
      count++;
    }
  }
  return count;
}

interface Moved {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly amount: bigint;
}

/** Pairs losses with gains in order; the remainder was minted or burned. */
function* pairMoves(
  losses: { readonly account: string; left: bigint }[],
  gains: { readonly account: string; left: bigint }[],
): Generator<Moved> {
  let at = 0;
  for (const gain of gains) {
    while (gain.left > 0n && at < losses.length) {
      const loss = losses[at]!;
      const amount = loss.left < gain.left ? loss.left : gain.left;
      yield { from: loss.account, to: gain.account, amount };
      gain.left -= amount;
      loss.left -= amount;
      if (loss.left === 0n) at++;
    }
    if (gain.left > 0n) yield { from: undefined, to: gain.account, amount: gain.left };
  }
  for (const loss of losses.slice(at))
    if (loss.left > 0n) yield { from: loss.account, to: undefined, amount: loss.left };
}

/** Reads the known ledger layouts: holder to amount, holder and token to amount, token to holder. */
function deltasOf({ bigMap, key, before, after }: KeyChange): readonly Delta[] {
  if (!bigMap.tags.includes("ledger")) return [];
  const { keyType, valueType } = bigMap;
  if (keyType.prim === "nat" && valueType.prim === "address") {
    const tokenId = asNatural(key.node);
    if (tokenId === undefined) return [];
    const one = (value: ShownValue | undefined, change: bigint): readonly Delta[] => {
      const account = value && accountOf(valueType, value.node);
      return account === undefined ? [] : [{ account, tokenId: String(tokenId), change }];
    };
    return [...one(before, -1n), ...one(after, 1n)];
  }
  // A set of addresses without token ids is not a ledger.
  if (valueType.prim === "unit" && keyType.prim !== "pair") return [];
  const holder = holderOf(keyType, key.node);
  if (holder === undefined) return [];
  const change = amountOf(valueType, after?.node) - amountOf(valueType, before?.node);
  return change === 0n ? [] : [{ ...holder, change }];
}

function accountOf(type: HumanType, node: Micheline): string | undefined {
  const text = humanValue(type, node, UNMETERED);
  return typeof text === "string" && isAddress(text) ? text : undefined;
}

/** Holder and token of an entry. Fields are identified by type, since annotations may be anything, even numbers. */
function holderOf(type: HumanType, key: Micheline): Omit<Delta, "change"> | undefined {
  if (type.prim === "address") {
    const account = accountOf(type, key);
    return account === undefined ? undefined : { account, tokenId: "0" };
  }
  if (type.prim !== "pair" || type.fields.length !== 2) return undefined;
  const at = type.fields.findIndex(({ type: { prim } }) => prim === "address");
  const parts = pairFields(type, key);
  if (at < 0 || type.fields[1 - at]!.type.prim !== "nat" || parts === undefined) return undefined;
  const account = accountOf(type.fields[at]!.type, parts[at]!);
  const tokenId = asNatural(parts[1 - at]);
  return account === undefined || tokenId === undefined ? undefined : { account, tokenId: String(tokenId) };
}

/**
 * The amount in an entry: its value, or the first number of a record, which is where FA1.2 keeps it beside allowances. A
 * unit value means one.
 */
function amountOf(type: HumanType, value: Micheline | undefined): bigint {
  if (value === undefined) return 0n;
  if (type.prim === "unit") return 1n;
  if (type.prim === "nat") return asNatural(value) ?? 0n;
  if (type.prim !== "pair") return 0n;
  const { fields } = type;
  const named = fields.findIndex(({ name, type: { prim } }) => prim === "nat" && name === "balance");
  const at = named >= 0 ? named : fields.findIndex(({ type: { prim } }) => prim === "nat");
  return at < 0 ? 0n : (asNatural(pairFields(type, value)?.[at]) ?? 0n);
}

function move(
  index: ChainIndex,
  contract: string,
  tokenId: string,
  standard: string,
  { from, to, amount }: Moved,
  { level, timestamp }: Pick<BlockRow, "level" | "timestamp">,
  cause: TokenCause,
): void {
  const key = `${contract}/${tokenId}`;
  let token: TokenState | undefined = index.tokens.get(key);
  if (token === undefined) {
    token = {
      id: index.nextId(),
      contract: { address: contract },
      tokenId,
      standard,
      firstMinter: { address: to ?? from ?? contract },
      firstLevel: level,
      firstTime: timestamp,
      lastLevel: level,
      lastTime: timestamp,
      transfersCount: 0,
      balancesCount: 0,
      holdersCount: 0,
      totalMinted: 0n,
      totalBurned: 0n,
    };
    index.addToken(key, token);
  }
  token.transfersCount++;
  token.lastLevel = level;
  token.lastTime = timestamp;
  index.supply(token, {
    minted: from === undefined ? amount : 0n,
    burned: to === undefined ? amount : 0n,
  });
  for (const [account, change] of [
    [from, -amount],
    [to, amount],
  ] as const)
    if (account !== undefined) balanceOf(index, account, key, token, level, timestamp, change);
  index.addTransfer({
    id: index.nextId(),
    level,
    timestamp,
    token,
    ...(from !== undefined && { from: { address: from } }),
    ...(to !== undefined && { to: { address: to } }),
    amount,
    ...cause,
  });
}

function balanceOf(
  index: ChainIndex,
  account: string,
  tokenKey: string,
  token: TokenState,
  level: number,
  timestamp: string,
  change: bigint,
): void {
  const key = `${account}/${tokenKey}`;
  let held: TokenBalanceState | undefined = index.balances.get(key);
  if (held === undefined) {
    held = {
      id: index.nextId(),
      account: { address: account },
      token,
      balance: 0n,
      transfersCount: 0,
      firstLevel: level,
      firstTime: timestamp,
      lastLevel: level,
      lastTime: timestamp,
    };
    index.addBalance(key, held);
    token.balancesCount++;
  }
  if (held.balance === 0n && change > 0n) token.holdersCount++;
  // The balance from before the indexed blocks is unknown.
  index.setBalance(held, held.balance + change < 0n ? 0n : held.balance + change);
  if (held.balance === 0n && change < 0n) token.holdersCount--;
  held.transfersCount++;
  held.lastLevel = level;
  held.lastTime = timestamp;
}
