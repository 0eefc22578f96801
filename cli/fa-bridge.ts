// Common to the commands of FA bridges: Michelson in layer 1's form, aliases of layer 1 contracts, and the storage of
// contracts on the chain.
import type { Layer1Client } from "../daemon/client/layer1-client.ts";
import type { OperationDraft } from "../daemon/client/layer1-operation.ts";
import { isError, SandboxError } from "../daemon/protocol/errors.ts";
import type { FaToken } from "../daemon/protocol/fa-bridge-scripts.ts";
import { type Address, addressKind, addressOf, isAddress } from "../daemon/tezos/address.ts";
import { fieldsOf, michelineField, optionalField, textField } from "../daemon/tezos/json-fields.ts";
import {
  asApplication,
  asBytes,
  asInteger,
  asOption,
  asText,
  combOf,
} from "../daemon/tezos/micheline-data.ts";
import { parseMichelineText, parseScriptText } from "../daemon/tezos/micheline-text.ts";
import { type Micheline, isSequence } from "../daemon/tezos/micheline.ts";
import type { CliConfig } from "./config/parse-config.ts";

/** Origination of a contract in Michelson text. */
export function originationOf(script: string, storage: string): OperationDraft {
  return {
    kind: "origination",
    script: { code: parseScriptText(script), storage: parseMichelineText(storage) },
  };
}

/** A call without tez. */
export function callOf(destination: Address, entrypoint: string, value: Micheline): OperationDraft {
  return { kind: "transaction", destination, amount: 0n, parameters: { entrypoint, value } };
}

/** Address of a layer 1 contract, by alias or address. @throws SandboxError UNKNOWN_ALIAS, BAD_ADDRESS */
export function resolveContract(config: CliConfig, text: string): Address {
  const contracts = config.layer1_contracts ?? {};
  if (Object.hasOwn(contracts, text)) return addressOf(contracts[text]!);
  const kind = addressKind(text);
  if (kind === "KT1") return addressOf(text);
  if (kind !== undefined) {
    throw new SandboxError("BAD_ADDRESS", {
      found: text,
      expected: "a contract of layer 1",
      reason: "it is not a KT1 address",
      next: "Give the KT1 address of the contract, or an alias created by `functez bridge fa-deploy`.",
    });
  }
  const known = Object.keys(contracts).join(", ");
  throw new SandboxError("UNKNOWN_ALIAS", {
    found: text,
    next: known === "" ? "`functez bridge fa-deploy` creates such aliases." : `Known contracts: ${known}.`,
  });
}

/** A number of tokens. @throws SandboxError BAD_OPTION */
export function naturalOf(
  option: string,
  text: string,
  { least = 0n, most }: { readonly least?: bigint; readonly most?: bigint } = {},
): bigint {
  const number = /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (number !== undefined && number >= least && (most === undefined || number <= most)) return number;
  const bounds = [least > 0n ? `at least ${least}` : "", most === undefined ? "" : `at most ${most}`];
  const expected = ["a whole number", ...bounds.filter((bound) => bound !== "")].join(", ");
  throw new SandboxError("BAD_OPTION", { option, found: text, expected });
}

const contractPath = (address: string): string => `/chains/main/blocks/head/context/contracts/${address}`;

const storageOf = (json: unknown): Micheline => michelineField(json, "body");

/** Whether a contract is an FA1.2 or FA2 token. @throws SandboxError BAD_ADDRESS */
export async function tokenKind(layer1: Layer1Client, address: string): Promise<"FA1.2" | "FA2"> {
  const entrypoints = await readContract(layer1, address, "entrypoints", (json) =>
    fieldsOf(fieldsOf(json, "body")["entrypoints"], "entrypoints"),
  );
  const transfer = optionalField(entrypoints["transfer"], (type) => michelineField(type, "transfer"));
  if (transfer !== undefined && "prim" in transfer) {
    if (transfer.prim === "list" && entrypoints["update_operators"]) return "FA2";
    if (transfer.prim === "pair" && entrypoints["approve"]) return "FA1.2";
  }
  throw notA(address, "a token (FA1.2 or FA2)", "it has other entrypoints");
}

interface BridgedToken extends FaToken {
  readonly address: Address;
}

/** The facts in a bridge's storage. */
export interface FaBridge {
  readonly token: BridgedToken;
  readonly ticketer: string;
  readonly proxy: string | undefined;
}

/** @throws SandboxError BAD_ADDRESS when the contract is not an FA bridge */
export async function readBridge(layer1: Layer1Client, address: string): Promise<FaBridge> {
  const storage = await readContract(layer1, address, "storage", storageOf);
  const [tokenValue, ticketerValue, proxyValue] = combOf(storage);
  const token = tokenOf(tokenValue);
  const ticketer = asText(ticketerValue);
  if (token === undefined || ticketer === undefined)
    throw notA(address, "an FA bridge", "its storage has another form");
  return { token, ticketer, proxy: asText(asOption(proxyValue) ?? undefined) };
}

/** `Left address` is an FA1.2 token, `Right (Pair address id)` an FA2 token. */
function tokenOf(value: Micheline | undefined): BridgedToken | undefined {
  const [fa12] = asApplication(value, "Left") ?? [];
  const [contract, idValue] = combOf(asApplication(value, "Right")?.[0] ?? fa12);
  const address = asText(contract);
  const id = asInteger(idValue);
  if (address === undefined || !isAddress(address)) return undefined;
  if (fa12 !== undefined) return { address };
  return id === undefined ? undefined : { address, id };
}

/** Content of a ticketer's tickets, in the form of the runtime's host function. */
export interface Ticket {
  readonly id: bigint;
  /** Bytes, or null for none. */
  readonly content: readonly number[] | null;
}

/** @throws SandboxError BAD_ADDRESS when the contract is not the ticketer of an FA bridge */
export async function readTicket(layer1: Layer1Client, ticketer: string): Promise<Ticket> {
  const [, , pair] = combOf(await readContract(layer1, ticketer, "storage", storageOf));
  const [idValue, contentValue] = combOf(pair);
  const id = asInteger(idValue);
  const option = asOption(contentValue);
  const content = option === null ? null : asBytes(option);
  if (id === undefined || content === undefined)
    throw notA(ticketer, "the ticketer of an FA bridge", "its storage has another form");
  return { id, content: content && [...content] };
}

/** Token balance of a layer 1 account, from the token's own callback view. @throws SandboxError */
export async function tokenBalance(
  layer1: Layer1Client,
  { address, id }: FaToken,
  owner: string,
): Promise<bigint> {
  const view: { readonly entrypoint: string; readonly input: Micheline } =
    id === undefined
      ? { entrypoint: "getBalance", input: { string: owner } }
      : {
          entrypoint: "balance_of",
          input: [{ prim: "Pair", args: [{ string: owner }, { int: id.toString() }] }],
        };
  const data = await layer1.post(
    "/chains/main/blocks/head/helpers/scripts/run_view",
    {
      contract: address,
      ...view,
      chain_id: await layer1.get("/chains/main/chain_id", (json) => textField(json, "body")),
      unlimited_gas: true,
      unparsing_mode: "Readable",
    },
    (json) => michelineField(fieldsOf(json, "body")["data"], "data"),
  );
  const answer = id === undefined ? data : combOf(isSequence(data) ? data[0] : undefined).at(-1);
  const balance = asInteger(answer);
  if (balance === undefined) throw notA(address, "a token (FA1.2 or FA2)", "it has no view for balances");
  return balance;
}

/** @throws SandboxError BAD_ADDRESS when layer 1 has no such contract */
async function readContract<T>(
  layer1: Layer1Client,
  address: string,
  what: string,
  read: (json: unknown) => T,
): Promise<T> {
  try {
    return await layer1.get(`${contractPath(address)}/${what}`, read);
  } catch (error) {
    const isMissing = isError(error, "LAYER1_REJECTED") && error.data.status === 404;
    throw isMissing ? notA(address, "a contract of layer 1", "there is none at this address") : error;
  }
}

function notA(found: string, expected: string, reason: string): SandboxError {
  const next = "Check the address. A restart of the sandbox removes all contracts: deploy them again.";
  return new SandboxError("BAD_ADDRESS", { found, expected, reason, next });
}
