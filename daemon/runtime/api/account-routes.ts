// Account routes: balance, nonce, code and key-value store, as committed.
import type { FastifyInstance } from "fastify";
import { stringifyExact } from "../../protocol/exact-json.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { sendEmpty, sendError, sendJson, sendStoredJson, sendText } from "./answers.ts";

interface AccountRoute {
  Params: { address: string };
  Querystring: { key?: string | string[] };
}

export function accountRoutes(server: FastifyInstance, ledger: Ledger): void {
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
