import { assertContractValid } from "@taquito/michel-codec";
import { describe, expect, it } from "vitest";
import { EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../../protocol/constants.ts";
import {
  FA2_TOKEN,
  fa2TokenStorage,
  FA_BRIDGE,
  FA_TICKETER,
  faBridgeStorage,
  type FaToken,
  faTicketerStorage,
} from "../../protocol/fa-bridge-scripts.ts";
import { addressBytes } from "../../tezos/address.ts";
import { ByteWriter } from "../../tezos/byte-writer.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { finish } from "../job.ts";
import type { PairValue } from "../michelson/value.ts";
import type { Metadata } from "../operations/receipt.ts";
import { storageJson } from "../rpc/context-routes.ts";
import type { BigMapEntry } from "../state/context.ts";
import { ALICE, BOB, type DrivenChain, driveChain } from "../testing/driven-chain.ts";
import { originate } from "../testing/driven-contracts.ts";

// An FA1.2 token, reduced to what a bridge needs.
const FA12 = `
parameter (or (pair %transfer (address %from) (address %to) (nat %value)) (pair %approve (address %spender) (nat %value)));
storage (pair (big_map %ledger address nat) (big_map %allowances (pair address address) nat));
code {
  UNPAIR; DIP { UNPAIR };
  IF_LEFT
    { UNPAIR 3;
      SENDER; DUP 2; COMPARE; EQ;
      IF {}
         { SENDER; DUP 2; PAIR; DUP 6; DUP 2; GET; IF_NONE { PUSH nat 0 } {};
           DUP 5; SWAP; SUB; ISNAT; IF_NONE { PUSH string "NotEnoughAllowance"; FAILWITH } {};
           SOME; SWAP; DIG 6; DUG 2; UPDATE; DUG 4 };
      DUP 4; DUP 2; GET; IF_NONE { PUSH nat 0 } {};
      DUP 4; SWAP; SUB; ISNAT; IF_NONE { PUSH string "NotEnoughBalance"; FAILWITH } {};
      SOME; DIG 4; SWAP; DIG 2; UPDATE;
      DUP; DUP 3; GET; IF_NONE { PUSH nat 0 } {}; DIG 3; ADD; SOME; DIG 2; UPDATE }
    { UNPAIR; SENDER; PAIR; DIG 3; DIG 2; SOME; DIG 2; UPDATE; SWAP };
  PAIR; NIL operation; PAIR };
view "get_balance" address nat { UNPAIR; DIP { CAR }; GET; IF_NONE { PUSH nat 0 } {} };`;

async function call(
  driven: DrivenChain,
  destination: string,
  entrypoint: string,
  value: string,
  { amount = "0", account = ALICE } = {},
): Promise<Metadata> {
  const parameters = { entrypoint, value: parseMichelineText(value) };
  return (await driven.apply({ kind: "transaction", destination, amount, parameters }, account))[0]!;
}

/** Outcome of a call: "applied", or the text with which a contract failed. */
function outcome({ operation_result: own, internal_operation_results: internal = [] }: Metadata): string {
  const failed = [own, ...internal.map(({ result }) => result)].find(({ status }) => status === "failed");
  return failed ? (/"string":"([^"]+)"/.exec(JSON.stringify(failed))?.[1] ?? "failed") : own.status;
}

function storage(driven: DrivenChain, address: string): string {
  const { contract } = driven.chain.contextAt(driven.chain.head).account(address)!;
  return JSON.stringify(finish(storageJson(contract!, "readable")));
}

/** Tokens of an owner. The ledger is the chain's first big map. */
function ticketsOf(driven: DrivenChain, owner: string): bigint {
  const context = driven.chain.contextAt(driven.chain.head);
  const isOwn = ({ key }: BigMapEntry) => key === owner || (key as PairValue).left === owner;
  return ([...context.bigMapEntries(0n).values()].find(isOwn)?.value ?? 0n) as bigint;
}

it.each([
  ["ticketer", FA_TICKETER],
  ["bridge", FA_BRIDGE],
  ["FA2 token", FA2_TOKEN],
])("the script of the %s passes an independent typechecker", (_name, script) => {
  expect(() => assertContractValid(parseScriptText(script) as never)).not.toThrow();
});

async function deploy(token: (address: string) => FaToken) {
  const driven = driveChain({ commitmentPeriodBlocks: 1, challengeWindowBlocks: 0 });
  const isFa2 = token("").id !== undefined;
  const address = isFa2
    ? await originate(driven, FA2_TOKEN, fa2TokenStorage(ALICE.address, 7n, 1000n))
    : await originate(driven, FA12, `Pair { Elt "${ALICE.address}" 1000 } {}`);
  const ticket = { id: 3n, content: "cafe", totalSupply: 0n };
  const ticketer = await originate(driven, FA_TICKETER, faTicketerStorage(token(address), ticket));
  const bridge = await originate(driven, FA_BRIDGE, faBridgeStorage(token(address), ticketer, PROXY));
  const allow = (operator: string) =>
    isFa2
      ? call(driven, address, "update_operators", `{ Left (Pair "${ALICE.address}" "${operator}" 7) }`)
      : call(driven, address, "approve", `Pair "${operator}" 1000`);
  return { driven, token: address, ticketer, bridge, allow };
}

const PROXY = EXCHANGER_ADDRESS; // any KT1: it is not called here
const RECEIVER = "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg";

describe.each([
  ["FA1.2", (address: string): FaToken => ({ address })],
  ["FA2", (address: string): FaToken => ({ address, id: 7n })],
])("an %s bridge", (_kind, token) => {
  const deposit = (amount: number) => `Pair "${ROLLUP_ADDRESS}" "${RECEIVER}" ${amount}`;

  it("locks the tokens in the ticketer and sends their tickets to the rollup", async () => {
    const { driven, ticketer, bridge, allow } = await deploy(token);
    await allow(bridge);
    expect(outcome(await call(driven, bridge, "deposit", deposit(30)))).toBe("applied");
    expect([
      ticketsOf(driven, ALICE.address),
      ticketsOf(driven, bridge),
      ticketsOf(driven, ticketer),
    ]).toEqual([970n, 0n, 30n]);
    expect([...driven.chain.contextAt(driven.chain.head).ticketsOf(ROLLUP_ADDRESS).values()]).toMatchObject([
      { ticketer, amount: 30n },
    ]);
    const hex = (text: string) => Buffer.from(addressBytes(text)!).toString("hex");
    const [message] = driven.chain.head.messages;
    // Right (Pair receiver (Pair (Some proxy) ticket))
    expect(message).toMatch(/^00000508/);
    for (const part of [hex(RECEIVER), hex(PROXY), hex(ticketer), "cafe"]) expect(message).toContain(part);
    expect(storage(driven, bridge)).toContain('{"prim":"None"}'); // no deposit is pending
    expect(outcome(await call(driven, bridge, "deposit", deposit(5)))).toBe("applied");
    expect(ticketsOf(driven, ticketer)).toBe(35n);
  });

  it.each(["ticketer", "bridge"] as const)("returns tokens for tickets through its %s", async (target) => {
    const deployed = await deploy(token);
    const { driven, ticketer, bridge, allow } = deployed;
    await allow(bridge);
    await call(driven, bridge, "deposit", deposit(30));
    await withdraw(driven, deployed[target], `Pair "${ticketer}" (Pair 3 (Some 0xcafe)) 12`);
    expect([ticketsOf(driven, RECEIVER), ticketsOf(driven, ticketer)]).toEqual([12n, 18n]);
    expect([...driven.chain.contextAt(driven.chain.head).ticketsOf(ROLLUP_ADDRESS).values()]).toMatchObject([
      { amount: 18n },
    ]);
  });

  it("refuses deposits without approval, without balance, and with tez", async () => {
    const { driven, bridge, allow } = await deploy(token);
    expect(outcome(await call(driven, bridge, "deposit", deposit(1)))).toMatch(
      /NOT_OPERATOR|NotEnoughAllowance/,
    );
    await allow(bridge);
    expect(outcome(await call(driven, bridge, "deposit", deposit(1001)))).toMatch(
      /INSUFFICIENT_BALANCE|NotEnough/,
    );
    expect(outcome(await call(driven, bridge, "deposit", deposit(0)))).toBe("TKT_CREATION_FAILED");
    expect(outcome(await call(driven, bridge, "deposit", deposit(1), { amount: "1" }))).toBe(
      "XTZ_DEPOSIT_DISALLOWED",
    );
    const nowhere = `Pair "${BOB.address}" "${RECEIVER}" 1`;
    expect(outcome(await call(driven, bridge, "deposit", nowhere))).toBe("Invalid rollup address");
    expect(ticketsOf(driven, ALICE.address)).toBe(1000n);
  });
});

/** Executes a withdrawal by an outbox message, as the runtime sends it. */
async function withdraw(driven: DrivenChain, destination: string, ticket: string): Promise<void> {
  const transaction = new ByteWriter()
    .bytes(encodeMicheline(parseMichelineText(`Pair "${RECEIVER}" (${ticket})`)))
    .bytes(addressBytes(destination)!)
    .sized(Buffer.from("withdraw"));
  const bytes = new ByteWriter().byte(0).sized(transaction.finish()).finish();
  const { level, index } = driven.outbox.add(driven.chain.head.level, bytes, "w");
  driven.chain.bake();
  const { commitment, proof } = driven.outbox.proofOf(level, index, driven.chain.head.level)!;
  const [metadata] = await driven.apply({
    kind: "smart_rollup_execute_outbox_message",
    rollup: ROLLUP_ADDRESS,
    cemented_commitment: commitment,
    output_proof: proof,
  });
  expect(outcome(metadata!)).toBe("applied");
}
