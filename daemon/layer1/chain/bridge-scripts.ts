// The two contracts of the bridge. Interface and failure texts are the Jstz native bridge's, so that programs written
// for it work here; the code is our own.
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";

/** A ticket of tez: contents (0, None), ticketer = exchanger, amount in mutez. */
const TICKET = "(ticket (pair nat (option bytes)))";

/** Parameter of the rollup: left is a deposit of tez, right one of FA tokens. */
const ROLLUP_PARAMETER = `or (pair address ${TICKET}) (pair address (option address) ${TICKET})`;

const EXCHANGER = `
parameter (or (pair %burn address ${TICKET}) (address %mint));
storage unit;
code {
  UNPAIR;
  IF_LEFT
    { PUSH mutez 0; AMOUNT; COMPARE; EQ;
      IF {} { PUSH string "Burn does not accept tez."; FAILWITH };
      UNPAIR; SWAP;
      READ_TICKET; UNPAIR 3;
      SELF_ADDRESS; COMPARE; EQ;
      IF {} { PUSH string "Burn only accepts tez tickets minted by the exchanger."; FAILWITH };
      DROP; DIP { DROP };
      PUSH mutez 1; MUL;
      SWAP; CONTRACT unit;
      IF_NONE { PUSH string "Invalid callback"; FAILWITH } {};
      SWAP; UNIT; TRANSFER_TOKENS }
    { CONTRACT ${TICKET};
      IF_NONE { PUSH string "Invalid callback"; FAILWITH } {};
      PUSH mutez 0;
      PUSH mutez 1; AMOUNT; EDIV;
      IF_NONE { PUSH string "Could not mint ticket."; FAILWITH } { CAR };
      NONE bytes; PUSH nat 0; PAIR;
      TICKET;
      IF_NONE { PUSH string "Could not mint ticket."; FAILWITH } {};
      TRANSFER_TOKENS };
  DIP { NIL operation }; CONS; PAIR }`;

const BRIDGE = `
parameter (or (ticket %callback (pair nat (option bytes))) (address %deposit));
storage (pair (address %exchanger) (address %jstz_address) (option %deposit_request address));
code {
  UNPAIR; DIP { UNPAIR 3 };
  IF_LEFT
    { DIG 3;
      IF_NONE { PUSH string "Callback on non-locked deposit"; FAILWITH } {};
      PAIR; LEFT (pair address (option address) ${TICKET});
      PUSH mutez 0;
      DUP 4; CONTRACT (${ROLLUP_PARAMETER});
      IF_NONE { PUSH string "Invalid rollup address"; FAILWITH } {};
      SWAP; DIG 2; TRANSFER_TOKENS;
      DIP 3 { NONE address } }
    { DIG 3;
      IF_NONE {} { DROP; PUSH string "Deposit locked"; FAILWITH };
      PUSH mutez 0; AMOUNT; COMPARE; GT;
      IF {} { PUSH string "Invalid deposit amount: Deposit amount must be greater than 0."; FAILWITH };
      SOME;
      DUP 2; CONTRACT %mint address;
      IF_NONE { PUSH string "Invalid tez ticket contract"; FAILWITH } {};
      AMOUNT; SELF %callback; ADDRESS; TRANSFER_TOKENS;
      DIP { DUG 2 } };
  DIP { PAIR 3; NIL operation }; CONS; PAIR }`;

export interface GenesisContract {
  readonly code: Micheline;
  readonly storage: Micheline;
}

/** Contracts that exist from level 1 on. */
export const GENESIS_CONTRACTS = [EXCHANGER_ADDRESS, BRIDGE_ADDRESS] as const;

/** Script and initial storage of a genesis contract. */
export function genesisContract(address: string): GenesisContract {
  if (address === EXCHANGER_ADDRESS) return { code: parseScriptText(EXCHANGER), storage: { prim: "Unit" } };
  return {
    code: parseScriptText(BRIDGE),
    storage: {
      prim: "Pair",
      args: [{ string: EXCHANGER_ADDRESS }, { string: ROLLUP_ADDRESS }, { prim: "None" }],
    },
  };
}

/** Parameter type of the rollup. */
export const rollupParameter = (): Micheline => parseMichelineText(ROLLUP_PARAMETER);
