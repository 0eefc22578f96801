// What a running guest does to the world: its key-value store, balances, transfers, deploys, logs, requests.
import { isRuntimeAddress } from "../../protocol/runtime-address.ts";
import type { Address } from "../../tezos/address.ts";
import { kvKeyProblem } from "../ledger/kv-key.ts";
import { ProtocolError } from "../ledger/ledger-error.ts";
import type { CallTree } from "./call-tree.ts";
import { deployFunction } from "./deploy.ts";
import { type GuestEffects, GuestFailure } from "./guest.ts";
import { isJson } from "./json-text.ts";
import type { LiveCall } from "./live-call.ts";

/** Effects of one live call, on its own transaction. */
export function guestEffects(tree: CallTree, call: LiveCall): GuestEffects {
  const { address, transaction, trace } = call;

  function checkKey(key: string): void {
    const problem = kvKeyProblem(key);
    if (problem !== undefined) throw new GuestFailure("Error", problem);
  }

  function checkAddress(text: string): asserts text is Address {
    if (!isRuntimeAddress(text)) throw new GuestFailure("Error", "InvalidAddress");
  }

  return {
    selfAddress: address,
    view: transaction,
    kvGet(key) {
      checkKey(key);
      tree.dirty = true;
      const value = transaction.value(address, key);
      tree.recorder.kv(trace, "get", key, { value: value ?? null });
      return value;
    },
    kvSet(key, json) {
      checkKey(key);
      tree.dirty = true;
      if (!tree.mayWrite(key.length + json.length)) {
        throw new GuestFailure("Error", "The operation writes more than it may");
      }
      // After the size limits, so that parsing stays within the gas charged by length.
      if (!isJson(json)) throw new GuestFailure("TypeError", "Kv stores JSON only");
      const before = transaction.value(address, key) ?? null;
      transaction.setValue(address, key, json);
      tree.recorder.kv(trace, "set", key, { value: json, before });
    },
    kvDelete(key) {
      checkKey(key);
      tree.dirty = true;
      const before = transaction.value(address, key) ?? null;
      transaction.setValue(address, key, undefined);
      tree.recorder.kv(trace, "delete", key, { before });
    },
    kvHas(key) {
      checkKey(key);
      tree.dirty = true;
      tree.recorder.kv(trace, "has", key);
      return transaction.value(address, key) !== undefined;
    },
    balance(of) {
      checkAddress(of);
      tree.dirty = true;
      if (tree.world.strict) transaction.open(of);
      return transaction.balance(of);
    },
    transfer(to, amount) {
      checkAddress(to);
      tree.dirty = true;
      asGuestFailure(() => transaction.transfer(address, to, amount));
      tree.recorder.transfer(trace, address, to, amount);
    },
    create(code, credit) {
      tree.dirty = true;
      if (!tree.mayWrite(code.length))
        throw new GuestFailure("Error", "The operation writes more than it may");
      return asGuestFailure(() => {
        const creatorNonce = transaction.nonce(address);
        const attempt = transaction.begin();
        attempt.bumpNonce(address);
        const created = deployFunction(tree.world.engine, attempt, {
          creator: address,
          creatorNonce,
          code,
          credit,
          gas: tree.gas.forDeployedModule,
          spend: (units) => call.guest.charge(tree.gas.payForModule(units)),
        });
        attempt.commit();
        if (credit > 0n) tree.recorder.transfer(trace, address, created, credit);
        return created;
      });
    },
    log(level, text) {
      tree.log(call, level, text);
    },
    fetch(id, request) {
      if (!tree.announce(call, id, request)) throw new GuestFailure("Error", "Too many requests at once");
    },
  };
}

function asGuestFailure<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ProtocolError) throw new GuestFailure("Error", error.message);
    throw error;
  }
}
