// Kv, Ledger and SmartFunction: the program's access to the protocol. All checks here are repeated by the host.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { notSupported } from "./errors.ts";
import { fetch } from "./fetch.ts";
import { callHost, phase } from "./host.ts";
import type { Response } from "./response.ts";
import { required } from "./webidl.ts";

/** Deploy-time checks evaluate the module without protocol access. */
export function assertProtocol(what: string): void {
  if (phase.checking) throw notSupported(`${what} is not supported`);
}

class KvStore {
  static get(key: unknown): unknown {
    assertProtocol("Kv");
    required(arguments, 1, "Kv.get");
    const text = callHost("kv.get", `${key as string}`);
    return text === undefined ? null : JSON.parse(text);
  }

  static set(key: unknown, value: unknown): void {
    assertProtocol("Kv");
    required(arguments, 2, "Kv.set");
    callHost("kv.set", `${key as string}`, (JSON.stringify(value) as string | undefined) ?? "null");
  }

  static delete(key: unknown): void {
    assertProtocol("Kv");
    required(arguments, 1, "Kv.delete");
    callHost("kv.delete", `${key as string}`);
  }

  static has(key: unknown): boolean {
    assertProtocol("Kv");
    required(arguments, 1, "Kv.has");
    return callHost("kv.has", `${key as string}`) === "1";
  }

  /** The name of `has` in the current runtime. */
  static contains(key: unknown): boolean {
    return KvStore.has(key);
  }
}

const plain = (source: object, name: string): object => {
  const target: Record<string, unknown> = {};
  for (const key of Object.getOwnPropertyNames(source)) {
    if (key === "length" || key === "name" || key === "prototype") continue;
    const property = Object.getOwnPropertyDescriptor(source, key) as PropertyDescriptor;
    Object.defineProperty(target, key, { ...property, enumerable: true });
  }
  Object.defineProperty(target, Symbol.toStringTag, { value: name });
  return Object.freeze(target);
};

export const Kv = plain(KvStore, "Kv");

/** Tez amounts are sent as decimal text: the host rejects anything but a whole number of mutez. */
const amountText = (amount: unknown): string =>
  typeof amount === "bigint" ? amount.toString() : `${amount as string}`;

class LedgerAccess {
  static get selfAddress(): string {
    return callHost("ledger.self");
  }

  static balance(address: unknown): number {
    required(arguments, 1, "Ledger.balance");
    return Number(callHost("ledger.balance", `${address as string}`));
  }

  static transfer(address: unknown, amount: unknown): void {
    required(arguments, 2, "Ledger.transfer");
    callHost("ledger.transfer", `${address as string}`, amountText(amount));
  }
}

export const Ledger = plain(LedgerAccess, "Ledger");

class SmartFunctions {
  static async create(code: unknown, credit: unknown = 0): Promise<string> {
    required(arguments, 1, "SmartFunction.create");
    return callHost("function.create", `${code as string}`, amountText(credit));
  }

  static call(request: unknown, init: unknown = undefined): Promise<Response> {
    return fetch(request, init);
  }
}

export const SmartFunction = plain(SmartFunctions, "SmartFunction");
