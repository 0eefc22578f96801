// The sandbox as seen by this window: starts it or attaches to it, follows its events, and reports its state. State
// comes from the daemon and is never guessed.
import { isThereToStay } from "../../daemon/client/lasting-sandbox.ts";
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { type SandboxEvent, sandboxEventOf } from "../../daemon/client/sandbox-events.ts";
import { LOOPBACK, VERSION } from "../../daemon/protocol/constants.ts";
import { reasonOf } from "../../daemon/protocol/errors.ts";
import type {
  AccountRow,
  HealthReport,
  SnapshotList,
  StoredValue,
} from "../../daemon/protocol/sandbox-api.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { type DaemonProcess, DaemonStartError } from "./daemon-process.ts";
import { codeOf } from "./error-data.ts";
import { Layer1Balances } from "./layer1-balances.ts";
import type { OperationRecord } from "./operation-history.ts";
import { OperationList } from "./operation-list.ts";
import { ownerClient } from "./owner-client.ts";
import type { RunningSandbox, SessionChange, SessionState, StartOptions } from "./session-state.ts";

export interface SessionOptions {
  /** Port of sandboxd in the settings. */
  readonly serverPort: () => number;
  /** Starts the daemon as a child of this window. */
  readonly startProcess: () => Promise<DaemonProcess>;
  /** Starts the container in the background and returns its address; undefined in process mode. */
  readonly startContainer: ((options: StartOptions) => Promise<string>) | undefined;
  readonly log: { info(text: string): void; warn(text: string): void; error(text: string): void };
}

const RECONNECT_MS = 300;

export class SandboxSession {
  readonly #options: SessionOptions;
  readonly #listeners = new Set<(change: SessionChange) => void>();
  #state: SessionState = { kind: "stopped" };
  #client: SandboxClient | undefined;
  #process: DaemonProcess | undefined;
  #following: AbortController | undefined;
  #starting: Promise<void> | undefined;
  #attaching: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #askedToStop = false;
  #layer1Balances: Layer1Balances | undefined;
  readonly #operations = new OperationList();

  parts: HealthReport["parts"] = [];
  level: number | undefined;
  accounts: readonly AccountRow[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The running sandbox, or undefined. */
  get sandbox(): RunningSandbox | undefined {
    return this.#state.kind === "running" ? this.#state.sandbox : undefined;
  }

  /** Whether a start creates a container. */
  get inContainerMode(): boolean {
    return this.#options.startContainer !== undefined;
  }

  onChange(listener: (change: SessionChange) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Attaches to a running sandbox; false when there is none. */
  async attachIfRunning(): Promise<boolean> {
    if (this.#state.kind === "running") return true;
    if (this.#starting || this.#stopping) return false;
    const client = ownerClient(`http://${LOOPBACK}:${this.#options.serverPort()}`);
    const health = await client.health();
    if (!health || health.status === "stopping") return false;
    return this.#attachUnlessGone(client);
  }

  /** Starts the sandbox, or attaches to the running one. Rejects with the reason, which also becomes the state. */
  start(options: StartOptions & { readonly withoutContainer?: boolean } = {}): Promise<void> {
    this.#starting ??= this.#start(options).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start({
    withoutContainer = false,
    ...options
  }: StartOptions & { readonly withoutContainer?: boolean }): Promise<void> {
    await this.#stopping;
    if (this.#state.kind === "running") return;
    this.#askedToStop = false;
    this.#become({ kind: "starting" });
    try {
      const client = ownerClient(`http://${LOOPBACK}:${this.#options.serverPort()}`);
      if ((await isThereToStay(client)) && (await this.#attachUnlessGone(client))) return;
      const { startContainer } = this.#options;
      if (startContainer && !withoutContainer) {
        const onProgress = (step: string) => {
          options.onProgress?.(step);
          if (this.#state.kind === "starting") this.#become({ kind: "starting", step });
        };
        return await this.#attach(ownerClient(await startContainer({ ...options, onProgress })));
      }
      await this.#startProcess();
    } catch (error) {
      const code = codeOf(error);
      const lastLines = error instanceof DaemonStartError ? error.end.lastLines : [];
      if (code === "CANCELLED") this.#become({ kind: "stopped" });
      else this.#become({ kind: "failed", ...(code && { code }), message: reasonOf(error), lastLines });
      throw error;
    }
  }

  async #startProcess(): Promise<void> {
    for (;;) {
      const started = await this.#options.startProcess();
      const client = ownerClient(started.ready.sandboxd);
      if (!started.ready.attached) {
        this.#own(started);
        return this.#attach(client);
      }
      // A daemon that only found another one exits at once: our event connection holds the other one.
      if (await this.#attachUnlessGone(client)) return;
    }
  }

  #own(started: DaemonProcess): void {
    this.#process = started;
    void started.ended.then((end) => {
      if (this.#process === started) this.#process = undefined;
      this.#onDaemonEnd(new DaemonStartError(end));
    });
  }

  /** Attaches to a sandbox that was found; false when it ended meanwhile, since its last client has left, for instance. */
  async #attachUnlessGone(client: SandboxClient): Promise<boolean> {
    try {
      await this.#attach(client);
      return true;
    } catch (error) {
      if (await isThereToStay(client)) throw error;
      this.#options.log.info(`the sandbox at ${client.endpoint} has ended: ${reasonOf(error)}`);
      return false;
    }
  }

  /** Concurrent attaches share one result. */
  #attach(client: SandboxClient): Promise<void> {
    this.#attaching ??= this.#attachTo(client).finally(() => {
      this.#attaching = undefined;
    });
    return this.#attaching;
  }

  async #attachTo(client: SandboxClient): Promise<void> {
    const health = await client.waitUntilHealthy({ silenceMs: 30_000 });
    const [endpoints, accounts] = await Promise.all([client.endpoints(), client.accounts()]);
    this.#client = client;
    this.parts = health.parts;
    this.accounts = accounts;
    this.#operations.reset();
    this.#layer1Balances = new Layer1Balances(endpoints.layer1);
    const { pid, version } = health;
    if (version !== VERSION) {
      this.#options.log.warn(`the running sandbox is functez ${version}, this extension is ${VERSION}`);
    }
    this.#become({ kind: "running", sandbox: { sandboxd: client.endpoint, ...endpoints, pid, version } });
    this.#following?.abort();
    this.#following = new AbortController();
    void this.#follow(client, this.#following.signal);
  }

  /**
   * Reads the daemon's events. The open connection is this window's lifeline, except for a daemon that it started
   * itself, whose lifeline is its stdin: each window has exactly one, so that they can be counted.
   */
  async #follow(client: SandboxClient, signal: AbortSignal): Promise<void> {
    // Fetches operations from before the stream opened, or from a gap in it.
    const onOpen = () => void this.#fetchOperations(signal);
    while (!signal.aborted) {
      try {
        for await (const sent of client.events({ lifeline: !this.#process, signal, onOpen })) {
          const event = sandboxEventOf(sent);
          if (event) this.#onEvent(event, signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log.info(`the event stream broke: ${reasonOf(error)}`);
      }
      if (signal.aborted) return;
      const health = await client.health();
      if (!health || health.status === "stopping") {
        this.#onGone();
        return;
      }
      await pause(RECONNECT_MS, signal);
    }
  }

  #onEvent({ event, data }: SandboxEvent, signal: AbortSignal): void {
    switch (event) {
      case "part":
        this.parts = [...this.parts.filter(({ name }) => name !== data.name), data].sort((a, b) =>
          a.name < b.name ? -1 : 1,
        );
        return this.#changed("parts");
      case "head":
        this.level = data.level;
        return this.#changed("head");
      case "balances":
        this.accounts = this.accounts.map(
          (row) => data.accounts.find(({ address }) => address === row.address) ?? row,
        );
        return this.#changed("accounts");
      case "operation":
        return this.#onOperation({ kind: event, at: new Date(), data });
      case "deposit":
        return this.#onOperation({ kind: event, at: new Date(), data });
      case "snapshot":
        if (data.action === "restored") {
          // What happened since has not happened.
          this.#operations.clear();
          this.#layer1Balances?.forget();
          this.#changed("operations");
          void this.#fetchOperations(signal);
        }
        return this.#changed("snapshots");
      case "store":
        return this.#changed("stores");
      case "status":
        if (data.status === "stopping") this.#become({ kind: "stopping" });
        return;
    }
  }

  #onOperation(record: OperationRecord): void {
    if (this.#operations.add(record)) this.#changed("operations");
  }

  /** The latest operations, newest first. */
  get operations(): readonly OperationRecord[] {
    return this.#operations.records;
  }

  /** Whether there may be operations before those in the list. */
  get hasEarlierOperations(): boolean {
    return this.#operations.hasEarlier;
  }

  /** Adds a hundred earlier operations to the list. */
  async loadEarlierOperations(): Promise<void> {
    const signal = this.#following?.signal;
    if (!signal || !this.hasEarlierOperations) return;
    this.#operations.keepMore();
    await this.#fetchOperations(signal);
  }

  /** Adds the operations that the runtime kept from before the events. */
  async #fetchOperations(signal: AbortSignal): Promise<void> {
    const runtime = this.runtime();
    if (!runtime) return;
    try {
      if (await this.#operations.fetch(runtime, signal)) this.#changed("operations");
    } catch (error) {
      this.#options.log.info(`earlier operations: ${reasonOf(error)}`);
    }
  }

  /** The event connection is lost and the daemon does not answer. */
  #onGone(): void {
    if (this.#process) return; // our own child: its exit explains it
    if (this.#askedToStop || this.#state.kind === "stopping") this.#become({ kind: "stopped" });
    else this.#become({ kind: "failed", message: "The sandbox is gone.", lastLines: [] });
  }

  #onDaemonEnd(error: DaemonStartError): void {
    const expected = this.#askedToStop || this.#state.kind === "stopping" || error.end.code === 0;
    this.#following?.abort();
    if (this.#state.kind === "starting") return; // the start itself reports it
    if (expected) this.#become({ kind: "stopped" });
    else this.#become({ kind: "failed", message: error.message, lastLines: error.end.lastLines });
  }

  /** Clients other than this window; undefined when no sandbox is running. */
  async otherClients(): Promise<number | undefined> {
    const health = await this.#client?.health();
    return health && Math.max(0, Math.max(health.clients, health.lifelines ?? 0) - 1);
  }

  /** Stops the sandbox for everyone. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    // An attach in flight would find a daemon that is about to exit.
    await this.#attaching?.catch(() => undefined);
    const client = this.#client;
    if (!client || this.#state.kind === "stopped") return;
    this.#askedToStop = true;
    this.#become({ kind: "stopping" });
    try {
      await client.shutdown();
      await this.#process?.ended;
    } catch (error) {
      this.#options.log.info(`stop: ${reasonOf(error)}`); // already gone, as intended
    }
    this.#following?.abort();
    this.#become({ kind: "stopped" });
  }

  /** Bakes blocks now. @throws SandboxError */
  async bake(blocks: number): Promise<void> {
    await this.#client?.bake(blocks);
  }

  /** Snapshots that the sandbox keeps, newest last. @throws SandboxError */
  async snapshots(): Promise<SnapshotList["snapshots"]> {
    return (await this.#client?.snapshots()) ?? [];
  }

  /** Sets or deletes a value in the store of a function; every window is told by an event. @throws SandboxError */
  async editStore(address: string, value: StoredValue): Promise<void> {
    await this.#client?.editStore(address, value);
  }

  /** Balances on layer 1 in mutez, without those that cannot be read; none while the sandbox does not run. */
  async layer1Balances(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    return (await this.#layer1Balances?.of(addresses).catch(() => undefined)) ?? new Map();
  }

  /** Client of the running runtime. */
  runtime(): ReturnType<typeof createRuntimeClient> | undefined {
    const { sandbox } = this;
    return sandbox && createRuntimeClient(sandbox.runtime);
  }

  /** Detaches from the daemon: it keeps running if others hold it, otherwise exits one grace period later. */
  dispose(): void {
    this.#following?.abort();
    this.#process?.release();
    this.#listeners.clear();
  }

  #become(state: SessionState): void {
    this.#state = state;
    if (state.kind !== "running") {
      if (state.kind !== "stopping") this.#client = this.#layer1Balances = undefined;
      this.level = undefined;
      if (state.kind === "stopped" || state.kind === "failed") this.accounts = [];
    }
    this.#changed("state");
  }

  #changed(change: SessionChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
