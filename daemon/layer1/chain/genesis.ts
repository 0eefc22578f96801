// State of a fresh chain: funded accounts and the contracts of the bridge.
import { BOOTSTRAP_ACCOUNTS, ROLLUP_OPERATOR } from "../../protocol/constants.ts";
import type { Address } from "../../tezos/address.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { mutez, mutezOf } from "../../tezos/mutez.ts";
import type { DataScope } from "../michelson/data-scope.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { parseScript } from "../michelson/script.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import { listDelegates } from "../operations/voting-power.ts";
import { type Account, type Contract, writeContext } from "../state/context.ts";
import { Layer, type Store } from "../state/store.ts";
import { stateWeight } from "../state/weight.ts";
import { GENESIS_CONTRACTS, genesisContract } from "./bridge-scripts.ts";

/** An account that exists and is revealed at genesis. `balance` is mutez, decimal. */
export interface BootstrapAccount {
  readonly address: Address;
  readonly publicKey: string;
  readonly balance: string;
}

const OPERATOR_BALANCE = mutez(100_000_000_000n);
const CONTRACT_BALANCE = mutez(1_000_000n);

/** The nominal bakers with their stakes, as in the sandboxes that come with Octez: bootstrap1 to bootstrap5. */
const BAKERS = BOOTSTRAP_ACCOUNTS.slice(1).map(({ address }) => address);
const BAKER_POWER = 4_000_000_000_000n;
/** Stake of each of them that is also an account of the chain, in addition to its balance. */
const BAKER_STAKE = mutez(200_000_000_000n);

const noContracts: DataScope = {
  gas: noGasLimit(),
  compileLambda: () => {
    throw new TypeError("the genesis contracts hold no lambdas");
  },
  hasEntrypoint: () => false,
  bigMapTypes: () => undefined,
  allowTickets: false,
  allowBigMapIds: false,
};

/** Writes the initial state, that of level 1. */
export function writeGenesis(store: Store, accounts: readonly BootstrapAccount[]): void {
  const layer = new Layer(store);
  const context = writeContext(layer);
  context.setAccount(ROLLUP_OPERATOR.address, {
    balance: OPERATOR_BALANCE,
    counter: 0n,
    key: ROLLUP_OPERATOR.publicKey,
  });
  for (const { address, publicKey, balance } of accounts) {
    const baker = BAKERS.includes(address) && { delegate: address, stake: BAKER_STAKE };
    context.setAccount(address, { balance: mutezOf(balance), counter: 0n, key: publicKey, ...baker });
  }
  listDelegates(context, new Map(BAKERS.map((address) => [address, BAKER_POWER])));
  for (const address of GENESIS_CONTRACTS) context.setAccount(address, lazyContract(address));
  store.commit(1, layer.writes);
}

/** Bytes of memory that an account with one of these contracts takes, about. */
const CONTRACT_ACCOUNT_BYTES = 14_000;

/** The account of a contract whose script is parsed on first access, so that the start need not wait for it. */
export function lazyContract(address: string): Account {
  let contract: Contract | undefined;
  const account = {
    balance: CONTRACT_BALANCE,
    counter: 0n,
    get contract() {
      return (contract ??= readContract(address));
    },
  };
  stateWeight(account, CONTRACT_ACCOUNT_BYTES);
  return account;
}

function readContract(address: string): Contract {
  const { code, storage } = genesisContract(address);
  const script = parseScript(code);
  const value = parseValue(script.storage, storage, noContracts);
  const storageBytes = encodedLength(unparseValue(script.storage, value, "optimized"));
  const used = script.size + 4 + storageBytes;
  const codeBytes = script.size - 4;
  return { code, storage: value, bigMapBytes: 0, codeBytes, storageBytes, isCached: true, used, paid: used };
}
