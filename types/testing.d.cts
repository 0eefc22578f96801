// Types of `functez/testing`, the test kit.

/** A failure with a stable code and the next step. */
export class SandboxError extends Error {
  readonly code: string;
  readonly next: string;
  /** `operation`: hash of the failed call, which `functez debug` opens in a sandbox that stays (`FUNCTEZ_KEEP=1`). */
  readonly data: { readonly operation?: string };
}

/** An account of the runtime, with its key. */
export interface TestAccount {
  readonly address: string;
  readonly secretKey: string;
  /** Balance in the runtime, in mutez. */
  balance(): Promise<bigint>;
}

export interface CallOptions {
  readonly from: TestAccount;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value to send as JSON. */
  readonly body?: unknown;
  /** Tez to attach. */
  readonly tez?: string;
  readonly gasLimit?: number;
}

/** A deployed smart function. */
export interface TestFunction {
  readonly address: string;
  /** Calls it with a signed operation and resolves with its response. Throws SandboxError RUN_FAILED. */
  call(path: string, options: CallOptions): Promise<Response>;
  /** Balance in mutez. */
  balance(): Promise<bigint>;
  /** A stored value; undefined for a missing key. */
  kv(key: string): Promise<unknown>;
}

export interface SandboxOptions {
  /** Gas limit of an operation. */
  readonly gasCeiling?: number;
  /** `Date` shows the time of the block instead of the real runtime's fixed date. */
  readonly realTime?: boolean;
  /** Smart functions run like on the real runtime: without what only this sandbox has. */
  readonly strict?: boolean;
  /** What smart functions may fetch in addition to public addresses. */
  readonly oracle?: { readonly allowPrivate?: boolean; readonly allowedHosts?: readonly string[] };
}

export interface Sandbox {
  readonly endpoints: { readonly sandboxd: string; readonly layer1: string; readonly runtime: string };
  /** Send it as `Authorization: Bearer <adminSecret>` to change time, state or lifetime of the sandbox over HTTP. */
  readonly adminSecret: string;
  /** Creates an account; `tez` funds it over the bridge. */
  createAccount(options?: { readonly tez?: string }): Promise<TestAccount>;
  /** Moves tez over the bridge and resolves when the runtime has credited them. */
  deposit(to: TestAccount | TestFunction | string, tez: string): Promise<void>;
  /** Deploys a file (bundled if necessary) or code text. Throws SandboxError BUILD_FAILED or DEPLOY_FAILED. */
  deploy(
    source: string,
    options: { readonly from: TestAccount; readonly tez?: string },
  ): Promise<TestFunction>;
  /**
   * Saves the whole state for `restore`: balances, functions, their values, nonces, layer 1 with its contracts and
   * tickets. The 16 most recently used snapshots are kept.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Restores a snapshot, any number of times. Layer 1 continues with a new block that has the state of the snapshot, so
   * clients that follow it need not know. Throws SandboxError SNAPSHOT_UNKNOWN when it is no longer kept.
   */
  restore(snapshot: Snapshot): Promise<void>;
  /**
   * For `afterEach((test) => sandbox.printFailure(test))`: if the test failed, prints its last operations, where the last
   * failed call failed, and how to open it in the debugger. `test` is what Vitest and `node:test` pass, or mocha's `this`;
   * without it, it prints in any case.
   */
  printFailure(test?: unknown): Promise<void>;
  /** With `FUNCTEZ_KEEP=1` the sandbox, a process of its own then, goes on until `functez sandbox stop`. */
  stop(): Promise<void>;
}

/** A saved state of the sandbox. */
export interface Snapshot {
  readonly id: string;
}

/** Starts a sandbox in this process. Stop it after the tests. */
export function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
