// Ambient types of the globals of smart functions in addition to the web platform's.
// Use them with `/// <reference types="functez/types" />` or `"types": ["functez/types"]` in tsconfig.json.

/** A value that can be stored as JSON. */
type KvValue = null | boolean | number | string | readonly KvValue[] | { readonly [key: string]: KvValue };

/** An address of the runtime: `tz1…`, `tz2…`, `tz3…` or `KT1…`. */
type Address = string;

/**
 * Key-value store of the running smart function: no other function reads or writes it. Keys are path-like: segments of
 * `A-Za-z0-9._-` between `/`, at most 196 characters. A call that throws, or answers with a status outside of 200–299,
 * changes nothing.
 * @example
 * ```ts
 * export default (request: Request): Response => {
 *   const visits = (Kv.get<number>("visits") ?? 0) + 1;
 *   Kv.set("visits", visits);
 *   return Response.json({ visits });
 * };
 * ```
 */
declare const Kv: {
  /**
   * The stored value, or null for a missing key. The type is what you say: the store does not check it.
   * @example
   * ```ts
   * export default (): Response => {
   *   const owner = Kv.get<Address>("owner");
   *   return owner === null ? new Response("nobody") : new Response(owner);
   * };
   * ```
   */
  get<T = KvValue>(key: string): T | null;
  /**
   * Stores a value as JSON, and replaces the former one.
   * @example
   * ```ts
   * export default (request: Request): Response => {
   *   const sender = request.headers.get("Referer") ?? "unknown";
   *   Kv.set(`votes/${sender}`, { choice: "yes", at: Date.now() });
   *   return new Response("stored");
   * };
   * ```
   */
  set(key: string, value: unknown): void;
  /**
   * Removes a value; removing a missing one is not an error.
   * @example
   * ```ts
   * export default (): Response => {
   *   Kv.delete("draft");
   *   return new Response(null, { status: 204 });
   * };
   * ```
   */
  delete(key: string): void;
  /** Same as `contains`, in this sandbox only. */
  has(key: string): boolean;
  /**
   * Whether the key has a value.
   * @example
   * ```ts
   * export default (): Response => {
   *   if (!Kv.contains("opened")) Kv.set("opened", new Date().toISOString());
   *   return Response.json(Kv.get("opened"));
   * };
   * ```
   */
  contains(key: string): boolean;
};

/**
 * Balances and transfers of tez, in mutez (1 tez = 1,000,000 mutez).
 * @example
 * ```ts
 * export default (): Response => {
 *   const mutez = Ledger.balance(Ledger.selfAddress);
 *   return new Response(`I have ${mutez / 1_000_000} tez`);
 * };
 * ```
 */
declare const Ledger: {
  /** Address (KT1…) of the running smart function. */
  readonly selfAddress: string;
  /** Balance of an account in mutez; 0 for an account that does not exist. */
  balance(address: string): number;
  /**
   * Moves mutez from the running smart function to an account. Throws `InsufficientFunds`.
   * @example
   * ```ts
   * export default (request: Request): Response => {
   *   const winner = request.headers.get("Referer") ?? "";
   *   const pot = Ledger.balance(Ledger.selfAddress);
   *   if (pot > 0) Ledger.transfer(winner, pot);
   *   return Response.json({ winner, pot });
   * };
   * ```
   */
  transfer(address: string, mutez: number): void;
};

/**
 * Creating and calling smart functions, in this sandbox only.
 * @example
 * ```ts
 * export default async (): Promise<Response> => {
 *   const address = await SmartFunction.create('export default () => new Response("hello")');
 *   const answer = await SmartFunction.call(new Request(`jstz://${address}/`));
 *   return new Response(await answer.text());
 * };
 * ```
 */
declare const SmartFunction: {
  /** Deploys a smart function with the running one as its creator; resolves with its address. */
  create(code: string, mutez?: number): Promise<string>;
  /** Same as `fetch`. */
  call(request: Request): Promise<Response>;
};

/**
 * `Request` with the runtime's own constructor.
 * @example
 * ```ts
 * const { withTransfer } = Request as unknown as RequestConstructorWithTransfer;
 *
 * export default async (request: Request): Promise<Response> => {
 *   const shop = request.headers.get("x-shop"); // jstz://KT1…/
 *   if (shop === null || Ledger.balance(Ledger.selfAddress) < 1_000_000) return new Response("nothing bought");
 *   return fetch(withTransfer(shop, 1_000_000));
 * };
 * ```
 */
interface RequestConstructorWithTransfer {
  /** A request that carries mutez to the function it calls. */
  withTransfer(input: RequestInfo | URL, mutez: number, init?: RequestInit): Request;
}
/**
 * `Response` with the runtime's own constructor.
 * @example
 * ```ts
 * const { withTransfer } = Response as unknown as ResponseConstructorWithTransfer;
 *
 * export default (): Response => {
 *   const change = Ledger.balance(Ledger.selfAddress);
 *   return change > 0 ? withTransfer("your change", change) : new Response("no change");
 * };
 * ```
 */
interface ResponseConstructorWithTransfer {
  /** A response that carries mutez back to the caller. */
  withTransfer(body: BodyInit | null, mutez: number, init?: ResponseInit): Response;
}
