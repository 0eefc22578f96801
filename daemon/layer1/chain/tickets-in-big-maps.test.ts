import { describe, expect, it } from "vitest";
import type { Address } from "../../tezos/address.ts";
import type { Metadata } from "../operations/receipt.ts";
import { ALICE, BOB, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";
import { callApplied, callContract, originate, ticketsOf } from "../testing/driven-contracts.ts";

const TICKET = "(ticket string)";
const TICKETS = `(big_map nat ${TICKET})`;
const RECEIVE = `(big_map %receive nat ${TICKET})`;

/** Mints tickets for an address. */
const MINTER = `
  parameter (pair nat address); storage unit;
  code { CAR; UNPAIR; PUSH string "gold"; TICKET; IF_NONE { UNIT; FAILWITH } {}; SWAP; CONTRACT ${TICKET}; IF_NONE { UNIT; FAILWITH } {};
    SWAP; PUSH mutez 0; SWAP; TRANSFER_TOKENS; NIL operation; SWAP; CONS; UNIT; SWAP; PAIR }`;

/** Keeps tickets in a big map at key 1: takes one, sends it, moves or drops the map, or takes a whole map. */
const VAULT = `
  parameter (or (ticket %take string) (or (address %out) (or (address %move) (or (unit %drop) ${RECEIVE}))));
  storage ${TICKETS};
  code {
    UNPAIR;
    IF_LEFT
      { SOME; PUSH nat 1; GET_AND_UPDATE; DROP; NIL operation; PAIR }
      { IF_LEFT
        { CONTRACT ${TICKET}; IF_NONE { UNIT; FAILWITH } {}; SWAP; NONE ${TICKET}; PUSH nat 1; GET_AND_UPDATE;
          IF_NONE { UNIT; FAILWITH } {}; DIG 2; SWAP; PUSH mutez 0; SWAP; TRANSFER_TOKENS; NIL operation; SWAP; CONS; PAIR }
        { IF_LEFT
          { CONTRACT %receive ${TICKETS}; IF_NONE { UNIT; FAILWITH } {}; PUSH mutez 0; DIG 2; TRANSFER_TOKENS;
            NIL operation; SWAP; CONS; EMPTY_BIG_MAP nat ${TICKET}; SWAP; PAIR }
          { IF_LEFT { DROP 2; EMPTY_BIG_MAP nat ${TICKET} } { SWAP; DROP }; NIL operation; PAIR } } } }`;

interface Setting {
  readonly driven: DrivenChain;
  readonly minter: Address;
  readonly vault: Address;
  readonly other: Address;
  /** Tickets of Alice, Bob, the vault and the other vault. */
  owned(): readonly bigint[];
}

async function deploy(minted?: string): Promise<Setting> {
  const driven = driveChain();
  const minter = await originate(driven, MINTER);
  const vault = await originate(driven, VAULT, "{}");
  const other = await originate(driven, VAULT, "{}");
  const ticketCounts = (): readonly bigint[] =>
    [ALICE.address, BOB.address, vault, other].map((owner) => ticketsOf(driven, owner));
  if (minted !== undefined) await callApplied(driven, minter, "default", `Pair ${minted} "${vault}%take"`);
  return { driven, minter, vault, other, owned: ticketCounts };
}

/** Tickets in the receipts of a call and of its internal operations, as "owner amount". */
function receiversOf(metadata: Metadata, names: Readonly<Record<string, string>>): readonly string[] {
  const results = [
    metadata.operation_result,
    ...(metadata.internal_operation_results ?? []).map(({ result }) => result),
  ];
  return results.flatMap((result) => {
    const all =
      "ticket_updates" in result
        ? result.ticket_updates
        : "ticket_receipt" in result
          ? result.ticket_receipt
          : [];
    return (all ?? []).flatMap(({ updates }) =>
      updates.map(({ account, amount }) => `${names[account] ?? account} ${amount}`),
    );
  });
}

describe("tickets in a big map", () => {
  it("belong to the contract, and can be taken out", async () => {
    const { driven, vault, owned } = await deploy("7");
    expect(owned()).toEqual([0n, 0n, 7n, 0n]);
    const metadata = await callApplied(driven, vault, "out", `"${BOB.address}"`);
    expect(receiversOf(metadata, { [vault]: "vault", [BOB.address]: "bob" })).toEqual(["vault -7", "bob 7"]);
    expect(owned()).toEqual([0n, 7n, 0n, 0n]);
    expect((await callContract(driven, vault, "out", `"${BOB.address}"`)).operation_result.status).toBe(
      "failed",
    );
  });

  it("are lost with the entry that is written over", async () => {
    const { driven, minter, vault, owned } = await deploy("3");
    const metadata = await callApplied(driven, minter, "default", `Pair 2 "${vault}%take"`);
    expect(receiversOf(metadata, { [vault]: "vault" })).toEqual(["vault -1"]);
    expect(owned()).toEqual([0n, 0n, 2n, 0n]);
  });

  it("are lost with the whole map", async () => {
    const { driven, vault, owned } = await deploy("3");
    const metadata = await callApplied(driven, vault, "drop", "Unit");
    expect(receiversOf(metadata, { [vault]: "vault" })).toEqual(["vault -3"]);
    expect(owned()).toEqual([0n, 0n, 0n, 0n]);
  });

  it("move with the map to another contract, which can take them out", async () => {
    const { driven, vault, other, owned } = await deploy("7");
    const metadata = await callApplied(driven, vault, "move", `"${other}"`);
    expect(receiversOf(metadata, { [vault]: "vault", [other]: "other" })).toEqual(["vault -7", "other 7"]);
    expect(owned()).toEqual([0n, 0n, 0n, 7n]);
    await callApplied(driven, other, "out", `"${BOB.address}"`);
    expect(owned()).toEqual([0n, 7n, 0n, 0n]);
  });

  it("are lost with a map that its receiver does not keep, and with the one that it replaces", async () => {
    const { driven, minter, vault, other, owned } = await deploy("7");
    await callApplied(driven, minter, "default", `Pair 5 "${other}%take"`);
    await callApplied(driven, vault, "move", `"${other}"`);
    expect(owned()).toEqual([0n, 0n, 0n, 7n]);
    const sink = await originate(
      driven,
      `parameter ${RECEIVE}; storage unit; code { CDR; NIL operation; PAIR }`,
    );
    await callApplied(driven, other, "move", `"${sink}"`);
    expect([...owned(), ticketsOf(driven, sink)]).toEqual([0n, 0n, 0n, 0n, 0n]);
  });

  it("go to a contract that is created with the map", async () => {
    const driven = driveChain();
    const maker = await originate(
      driven,
      `parameter unit; storage unit; code { DROP;
        EMPTY_BIG_MAP nat ${TICKET}; PUSH nat 4; PUSH string "gold"; TICKET; PUSH nat 1; UPDATE;
        PUSH mutez 0; NONE key_hash;
        CREATE_CONTRACT { parameter unit; storage ${TICKETS}; code { CDR; NIL operation; PAIR } };
        DIP { DROP }; UNIT; NIL operation; DIG 2; CONS; PAIR }`,
    );
    const { internal_operation_results: internal } = await callApplied(driven, maker, "default", "Unit");
    const made = (internal![0]!.result as { originated_contracts?: readonly Address[] })
      .originated_contracts![0]!;
    expect([ticketsOf(driven, maker), ticketsOf(driven, made)]).toEqual([0n, 4n]);
  });

  it("cannot be more than the contract that minted them allows", async () => {
    const { driven, vault, owned } = await deploy("7");
    const forged = await callContract(driven, vault, "receive", `{ Elt 1 (Pair "${vault}" "gold" 5) }`);
    expect(errorIds(forged.operation_result).at(-1)).toBe("michelson_v1.unexpected_forged_value");
    expect(owned()).toEqual([0n, 0n, 7n, 0n]);
  });

  it("cost gas to count, by the entries of a map that goes as a whole", async () => {
    const gasOf = async (tickets: number): Promise<number> => {
      const { driven, minter, vault } = await deploy();
      await callApplied(driven, vault, "drop", "Unit"); // the first call pays for reading the code
      for (let i = 0; i < tickets; i++)
        await callApplied(driven, minter, "default", `Pair 1 "${vault}%take"`);
      const { operation_result: result } = await callApplied(driven, vault, "drop", "Unit");
      return Number((result as { consumed_milligas: string }).consumed_milligas);
    };
    const [none, one] = [await gasOf(0), await gasOf(1)];
    expect(one - none).toBeGreaterThan(230_000); // what reading an entry costs
  });
});
