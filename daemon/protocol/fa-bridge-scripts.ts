// The layer-1 contracts of an FA bridge, as Michelson text: a ticketer that turns tokens into tickets, a bridge that sends
// these to the rollup, and a plain FA2 token to try them with. Interface, storage and failure texts are the Jstz contracts',
// so that programs written for them work here; the code is our own.

const CONTENT = "(pair nat (option bytes))";
const TICKET = `(ticket ${CONTENT})`;
const TOKEN = "(or %token (address %fa12) (pair %fa2 address nat))";
const WITHDRAW = `(pair %withdraw (address %receiver) (ticket %ticket ${CONTENT}))`;

const FA12_TRANSFER = "(pair (address %from) (address %to) (nat %value))";
const FA2_TX = "(pair (address %to_) (nat %token_id) (nat %amount))";
const FA2_TRANSFER = `(pair (address %from_) (list %txs ${FA2_TX}))`;
const OPERATOR = "(address %owner) (address %operator) (nat %token_id)";
const FA2_OPERATORS = `(or (pair %add_operator ${OPERATOR}) (pair %remove_operator ${OPERATOR}))`;

const fail = (text: string): string => `{ PUSH string "${text}"; FAILWITH }`;
const NO_TEZ = `AMOUNT; PUSH mutez 0; COMPARE; EQ; IF {} ${fail("XTZ_DEPOSIT_DISALLOWED")}`;

/** Locks tokens and gives their sender as many tickets; returns tokens for tickets. */
export const FA_TICKETER = `
parameter (or ${WITHDRAW} (nat %deposit));
storage (pair (big_map %metadata string bytes) ${TOKEN} (pair %content nat (option bytes)) (nat %total_supply));
code {
  ${NO_TEZ};
  UNPAIR;
  IF_LEFT
    { UNPAIR; SWAP; READ_TICKET; DIP { DROP }; UNPAIR 3; # ticketer : content : amount : receiver : storage
      SWAP; DUP 5; GET 5; COMPARE; EQ; IF {} ${fail("UNEXPECTED_TKT_CONTENT")};
      SELF_ADDRESS; COMPARE; EQ; IF {} ${fail("UNAUTHORIZED_TKTR")};
      DUP; DUP 4; GET 6; SUB; ISNAT; IF_NONE ${fail("TOTAL_SUPPLY_EXCEEDED")} {};
      DIG 3; SWAP; UPDATE 6; # storage : amount : receiver
      NIL operation; DIG 2; DIG 3; SELF_ADDRESS }
    { DUP; DUP 3; GET 6; ADD; # total : amount : storage
      PUSH nat ${2n ** 256n}; DUP 2; COMPARE; LT; IF {} ${fail("TOTAL_SUPPLY_EXCEED_MAX")};
      DIG 2; SWAP; UPDATE 6; SWAP; # amount : storage
      DUP; DUP 3; GET 5; TICKET; IF_NONE ${fail("TKT_CREATION_FAILED")} {};
      SENDER; CONTRACT ${TICKET}; IF_NONE ${fail("FAILED_TO_GET_TKT_ENTRYPOINT")} {};
      PUSH mutez 0; DIG 2; TRANSFER_TOKENS;
      NIL operation; SWAP; CONS; SWAP; SELF_ADDRESS; SENDER };
  # from : to : amount : operations : storage
  DUP 5; GET 3;
  IF_LEFT
    { CONTRACT %transfer ${FA12_TRANSFER}; IF_NONE ${fail("INVALID_FA12")} {};
      DUG 3; PAIR 3; PUSH mutez 0; SWAP; TRANSFER_TOKENS }
    { UNPAIR; CONTRACT %transfer (list ${FA2_TRANSFER}); IF_NONE ${fail("INVALID_FA2")} {};
      DUG 4; DIG 2; DIG 2; # from : to : id : amount : contract
      DIP { PAIR 3; NIL ${FA2_TX}; SWAP; CONS };
      PAIR; NIL ${FA2_TRANSFER}; SWAP; CONS; PUSH mutez 0; SWAP; TRANSFER_TOKENS };
  CONS; PAIR };
view "get_total_supply" unit nat { CDR; GET 6 };
view "get_content" unit ${CONTENT} { CDR; GET 5 };
view "get_token" unit (or (address %fa12) (pair %fa2 address nat)) { CDR; GET 3 };`;

const ROLLUP_PARAMETER = `(or (pair address ${TICKET}) (pair address (option address) ${TICKET}))`;

/** Takes tokens, has the ticketer issue tickets for them, and sends these to the rollup. */
export const FA_BRIDGE = `
parameter (or ${WITHDRAW} (or (ticket %default ${CONTENT}) (pair %deposit (address %rollup) (address %receiver) (nat %amount))));
storage
  (pair ${TOKEN} (address %ticketer) (option %proxy address)
        (option %ongoing_deposit (pair (address %receiver) (address %rollup))) (big_map %metadata string bytes));
code {
  ${NO_TEZ};
  UNPAIR;
  IF_LEFT
    { # Tickets that come back go to whoever made them.
      UNPAIR; SWAP; READ_TICKET; CAR; # ticketer : ticket : receiver : storage
      CONTRACT %withdraw (pair (address %receiver) (ticket %ticket ${CONTENT}));
      IF_NONE ${fail("ROUTER_ENTRYPOINT_NOT_FOUND")} {};
      DIP { SWAP; PAIR }; PUSH mutez 0; DIG 2; TRANSFER_TOKENS;
      NIL operation; SWAP; CONS }
    { IF_LEFT
        { # The tickets of the deposit under way.
          DUP 2; GET 3; SENDER; COMPARE; EQ; IF {} ${fail("UNEXPECTED_SENDER")};
          DUP 2; GET 7; IF_NONE ${fail("ROUTING_DATA_IS_NOT_SET")} {};
          UNPAIR; DUP 4; GET 5; SWAP; DIG 3; DUG 2; # receiver : proxy : ticket : rollup : storage
          PAIR 3; RIGHT (pair address ${TICKET});
          SWAP; CONTRACT ${ROLLUP_PARAMETER}; IF_NONE ${fail("Invalid rollup address")} {};
          PUSH mutez 0; DIG 2; TRANSFER_TOKENS;
          NIL operation; SWAP; CONS;
          DIP { NONE (pair address address); UPDATE 7 } }
        { UNPAIR 3; SWAP; PAIR; SOME; DIG 2; SWAP; UPDATE 7; SWAP; # amount : storage
          # Three operations, the last one first: mint, allow the ticketer to take the tokens, take them from the sender.
          NIL operation;
          DUP 3; GET 3; CONTRACT %deposit nat; IF_NONE ${fail("TKTR_DEPOSIT_NOT_FOUND")} {};
          PUSH mutez 0; DUP 4; TRANSFER_TOKENS; CONS;
          DUP 3; CAR;
          IF_LEFT
            { DUP; CONTRACT %approve (pair (address %spender) (nat %value)); IF_NONE ${fail("INVALID_FA12")} {};
              PUSH mutez 0; DUP 5; DUP 7; GET 3; PAIR; TRANSFER_TOKENS;
              DIG 2; SWAP; CONS; SWAP; # token : operations : amount : storage
              CONTRACT %transfer ${FA12_TRANSFER}; IF_NONE ${fail("INVALID_FA12")} {};
              PUSH mutez 0; DIG 3; SELF_ADDRESS; SENDER; PAIR 3; TRANSFER_TOKENS }
            { UNPAIR; DUP; CONTRACT %update_operators (list ${FA2_OPERATORS}); IF_NONE ${fail("INVALID_FA2")} {};
              PUSH mutez 0; DUP 4; DUP 8; GET 3; SELF_ADDRESS; PAIR 3;
              LEFT (pair ${OPERATOR}); NIL ${FA2_OPERATORS}; SWAP; CONS; TRANSFER_TOKENS;
              DIG 3; SWAP; CONS; DUG 2; # token : id : operations : amount : storage
              CONTRACT %transfer (list ${FA2_TRANSFER}); IF_NONE ${fail("INVALID_FA2")} {};
              PUSH mutez 0; DIG 4; DIG 3; SELF_ADDRESS; PAIR 3;
              NIL ${FA2_TX}; SWAP; CONS; SENDER; PAIR; NIL ${FA2_TRANSFER}; SWAP; CONS;
              TRANSFER_TOKENS };
          CONS } };
  PAIR };`;

const REQUEST = "(address %owner) (nat %token_id)";

/** An FA2 token without minting: the whole supply is in the initial storage. */
export const FA2_TOKEN = `
parameter
  (or (or (list %transfer ${FA2_TRANSFER})
          (pair %balance_of (list %requests (pair ${REQUEST}))
                            (contract %callback (list (pair (pair %request ${REQUEST}) (nat %balance))))))
      (list %update_operators ${FA2_OPERATORS}));
storage
  (pair (big_map %ledger (pair address nat) nat) (big_map %operators (pair address address nat) unit)
        (big_map %token_metadata nat (pair (nat %token_id) (map %token_info string bytes)))
        (big_map %metadata string bytes));
code {
  UNPAIR; DIP { UNPAIR };
  IF_LEFT
    { IF_LEFT
        { ITER
            { UNPAIR; SWAP;
              ITER
                { UNPAIR 3; # to : id : amount : from : ledger : rest
                  SENDER; DUP 5; COMPARE; EQ;
                  IF {}
                     { DUP 2; SENDER; DUP 6; PAIR 3; DUP 7; CAR; SWAP; MEM;
                       IF {} ${fail("FA2_NOT_OPERATOR")} };
                  DUP 2; DUP 5; PAIR; DUP 6; DUP 2; GET; IF_NONE { PUSH nat 0 } {};
                  DUP 5; SWAP; SUB; ISNAT; IF_NONE ${fail("FA2_INSUFFICIENT_BALANCE")} {};
                  SOME; SWAP; DIG 6; DUG 2; UPDATE; # ledger : to : id : amount : from : rest
                  DIP { PAIR };
                  DUP; DUP 3; GET; IF_NONE { PUSH nat 0 } {};
                  DIG 3; ADD; SOME; DIG 2; UPDATE; SWAP };
              DROP };
          NIL operation }
        { UNPAIR;
          MAP { DUP 3; DUP 2; GET; IF_NONE { PUSH nat 0 } {}; SWAP; PAIR };
          PUSH mutez 0; SWAP; TRANSFER_TOKENS; NIL operation; SWAP; CONS } }
    { DIP 2 { UNPAIR };
      ITER
        { IF_LEFT { UNIT; SOME } { NONE unit };
          DUP 2; CAR; SENDER; COMPARE; EQ; IF {} ${fail("FA2_NOT_OWNER")};
          SWAP; DIG 3; DUG 2; UPDATE; SWAP };
      DIP { PAIR }; NIL operation };
  DIP { PAIR }; PAIR };
view "get_balance" (pair address nat) nat { UNPAIR; DIP { CAR }; GET; IF_NONE { PUSH nat 0 } {} };`;

/** A token on layer 1: FA1.2 without `id`, FA2 with it. */
export interface FaToken {
  readonly address: string;
  readonly id?: bigint;
}

const tokenText = ({ address, id }: FaToken): string =>
  id === undefined ? `(Left "${address}")` : `(Right (Pair "${address}" ${id}))`;

/** Initial storage of a ticketer. `content` is hex, or undefined for none. */
export function faTicketerStorage(
  token: FaToken,
  ticket: { readonly id: bigint; readonly content: string | undefined; readonly totalSupply: bigint },
): string {
  const content = ticket.content === undefined ? "None" : `(Some 0x${ticket.content})`;
  return `Pair {} ${tokenText(token)} (Pair ${ticket.id} ${content}) ${ticket.totalSupply}`;
}

/** Initial storage of a bridge. `proxy` is the smart function that receives the tickets, if any. */
export function faBridgeStorage(token: FaToken, ticketer: string, proxy: string | undefined): string {
  const some = proxy === undefined ? "None" : `(Some "${proxy}")`;
  return `Pair ${tokenText(token)} "${ticketer}" ${some} None {}`;
}

/** Initial storage of an FA2 token whose supply belongs to one owner. */
export function fa2TokenStorage(owner: string, id: bigint, supply: bigint): string {
  const hex = (text: string): string => `0x${Buffer.from(text, "utf8").toString("hex")}`;
  const info = [
    ["decimals", "0"],
    ["name", "Sandbox token"],
    ["symbol", "SANDBOX"],
  ].map(([key, value]) => `Elt "${key}" ${hex(value!)}`);
  return `Pair { Elt (Pair "${owner}" ${id}) ${supply} } {} { Elt ${id} (Pair ${id} { ${info.join("; ")} }) } {}`;
}
