// Accounts: their current state from layer 1, their past from the index.
import { stringifyExact } from "../../protocol/exact-json.ts";
import { isOriginated } from "../../tezos/address.ts";
import { isObject } from "../../tezos/json-fields.ts";
import { kindOf } from "../chain/apply-block.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { ContractState } from "../chain/index-rows.ts";
import { addressParam } from "./addresses.ts";
import { type QueryRequest, type Route, writeValue } from "./route.ts";
import { type Tally, talliesOf } from "./tallies.ts";

const HEAD = "/chains/main/blocks/head/context";

const mutez = (text: unknown): bigint =>
  typeof text === "string" && /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;

const balanceOf = async ({ layer1 }: Pick<QueryRequest, "layer1">, address: string): Promise<bigint> =>
  mutez(await layer1(`${HEAD}/contracts/${address}/balance`));

/** Counts the operations of a type that involve an account. */
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

function ofOperations(index: ChainIndex, address: string, tally: Tally): object {
  const count = counts(index, address);
  return {
    numContracts: tally.contracts,
    activeTokensCount: tally.activeBalances,
    tokenBalancesCount: tally.balances,
    tokenTransfersCount: tally.tokenTransfers,
    numDelegations: count("delegation"),
    numOriginations: count("origination"),
    numTransactions: count("transaction"),
    numReveals: count("reveal"),
    numMigrations: 0,
    transferTicketCount: count("transfer_ticket"),
    increasePaidStorageCount: count("increase_paid_storage"),
  };
}

async function userText(request: QueryRequest, address: string): Promise<string> {
  const { index, layer1 } = request;
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
  const tallies = await talliesOf(index, [address], request.work);
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
    ...ofOperations(index, address, tallies(address)),
    numActivations: 0,
    numRegisterConstants: counts(index, address)("register_constant"),
    smartRollupAddMessagesCount: counts(index, address)("sr_add_messages"),
    smartRollupOriginateCount: counts(index, address)("sr_originate"),
    ...activity(index, address),
  });
}

/** A contract as `contracts/{address}` and `accounts/{address}` return it. */
export function contractRow(
  index: ChainIndex,
  contract: ContractState,
  balance: bigint,
  tally: Tally,
): object {
  const { address, script, creator } = contract;
  const known = index.accounts.get(address);
  return {
    id: contract.id,
    type: "contract",
    address,
    kind: kindOf(contract),
    ...(script.tzips.length > 0 && { tzips: script.tzips }),
    balance,
    creator,
    tokensCount: tally.tokens,
    ...ofOperations(index, address, tally),
    eventsCount: tally.events,
    firstActivity: contract.firstLevel,
    firstActivityTime: contract.firstTime,
    lastActivity: known?.lastActivity ?? contract.firstLevel,
    lastActivityTime: known?.lastActivityTime ?? contract.firstTime,
    typeHash: contract.typeHash,
    codeHash: contract.codeHash,
  };
}

/** @throws SandboxError QUERY_TOO_SLOW */
export async function contractText(request: QueryRequest, contract: ContractState): Promise<string> {
  const { address } = contract;
  const balance = await balanceOf(request, address);
  const tallies = await talliesOf(request.index, [address], request.work);
  return stringifyExact(contractRow(request.index, contract, balance, tallies(address)));
}

async function accountText(request: QueryRequest): Promise<string> {
  const { index, params } = request;
  const address = addressParam(params["address"]!);
  const contract = index.contracts.get(address);
  if (contract) return contractText(request, contract);
  if (address.startsWith("sr1"))
    return stringifyExact({ type: "smart_rollup", address, ...activity(index, address) });
  if (isOriginated(address)) return JSON.stringify({ type: "empty", address, counter: 0 });
  return userText(request, address);
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  { path: "accounts/:address", answer: accountText },
  {
    path: "accounts/:address/balance",
    answer: async (request) => String(await balanceOf(request, addressParam(request.params["address"]!))),
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
    answer: (request) => {
      const address = addressParam(request.params["address"]!);
      const own = [...request.index.contracts.values()].filter(({ creator }) => creator?.address === address);
      return writeValue(
        request,
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
