// The operations that a running smart function can ask of its host: the contract between the engine (which passes
// them on, charges gas for them and knows nothing more) and the call semantics (which carries them out on the
// running account). Arguments and answers are strings.

/**
 * | operation | arguments | answer |
 * |---|---|---|
 * | `kv.get` | key | JSON text of the value, undefined when there is none |
 * | `kv.set` | key, JSON text | - |
 * | `kv.delete` | key | - |
 * | `kv.has` | key | "1" or "" |
 * | `ledger.self` | - | own address |
 * | `ledger.balance` | address | decimal mutez |
 * | `ledger.transfer` | address, amount as the program gave it (text) | - |
 * | `function.create` | code, credit as the program gave it (text) | address of the new function |
 * | `console` | level `debug`, `info`, `warn` or `error`; text | - |
 */
export const HOST_OPS = [
  "kv.get",
  "kv.set",
  "kv.delete",
  "kv.has",
  "ledger.self",
  "ledger.balance",
  "ledger.transfer",
  "function.create",
  "console",
] as const;

export type HostOp = (typeof HOST_OPS)[number];

export interface GuestRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | null;
}

export interface GuestResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | null;
  /** `Response.error()`: status 0. */
  readonly type?: "error";
}

/**
 * What one live call may ask. Both functions are called while the guest is on the stack, in program order; they may
 * open and run other calls of the same engine (nested smart functions), and throw `GuestError(class, message)` to
 * raise an error in the guest.
 */
export interface GuestHost {
  op(name: HostOp, args: readonly string[]): string | undefined;
  /**
   * `fetch(...)` was called. Answer at once with the response, or return undefined and hand it over later with
   * `GuestCall.deliver(id, ...)`. The program sees no difference: its promise resolves after the current jobs.
   */
  fetch(id: number, request: GuestRequest): GuestResponse | undefined;
}
