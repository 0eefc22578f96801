// Types of `functez/testing`, the test kit.

/** A failure with a stable code and what to do now. */
export class SandboxError extends Error {
  readonly code: string;
  readonly next: string;
}

/** An account of the runtime whose key the test has. */
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
  /** Text, or a value that is sent as JSON. */
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
  /** A stored value; undefined when the key has none. */
  kv(key: string): Promise<unknown>;
}

export interface SandboxOptions {
  /** Most gas an operation may use. */
  readonly gasCeiling?: number;
  /** `Date` shows the time of the block in place of the fixed date of the real runtime. */
  readonly realTime?: boolean;
  /** What smart functions may fetch beside public addresses. */
  readonly oracle?: { readonly allowPrivate?: boolean; readonly allowedHosts?: readonly string[] };
}

export interface Sandbox {
  readonly endpoints: { readonly sandboxd: string; readonly layer1: string; readonly runtime: string };
  /** Shown as `Authorization: Bearer <adminSecret>` where time, state or life of the sandbox is changed over HTTP. */
  readonly adminSecret: string;
  /** A new account; with `tez` it is funded over the bridge. */
  createAccount(options?: { readonly tez?: string }): Promise<TestAccount>;
  /** Moves tez over the bridge and resolves when the runtime has credited them. */
  deposit(to: TestAccount | TestFunction | string, tez: string): Promise<void>;
  /** Deploys a file (bundled if need be) or code text. Throws SandboxError BUILD_FAILED or DEPLOY_FAILED. */
  deploy(
    source: string,
    options: { readonly from: TestAccount; readonly tez?: string },
  ): Promise<TestFunction>;
  /**
   * The whole state as it is now, for `restore`: balances, functions, their values, nonces, layer 1 with its contracts
   * and tickets. The 16 snapshots that were used last are kept.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Goes back to a snapshot; as often as you like. Layer 1 goes on forward with a new block that has the state of that
   * time, so clients that follow it need not know. Throws SandboxError SNAPSHOT_UNKNOWN when it is no longer kept.
   */
  restore(snapshot: Snapshot): Promise<void>;
  stop(): Promise<void>;
}

/** A state of the sandbox to go back to. */
export interface Snapshot {
  readonly id: string;
}

/** Starts a sandbox in this process. Stop it when the tests are done. */
export function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
