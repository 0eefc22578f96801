// Accounts: what layer 1 says of them now, with what the index knows of their past.
import { stringifyExact } from "../../protocol/exact-json.ts";
import { isOriginated } from "../../tezos/address.ts";
import { isObject } from "../../tezos/json-fields.ts";
import { kindOf } from "../chain/apply-block.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { ContractState } from "../chain/index-rows.ts";
import { addressParam } from "./addresses.ts";
import type { Asked, Route } from "./route.ts";

const HEAD = "/chains/main/blocks/head/context";

const mutez = (text: unknown): bigint =>
  typeof text === "string" && /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;

const balanceOf = async ({ layer1 }: Pick<Asked, "layer1">, address: string): Promise<bigint> =>
  mutez(await layer1(`${HEAD}/contracts/${address}/balance`));

/** How many operations of a type an account took part in. */
function counts(index: ChainIndex, address: string): (type: string) => number {
  const known = index.accounts.get(address)?.counts;
  return (type) => known?.get(type) ?? 0;
}

function activity(index: ChainIndex, address: string): object {
  const known = index.accounts.get(address);
  return {
    firstActivity: known?.firstActivity ?? index.head?.level ?? 0,
    firstActivityTime: known?.firstActivityTime ?? index.head?.timestamp ?? null,
    lastActivity: known?.lastActivity ?? index.head?.level ?? 0,
    lastActivityTime: known?.lastActivityTime ?? index.head?.timestamp ?? null,
  };
}

function tokenCounts(index: ChainIndex, address: string): object {
  let balances = 0;
  let active = 0;
  let transfers = 0;
  for (const { account, balance, transfersCount } of index.balances.values()) {
    if (account.address !== address) continue;
    balances++;
    if (balance > 0n) active++;
    transfers += transfersCount;
  }
  return { activeTokensCount: active, tokenBalancesCount: balances, tokenTransfersCount: transfers };
}

function ofOperations(index: ChainIndex, address: string): object {
  const count = counts(index, address);
  let contracts = 0;
  for (const { creator } of index.contracts.values()) if (creator?.address === address) contracts++;
  return {
    numContracts: contracts,
    ...tokenCounts(index, address),
    numDelegations: count("delegation"),
    numOriginations: count("origination"),
    numTransactions: count("transaction"),
    numReveals: count("reveal"),
    numMigrations: 0,
    transferTicketCount: count("transfer_ticket"),
    increasePaidStorageCount: count("increase_paid_storage"),
  };
}

async function userText(asked: Asked, address: string): Promise<string> {
  const { index, layer1 } = asked;
  const [found, key, delegate] = await Promise.all([
    layer1(`${HEAD}/contracts/${address}`),
    layer1(`${HEAD}/contracts/${address}/manager_key`),
    layer1(`${HEAD}/delegates/${address}`),
  ]);
  const known = index.accounts.get(address);
  const balance = mutez(isObject(found) ? found["balance"] : undefined);
  const counter = Number(isObject(found) ? (found["counter"] ?? 0) : 0);
  if (known === undefined && balance === 0n && typeof key !== "string")
    return JSON.stringify({ type: "empty", address, counter });
  const isDelegate = isObject(delegate);
  const to = isObject(found) ? found["delegate"] : undefined;
  return stringifyExact({
    type: isDelegate ? "delegate" : "user",
    id: known?.id ?? 0,
    address,
    ...(isDelegate && { active: delegate["deactivated"] !== true }),
    publicKey: typeof key === "string" ? key : null,
    revealed: typeof key === "string",
    balance,
    rollupBonds: 0,
    smartRollupBonds: 0,
    stakedBalance: isDelegate ? mutez(delegate["own_staked"]) : 0,
    unstakedBalance: 0,
    counter,
    ...(!isDelegate && typeof to === "string" && { delegate: { address: to, active: true } }),
    ...(isDelegate && { stakingBalance: mutez(delegate["staking_balance"]) }),
    ...ofOperations(index, address),
    numActivations: 0,
    numRegisterConstants: counts(index, address)("register_constant"),
    smartRollupAddMessagesCount: counts(index, address)("sr_add_messages"),
    smartRollupOriginateCount: counts(index, address)("sr_originate"),
    ...activity(index, address),
  });
}

/** A contract as `contracts/{address}` and `accounts/{address}` tell it. */
export function contractRow(index: ChainIndex, contract: ContractState, balance: bigint): object {
  const { address, script, creator } = contract;
  let events = 0;
  for (const event of index.events) if (event.contract.address === address) events++;
  let tokens = 0;
  for (const token of index.tokens.values()) if (token.contract.address === address) tokens++;
  const known = index.accounts.get(address);
  return {
    id: contract.id,
    type: "contract",
    address,
    kind: kindOf(contract),
    ...(script.tzips.length > 0 && { tzips: script.tzips }),
    balance,
    creator,
    tokensCount: tokens,
    ...ofOperations(index, address),
    eventsCount: events,
    firstActivity: contract.firstLevel,
    firstActivityTime: contract.firstTime,
    lastActivity: known?.lastActivity ?? contract.firstLevel,
    lastActivityTime: known?.lastActivityTime ?? contract.firstTime,
    typeHash: contract.typeHash,
    codeHash: contract.codeHash,
  };
}

async function accountText(asked: Asked): Promise<string> {
  const { index, params } = asked;
  const address = addressParam(params["address"]!);
  const contract = index.contracts.get(address);
  if (contract) return stringifyExact(contractRow(index, contract, await balanceOf(asked, address)));
  if (address.startsWith("sr1"))
    return stringifyExact({ type: "smart_rollup", address, ...activity(index, address) });
  if (isOriginated(address)) return JSON.stringify({ type: "empty", address, counter: 0 });
  return userText(asked, address);
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  { path: "accounts/:address", answer: accountText },
  {
    path: "accounts/:address/balance",
    answer: async (asked) => String(await balanceOf(asked, addressParam(asked.params["address"]!))),
  },
  {
    path: "accounts/:address/counter",
    answer: async ({ params, layer1 }) => {
      const counter = await layer1(`${HEAD}/contracts/${addressParam(params["address"]!)}/counter`);
      return String(mutez(counter));
    },
  },
  {
    path: "accounts/:address/contracts",
    answer: ({ index, params }) => {
      const address = addressParam(params["address"]!);
      const own = [...index.contracts.values()].filter(({ creator }) => creator?.address === address);
      return stringifyExact(
        own.map((contract) => ({
          kind: kindOf(contract),
          address: contract.address,
          creationLevel: contract.firstLevel,
          creationTime: contract.firstTime,
        })),
      );
    },
  },
];
