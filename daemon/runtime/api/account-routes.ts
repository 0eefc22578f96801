// Account routes: balance, nonce, code and key-value store, as committed.
import type { FastifyInstance } from "fastify";
import { stringifyExact } from "../../protocol/exact-json.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { sendEmpty, sendError, sendJson, sendStoredJson, sendText } from "./answers.ts";
import { countOf } from "./operation-routes.ts";

/** Accounts in one answer. */
const MAX_LISTED = 1_000;

interface ListRoute {
  Querystring: { kind?: unknown; after?: unknown; limit?: string; address?: string | string[] };
}

interface AccountRoute {
  Params: { address: string };
  Querystring: { key?: string | string[] };
}

export function accountRoutes(server: FastifyInstance, ledger: Ledger): void {
  server.get<ListRoute>("/accounts", ({ query: { kind = "user", after, limit, address } }, reply) => {
    if (address !== undefined) {
      const wanted = [address].flat();
      if (wanted.length > MAX_LISTED)
        return sendText(reply, 400, "Failed to deserialize query string: too many addresses");
      const existing = wanted.filter((one) => ledger.account(one) !== undefined);
      return sendJson(reply, JSON.stringify(listOf(ledger, existing, undefined, MAX_LISTED)));
    }
    const count = countOf(limit, MAX_LISTED);
    if (count === undefined || (kind !== "user" && kind !== "function"))
      return sendText(reply, 400, "Failed to deserialize query string: kind and limit");
    const addresses = kind === "function" ? ledger.functions() : usersOf(ledger);
    sendJson(reply, JSON.stringify(listOf(ledger, addresses, after, Math.min(count, MAX_LISTED))));
  });

  server.get<AccountRoute>("/accounts/:address", ({ params: { address } }, reply) => {
    const account = ledger.account(address);
    if (account === undefined) return sendEmpty(reply, 404);
    const { amount, nonce } = account;
    const report = address.startsWith("KT1")
      ? { SmartFunction: { amount, nonce, functionCode: ledger.code(address) ?? "" } }
      : { User: { amount, nonce } };
    sendJson(reply, stringifyExact(report));
  });

  server.get<AccountRoute>("/accounts/:address/nonce", ({ params: { address } }, reply) => {
    const account = ledger.account(address);
    if (account === undefined) return sendEmpty(reply, 404);
    sendJson(reply, account.nonce.toString());
  });

  server.get<AccountRoute>("/accounts/:address/balance", ({ params: { address } }, reply) => {
    const account = ledger.account(address);
    if (account === undefined) return sendEmpty(reply, 404);
    sendJson(reply, account.amount.toString());
  });

  server.get<AccountRoute>("/accounts/:address/code", ({ params: { address } }, reply) => {
    if (ledger.account(address) === undefined) return sendEmpty(reply, 404);
    if (!address.startsWith("KT1")) return sendError(reply, 400, "Account is not a smart function");
    sendJson(reply, JSON.stringify(ledger.code(address) ?? ""));
  });

  server.get<AccountRoute>("/accounts/:address/kv", ({ params: { address }, query: { key } }, reply) => {
    if (Array.isArray(key))
      return sendText(reply, 400, "Failed to deserialize query string: duplicate field `key`");
    const value = key === undefined ? undefined : ledger.value(address, key);
    if (value === undefined) sendEmpty(reply, 404);
    else sendStoredJson(reply, value);
  });

  server.get<AccountRoute>(
    "/accounts/:address/kv/subkeys",
    ({ params: { address }, query: { key } }, reply) => {
      if (Array.isArray(key))
        return sendText(reply, 400, "Failed to deserialize query string: duplicate field `key`");
      const subkeys = ledger.subkeys(address, key);
      if (subkeys === undefined) sendEmpty(reply, 404);
      else sendJson(reply, JSON.stringify(subkeys));
    },
  );
}

function* usersOf(ledger: Ledger): Generator<string> {
  for (const address of ledger.addresses()) if (!address.startsWith("KT1")) yield address;
}

/** One page of a list; addresses stay in the order of their creation. */
function listOf(ledger: Ledger, addresses: Iterable<string>, after: unknown, limit: number): object {
  const accounts: object[] = [];
  let total = 0;
  let isPast = after === undefined;
  for (const address of addresses) {
    total++;
    if (isPast && accounts.length < limit) {
      const { amount = 0n, nonce = 0n } = ledger.account(address) ?? {};
      accounts.push({ address, amount: amount.toString(), nonce: nonce.toString() });
    }
    isPast ||= address === after;
  }
  return { total, accounts };
}
