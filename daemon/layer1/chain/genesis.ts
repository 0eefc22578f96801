// State of a fresh chain: funded accounts and the contracts of the bridge.
import { ROLLUP_OPERATOR } from "../../protocol/constants.ts";
import { parseScript } from "../michelson/script.ts";
import { parseValue } from "../michelson/parse-value.ts";
import type { DataScope } from "../michelson/parse-value.ts";
import { encodeMicheline } from "../michelson/micheline-binary.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import { genesisContracts } from "./bridge-scripts.ts";
import { writeContext } from "./context.ts";
import { Layer, type Store } from "./store.ts";

/** An account that exists from the start, revealed. `balance` is mutez, decimal. */
export interface BootstrapAccount {
  readonly address: string;
  readonly publicKey: string;
  readonly balance: string;
}

const OPERATOR_BALANCE = 100_000_000_000n;
const CONTRACT_BALANCE = 1_000_000n;

const noContracts: DataScope = {
  compileLambda: () => {
    throw new TypeError("the first contracts hold no lambdas");
  },
  hasEntrypoint: () => false,
  hasBigMap: () => false,
  allowTickets: false,
};

/** Writes the first state, that of level 1. */
export function writeGenesis(store: Store, accounts: readonly BootstrapAccount[]): void {
  const layer = new Layer(store);
  const context = writeContext(layer);
  context.setAccount(ROLLUP_OPERATOR.address, { balance: OPERATOR_BALANCE, counter: 0n, key: ROLLUP_OPERATOR.publicKey });
  for (const { address, publicKey, balance } of accounts) {
    context.setAccount(address, { balance: BigInt(balance), counter: 0n, key: publicKey });
  }
  for (const { address, code, storage } of genesisContracts()) {
    const script = parseScript(code);
    const value = parseValue(script.storage, storage, noContracts);
    const used = script.size + encodeMicheline(unparseValue(script.storage, value, "optimized")).length;
    context.setAccount(address, { balance: CONTRACT_BALANCE, counter: 0n, contract: { code, storage: value, bigMapBytes: 0, used, paid: used } });
  }
  store.commit(1, layer.writes);
}
