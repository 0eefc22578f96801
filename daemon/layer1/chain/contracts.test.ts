import { assertContractValid } from "@taquito/michel-codec";
import { describe, expect, it } from "vitest";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS } from "../../protocol/constants.ts";
import { bytesOfAddress } from "../../tezos/address.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { toHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { finish } from "../job.ts";
import type { AppliedParts } from "../operations/receipt.ts";
import { storageJson } from "../rpc/context-routes.ts";
import { ALICE, BOB, type DrivenChain, driveChain, errorIds } from "../testing/driven-chain.ts";
import { originate } from "../testing/driven-contracts.ts";
import { genesisContract } from "./bridge-scripts.ts";

function appliedParts(metadata: { readonly operation_result: { readonly status: string } }): AppliedParts {
  expect(metadata.operation_result).toMatchObject({ status: "applied" });
  return metadata.operation_result as unknown as AppliedParts;
}

async function call(
  driven: DrivenChain,
  destination: string,
  value: string,
  entrypoint = "default",
  amount = "0",
) {
  const [metadata] = await driven.apply({
    kind: "transaction",
    destination,
    amount,
    parameters: { entrypoint, value: parseMichelineText(value) },
  });
  return metadata!;
}

function storage(driven: DrivenChain, address: string): Micheline {
  const { contract } = driven.chain.contextAt(driven.chain.head).account(address)!;
  return finish(storageJson(contract!, "readable"));
}

it.each([BRIDGE_ADDRESS, EXCHANGER_ADDRESS])(
  "the script of %s passes an independent typechecker",
  (address) => {
    expect(() => assertContractValid(genesisContract(address).code as never)).not.toThrow();
  },
);

describe("big maps", () => {
  const REGISTER = `
    parameter (or (pair %put string nat) (or (string %drop) (unit %reset)));
    storage (pair (big_map string nat) nat);
    code {
      UNPAIR;
      IF_LEFT
        { UNPAIR; DIP { SOME; DIP { UNPAIR } }; UPDATE }
        { IF_LEFT { DIP { UNPAIR; NONE nat }; UPDATE } { DROP; CDR; EMPTY_BIG_MAP string nat } };
      PAIR; NIL operation; PAIR }`;

  it("are allocated, updated, emptied and removed, and every step shows in the receipt", async () => {
    const driven = driveChain();
    const address = await originate(driven, REGISTER, 'Pair { Elt "a" 1 } 0');
    expect(storage(driven, address)).toEqual(parseMichelineText("Pair 0 0"));
    const put = appliedParts(await call(driven, address, 'Pair "b" 2', "put"));
    expect(put.lazy_storage_diff).toMatchObject([
      {
        kind: "big_map",
        id: "0",
        diff: { action: "update", updates: [{ key: { string: "b" }, value: { int: "2" } }] },
      },
    ]);
    expect(put.paid_storage_size_diff).toBe("67");
    const level = driven.chain.head;
    const dropped = appliedParts(await call(driven, address, '"a"', "drop"));
    expect(dropped.lazy_storage_diff).toMatchObject([
      { id: "0", diff: { action: "update", updates: [{ key: { string: "a" } }] } },
    ]);
    // Storage once paid for stays paid for.
    expect(dropped.paid_storage_size_diff).toBeUndefined();
    const reset = appliedParts(await call(driven, address, "Unit", "reset"));
    expect(reset.lazy_storage_diff).toMatchObject([
      { id: "0", diff: { action: "remove" } },
      { id: "1", diff: { action: "alloc" } },
    ]);
    expect(driven.chain.contextAt(driven.chain.head).bigMapEntries(0n).size).toBe(0);
    expect(driven.chain.contextAt(level).bigMapEntries(0n).size).toBe(2);
    expect(storage(driven, address)).toEqual(parseMichelineText("Pair 1 0"));
  });
});

describe("a big map of many entries", () => {
  /** 1 and more: puts so many new keys. 0: drops all. -1: gives the second place a copy of the first. */
  const STORE = `
    parameter int; storage (pair (pair (big_map nat unit) (big_map nat unit)) nat);
    code {
      UNPAIR; DUP; EQ;
      IF { DROP; CDR; EMPTY_BIG_MAP nat unit; EMPTY_BIG_MAP nat unit; PAIR; PAIR }
         { DUP; LT;
           IF { DROP; UNPAIR; CAR; DUP; PAIR; PAIR }
              { SWAP; UNPAIR; UNPAIR; DIP { SWAP }; DIG 3; DUP; GT;
                LOOP { PUSH int -1; ADD;
                       DIP { PUSH (option unit) (Some Unit); DUP 3; UPDATE; DIP { PUSH nat 1; ADD } };
                       DUP; GT };
                DROP; DIP { SWAP }; PAIR; PAIR } };
      NIL operation; PAIR }`;
  const send = async (driven: DrivenChain, destination: string, value: string): Promise<AppliedParts> => {
    const [metadata] = await driven.apply({
      kind: "transaction",
      destination,
      amount: "0",
      gas_limit: "1000000",
      fee: "200000",
      parameters: { entrypoint: "default", value: parseMichelineText(value) },
    });
    return appliedParts(metadata!);
  };
  const originateWith = async (entries: number): Promise<{ driven: DrivenChain; address: string }> => {
    const driven = driveChain();
    const address = await originate(driven, STORE, "Pair (Pair {} {}) 0");
    await send(driven, address, `${entries}`);
    return { driven, address };
  };

  it.each([["0"], ["-1"]])("costs as much to drop or copy (%s) as a small one", async (parameter) => {
    const [small, large] = [await originateWith(1), await originateWith(250)];
    const gas = async ({ driven, address }: typeof small): Promise<unknown> =>
      (await send(driven, address, parameter)).consumed_milligas;
    const differences = Number(await gas(large)) - Number(await gas(small));
    // The counter in the storage is a byte longer, and nothing else.
    expect(Math.abs(differences)).toBeLessThan(1_000);
  });

  it("is copied as it is, and each copy changes by itself", async () => {
    const { driven, address } = await originateWith(250);
    const sizes = (): number[] => {
      const context = driven.chain.headContext;
      return [0n, 1n, 2n].map((id) => context.bigMapEntries(id).size);
    };
    expect(sizes()).toEqual([250, 0, 0]);
    await send(driven, address, "-1");
    expect(sizes()).toEqual([250, 0, 250]);
    const copied = driven.chain.head;
    await send(driven, address, "5");
    expect(sizes()).toEqual([255, 0, 250]);
    await send(driven, address, "0");
    expect(sizes()).toEqual([0, 0, 0]);
    expect(driven.chain.contextAt(copied).bigMapEntries(2n).size).toBe(250);
  });
});

describe("contracts together", () => {
  it("originate others with their own address and balance", async () => {
    const driven = driveChain();
    const factory = await originate(
      driven,
      "parameter nat; storage (option address); code { CAR; AMOUNT; NONE key_hash; CREATE_CONTRACT { parameter unit; storage nat; code { CDR; PUSH nat 1; ADD; NIL operation; PAIR } }; SWAP; SOME; NIL operation; DIG 2; CONS; PAIR }",
      "None",
    );
    const metadata = await call(driven, factory, "41", "default", "7");
    appliedParts(metadata);
    const [internal] = metadata.internal_operation_results!;
    const child = (internal!.result as AppliedParts).originated_contracts![0]!;
    expect(storage(driven, factory)).toEqual({ prim: "Some", args: [{ string: child }] });
    expect(driven.balance(child)).toBe(7n);
    appliedParts(await call(driven, child, "Unit"));
    expect(storage(driven, child)).toEqual({ int: "42" });
  });

  it("read each other's views, which have no side effects", async () => {
    const driven = driveChain();
    const source = await originate(
      driven,
      'parameter unit; storage nat; code { CDR; NIL operation; PAIR }; view "plus" nat nat { UNPAIR; ADD }; view "who" unit address { DROP; SENDER }',
      "40",
    );
    const reader = await originate(
      driven,
      `parameter address; storage (pair (option nat) (option address)); code { CAR; DUP; PUSH nat 2; VIEW "plus" nat; SWAP; UNIT; VIEW "who" address; SWAP; PAIR; NIL operation; PAIR }`,
      "Pair None None",
    );
    appliedParts(await call(driven, reader, `"${source}"`));
    expect(storage(driven, reader)).toEqual(parseMichelineText(`Pair (Some 42) (Some "${reader}")`));
    appliedParts(await call(driven, reader, `"${ALICE.address}"`));
    expect(storage(driven, reader)).toEqual(parseMichelineText("Pair None None"));
    const viewWithOperation =
      'parameter unit; storage unit; code { CDR; NIL operation; PAIR }; view "v" unit operation { DROP; NONE key_hash; SET_DELEGATE }';
    const [refused] = await driven.apply({
      kind: "origination",
      balance: "0",
      script: { code: parseScriptText(viewWithOperation), storage: { prim: "Unit" } },
    });
    expect(refused!.operation_result.status).toBe("failed");
  });

  it("call depth first, in the order of emission", async () => {
    const driven = driveChain();
    const log = await originate(
      driven,
      "parameter string; storage string; code { UNPAIR; SWAP; CONCAT; NIL operation; PAIR }",
      '""',
    );
    const middle = await originate(
      driven,
      `parameter string; storage unit; code { CAR; NIL operation; PUSH address "${log}"; CONTRACT string; IF_NONE { PUSH int 0; FAILWITH } {}; PUSH mutez 0; DIG 3; TRANSFER_TOKENS; CONS; UNIT; SWAP; PAIR }`,
      "Unit",
    );
    const send = (to: string, text: string): string =>
      `PUSH address "${to}"; CONTRACT string; IF_NONE { PUSH int 0; FAILWITH } {}; PUSH mutez 0; PUSH string "${text}"; TRANSFER_TOKENS; CONS`;
    // The list is built back to front: "a" goes through the middle contract and still arrives before "b".
    const top = await originate(
      driven,
      `parameter unit; storage unit; code { DROP; NIL operation; ${send(log, "b")}; ${send(middle, "a")}; UNIT; SWAP; PAIR }`,
      "Unit",
    );
    const metadata = await call(driven, top, "Unit");
    appliedParts(metadata);
    expect(metadata.internal_operation_results!.map(({ destination }) => destination)).toEqual([
      middle,
      log,
      log,
    ]);
    expect(storage(driven, log)).toEqual({ string: "ab" });
  });

  it.each([
    [
      "a transfer",
      `PUSH address "${BOB.address}"; CONTRACT unit; IF_NONE { FAIL } {}; PUSH mutez 100; UNIT; TRANSFER_TOKENS`,
    ],
    [
      "an origination",
      "UNIT; PUSH mutez 100; NONE key_hash; CREATE_CONTRACT { parameter unit; storage unit; code { CDR; NIL operation; PAIR } }; SWAP; DROP",
    ],
    ["an event", "UNIT; EMIT"],
  ])("apply no internal operation twice: %s", async (_what, emit) => {
    const driven = driveChain();
    const code = `DROP; ${emit}; DUP; NIL operation; SWAP; CONS; SWAP; CONS; UNIT; SWAP; PAIR`.replace(
      "{ FAIL }",
      "{ UNIT; FAILWITH }",
    );
    const contract = await originate(
      driven,
      `parameter unit; storage unit; code { ${code} }`,
      "Unit",
      "1000",
    );
    const before = driven.balance(BOB.address);
    const metadata = await call(driven, contract, "Unit");
    expect(errorIds(metadata.operation_result)).toEqual([]);
    const [first, second] = metadata.internal_operation_results!;
    expect(first!.result.status).toBe("backtracked");
    expect(errorIds(second!.result)).toEqual(["internal_operation_replay"]);
    expect([driven.balance(contract), driven.balance(BOB.address)]).toEqual([1_000n, before]);
  });

  it("keep tickets in their storage, and own them in the ticket table", async () => {
    const driven = driveChain();
    const keeper = await originate(
      driven,
      'parameter nat; storage (list (ticket string)); code { UNPAIR; PUSH string "gold"; TICKET; IF_NONE {} { CONS }; NIL operation; PAIR }',
      "{}",
    );
    appliedParts(await call(driven, keeper, "5"));
    const metadata = appliedParts(await call(driven, keeper, "2"));
    expect(metadata.ticket_updates).toMatchObject([
      {
        ticket_token: { ticketer: keeper, content: { string: "gold" } },
        updates: [{ account: keeper, amount: "2" }],
      },
    ]);
    expect([...driven.chain.contextAt(driven.chain.head).ticketsOf(keeper).values()]).toMatchObject([
      { amount: 7n },
    ]);
  });

  it("list several tickets from the greatest hash to the least, as the protocol keeps them", async () => {
    const driven = driveChain();
    const names = ["a", "b", "c", "d", "e"];
    const keeper = await originate(
      driven,
      `parameter unit; storage (list (ticket string)); code { CDR; ${names
        .map((name) => `PUSH nat 1; PUSH string "${name}"; TICKET; IF_NONE {} { CONS };`)
        .join(" ")} NIL operation; PAIR }`,
      "{}",
    );
    const { ticket_updates: updates } = appliedParts(await call(driven, keeper, "Unit"));
    const owner = toHex(bytesOfAddress(keeper));
    const hashOf = (name: string): string => {
      const key = parseMichelineText(`{ 0x${owner}; string; "${name}"; 0x${owner} }`);
      return toHex(blake2b256(encodeMicheline(key)));
    };
    const listed = updates!.map(({ ticket_token: { content } }) => (content as { string: string }).string);
    expect(listed).toEqual(names.toSorted((a, b) => (hashOf(a) < hashOf(b) ? 1 : -1)));
  });
});
