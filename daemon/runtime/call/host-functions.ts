// Functions of the runtime itself, `jstz://jstz/...`: balances for functions, withdrawals for all callers.
import { parseExact, stringifyExact, toUnsigned } from "../../protocol/exact-json.ts";
import { TEXTS } from "../../protocol/real-runtime.ts";
import { isRuntimeAddress, isSmartFunctionAddress } from "../../protocol/runtime-address.ts";
import { type Address, addressKind } from "../../tezos/address.ts";
import { type Fields, isObject } from "../../tezos/json-fields.ts";
import { mutez } from "../../tezos/mutez.ts";
import { ticketReturnMessage } from "../inbox/ticket-return.ts";
import { ticketHash } from "../inbox/ticket.ts";
import { ProtocolError } from "../ledger/ledger-error.ts";
import type { Transaction } from "../ledger/transaction.ts";
import {
  bodyBytes,
  type CallRequest,
  type CallResponse,
  emptyResponse,
  failureResponse,
  textResponse,
} from "./http-message.ts";

interface HostCaller {
  readonly address: Address;
  readonly transaction: Transaction;
  readonly topLevel: boolean;
}

interface HostState {
  dirty: boolean;
  withdrawals: number;
  readonly world: { readonly exchangerAddress: Address; readonly strict: boolean };
}

/** Messages to layer 1 per operation: as many as a block of layer 1 accepts. */
const MAX_WITHDRAWALS = 100;
/**
 * Bytes of a withdrawal request. A message has at most 4 KiB, and each of its bytes takes up to four characters here.
 */
const MAX_BODY = 20 * 1024;
/**
 * Far above any valid request. Parsing stops at these, since such content costs far more memory and time than its
 * length suggests.
 */
const JSON_LIMITS = { longIntegers: 8, containers: 16, members: 32 };
/** Engine units per byte of a body: parsing one takes as long as this much bytecode. */
const GAS_PER_BYTE = 6;

/** Cost of a host function call in engine units, in addition to that of every request. */
export const hostFunctionGas = (request: CallRequest): bigint =>
  BigInt(GAS_PER_BYTE * Math.min(request.body?.length ?? 0, MAX_BODY));

/** Hears of what leaves for layer 1: mutez, or tickets of a token, which have a ticketer. */
type OnWithdrawn = (receiver: string, amount: bigint, ticketer?: string) => void;

/** Answers a request to a host function on the transaction of its caller. */
export function callHostFunction(
  state: HostState,
  caller: HostCaller,
  request: CallRequest,
  path: string,
  onWithdrawn: OnWithdrawn,
): CallResponse {
  switch (path) {
    case "/withdraw":
    case "/fa-withdraw":
      if (state.world.strict) {
        const { topLevel } = caller;
        return topLevel
          ? textResponse(400, "Bad Request", TEXTS.withdrawal)
          : textResponse(404, "Not Found", "Not Found");
      }
      if (++state.withdrawals > MAX_WITHDRAWALS) return failureResponse("RuntimeError", "TooManyWithdrawals");
      return onlyPost(request, () =>
        path === "/withdraw"
          ? withdraw(state, caller, request, onWithdrawn)
          : faWithdraw(state, caller, request, onWithdrawn),
      );
  }
  if (caller.topLevel) return textResponse(400, "Bad Request", "Unsupported HostScript endpoint");
  const balanceOf = /^\/balances\/([^/]+)$/.exec(path)?.[1];
  if (balanceOf === undefined) return textResponse(404, "Not Found", "Not Found");
  if (request.method !== "GET") return textResponse(405, "Method Not Allowed", "Only GET method is allowed");
  const address = balanceOf === "self" ? caller.address : balanceOf;
  if (!isRuntimeAddress(address)) return textResponse(400, "Bad Request", "InvalidAddress");
  state.dirty = true;
  if (state.world.strict) caller.transaction.open(address);
  return textResponse(200, "OK", caller.transaction.balance(address).toString());
}

function onlyPost(request: CallRequest, act: () => CallResponse): CallResponse {
  if (request.method !== "POST")
    return textResponse(405, "Method Not Allowed", "Only POST method is allowed");
  try {
    return act();
  } catch (error) {
    if (error instanceof ProtocolError) return failureResponse("RuntimeError", error.message);
    throw error;
  }
}

const badBody = (expected: string): CallResponse =>
  textResponse(
    400,
    "Bad Request",
    `The body must be JSON of at most ${MAX_BODY} bytes, of the form ${expected}`,
  );

/** Debits tez and sends their ticket back to the exchanger, which pays them to the receiver on layer 1. */
function withdraw(
  state: HostState,
  caller: HostCaller,
  request: CallRequest,
  onWithdrawn: OnWithdrawn,
): CallResponse {
  const body = jsonBody(request);
  const amount = toUnsigned(body?.["amount"]);
  const receiver = body?.["receiver"];
  if (amount === undefined || amount === 0n || typeof receiver !== "string") {
    return badBody('{"amount": <mutez>, "receiver": "tz1..."}');
  }
  if (!isLayer1Receiver(receiver)) return textResponse(400, "Bad Request", "InvalidAddress");
  state.dirty = true;
  caller.transaction.debit(caller.address, mutez(amount));
  const ticketer = state.world.exchangerAddress;
  const ticket = { ticketer, id: 0n, content: null, amount };
  caller.transaction.send({
    bytes: ticketReturnMessage({ destination: ticketer, entrypoint: "burn", receiver, ticket }),
  });
  onWithdrawn(receiver, amount);
  return emptyResponse(200, "OK");
}

/** Sends tickets of another token back to the layer 1 contract that keeps the token. */
function faWithdraw(
  state: HostState,
  caller: HostCaller,
  request: CallRequest,
  onWithdrawn: OnWithdrawn,
): CallResponse {
  const body = jsonBody(request);
  const amount = toUnsigned(body?.["amount"]);
  const routing = asObject(body?.["routingInfo"]);
  const info = asObject(body?.["ticketInfo"]);
  const id = toUnsigned(info?.["id"]);
  const content = asContent(info?.["content"]);
  const receiver = routing?.["receiver"];
  const proxyL1Contract = routing?.["proxyL1Contract"];
  const ticketer = info?.["ticketer"];
  if (
    amount === undefined ||
    amount === 0n ||
    id === undefined ||
    content === undefined ||
    typeof receiver !== "string" ||
    typeof proxyL1Contract !== "string" ||
    typeof ticketer !== "string"
  ) {
    return badBody(
      '{"amount", "routingInfo": {"receiver", "proxyL1Contract"}, "ticketInfo": {"id", "content", "ticketer"}}',
    );
  }
  if (
    !isLayer1Receiver(receiver) ||
    !isSmartFunctionAddress(proxyL1Contract) ||
    !isSmartFunctionAddress(ticketer)
  ) {
    return textResponse(400, "Bad Request", "InvalidAddress");
  }
  state.dirty = true;
  const kind = { ticketer, id, content };
  caller.transaction.debitTicket(ticketHash(kind), caller.address, amount);
  caller.transaction.send({
    bytes: ticketReturnMessage({
      destination: proxyL1Contract,
      entrypoint: "withdraw",
      receiver,
      ticket: { ...kind, amount },
    }),
  });
  onWithdrawn(receiver, amount, ticketer);
  const receipt = {
    source: caller.address,
    amount,
    routingInfo: { receiver, proxyL1Contract },
    ticketInfo: { id, content: content === null ? null : [...content], ticketer },
  };
  return textResponse(200, "OK", stringifyExact(receipt));
}

/** Accounts that layer 1 can pay. */
function isLayer1Receiver(address: string): address is Address {
  const kind = addressKind(address);
  return kind !== undefined && kind !== "sr1";
}

function jsonBody(request: CallRequest): Fields | undefined {
  if ((request.body?.length ?? 0) > MAX_BODY) return undefined; // before the copy to bytes
  const bytes = bodyBytes(request.body);
  if (bytes === null || bytes.length > MAX_BODY) return undefined;
  try {
    return asObject(parseExact(Buffer.from(bytes).toString("utf8"), JSON_LIMITS));
  } catch {
    return undefined; // not JSON: the caller reports it
  }
}

const asObject = (value: unknown): Fields | undefined => (isObject(value) ? value : undefined);

/** Ticket contents: null or a list of byte values. */
function asContent(value: unknown): Uint8Array | null | undefined {
  if (value === null) return null;
  if (!Array.isArray(value)) return undefined;
  const good = value.every(
    (byte) => Number.isInteger(byte) && (byte as number) >= 0 && (byte as number) <= 255,
  );
  return good ? Uint8Array.from(value as number[]) : undefined;
}
