// Ambient types of the globals of smart functions in addition to the web platform's.
// Use them with `/// <reference types="functez/types" />` or `"types": ["functez/types"]` in tsconfig.json.

/** A value that can be stored as JSON. */
type KvValue = null | boolean | number | string | readonly KvValue[] | { readonly [key: string]: KvValue };

/** An address of the runtime: `tz1…`, `tz2…`, `tz3…` or `KT1…`. */
type Address = string;

/** Key-value store of the running smart function. Keys are path-like: segments of `A-Za-z0-9._-` between `/`. */
declare const Kv: {
  /** The stored value, or null for a missing key. */
  get<T = KvValue>(key: string): T | null;
  /** Stores a value as JSON. */
  set(key: string, value: unknown): void;
  /** Removes a value; removing a missing one is not an error. */
  delete(key: string): void;
  /** Same as `contains`, in this sandbox only. */
  has(key: string): boolean;
  /** Whether the key has a value. */
  contains(key: string): boolean;
};

/** Balances and transfers of tez, in mutez (1 tez = 1,000,000 mutez). */
declare const Ledger: {
  /** Address (KT1…) of the running smart function. */
  readonly selfAddress: string;
  /** Balance of an account in mutez. */
  balance(address: string): number;
  /** Moves mutez from the running smart function to an account. Throws `InsufficientFunds`. */
  transfer(address: string, mutez: number): void;
};

/** Creating and calling smart functions, in this sandbox only. */
declare const SmartFunction: {
  /** Deploys a smart function with the running one as its creator; resolves with its address. */
  create(code: string, mutez?: number): Promise<string>;
  /** Same as `fetch`. */
  call(request: Request): Promise<Response>;
};

interface RequestConstructorWithTransfer {
  /** A request that carries mutez to the function it calls. */
  withTransfer(input: RequestInfo | URL, mutez: number, init?: RequestInit): Request;
}
interface ResponseConstructorWithTransfer {
  /** A response that carries mutez back to the caller. */
  withTransfer(body: BodyInit | null, mutez: number, init?: ResponseInit): Response;
}
