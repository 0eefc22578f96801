// Contracts on a driven chain: originated and called as users do, in Michelson as text.
import type { DevelopmentAccount } from "../../protocol/constants.ts";
import { type Address, addressOf } from "../../tezos/address.ts";
import { parseMichelineText, parseScriptText } from "../../tezos/micheline-text.ts";
import { finish } from "../job.ts";
import type { AppliedParts, Metadata } from "../operations/receipt.ts";
import { storageJson } from "../rpc/context-routes.ts";
import type { DrivenChain } from "./driven-chain.ts";
import { appliedResult } from "./results.ts";

/** Originates a contract. @throws Error when it fails */
export async function originate(
  driven: DrivenChain,
  script: string,
  storage = "Unit",
  balance = "0",
): Promise<Address> {
  const metadata = await driven.apply({
    kind: "origination",
    balance,
    script: { code: parseScriptText(script), storage: parseMichelineText(storage) },
  });
  return addressOf((appliedResult(metadata) as AppliedParts).originated_contracts![0]!);
}

/** Calls an entrypoint. The call may fail. */
export async function callContract(
  driven: DrivenChain,
  destination: Address,
  entrypoint: string,
  value: string,
  { amount = "0", account }: { readonly amount?: string; readonly account?: DevelopmentAccount } = {},
): Promise<Metadata> {
  const parameters = { entrypoint, value: parseMichelineText(value) };
  const [metadata] = await driven.apply({ kind: "transaction", destination, amount, parameters }, account);
  return metadata!;
}

/** Calls an entrypoint, and everything must be applied. */
export async function callApplied(...call: Parameters<typeof callContract>): Promise<Metadata> {
  const metadata = await callContract(...call);
  appliedResult([metadata]);
  return metadata;
}

/** Text of a contract's storage as JSON. */
export function storageOf(driven: DrivenChain, address: Address): string {
  const { contract } = driven.chain.contextAt(driven.chain.head).account(address)!;
  return JSON.stringify(finish(storageJson(contract!, "readable")));
}

/** What an owner has of all tickets together. */
export const ticketsOf = (driven: DrivenChain, owner: Address): bigint =>
  [...driven.chain.contextAt(driven.chain.head).ticketsOf(owner).values()].reduce(
    (sum, { amount }) => sum + amount,
    0n,
  );

/** Keys and values of a stored big map with numbers, as text such as "1:11 2:22". */
export const entriesOf = (driven: DrivenChain, id: bigint): string =>
  [...driven.chain.contextAt(driven.chain.head).bigMapEntries(id).values()]
    .map(({ key, value }) => `${key as bigint}:${value as bigint}`)
    .sort()
    .join(" ");
