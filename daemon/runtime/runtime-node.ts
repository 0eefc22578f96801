// runtime_node as a part: composes server, core, executor thread, inbox follower, outbox and oracle.
import type { Worker } from "node:worker_threads";
import type { FastifyInstance } from "fastify";
import { closeServer, listen } from "../http/listen.ts";
import { createServer } from "../http/server.ts";
import { lazyBundle } from "../parts/lazy-bundle.ts";
import type { Log } from "../parts/log.ts";
import type { Part, PartHealth } from "../parts/part.ts";
import { DEFAULT_PORTS, EXCHANGER_ADDRESS, INJECTOR, ROLLUP_ADDRESS } from "../protocol/constants.ts";
import { reasonOf } from "../protocol/errors.ts";
import { pause } from "../protocol/wait.ts";
import type { Address } from "../tezos/address.ts";
import { accessOf, adminRoutes } from "./api/admin-routes.ts";
import { MAX_BODY_BYTES, runtimeApi } from "./api/routes.ts";
import { lazyDebugger, type LazyDebugger } from "./debug/debug-bundle.ts";
import { InboxFollower } from "./inbox/inbox-follower.ts";
import { OutboxSender } from "./inbox/outbox-sender.ts";
import { ExecutorThread } from "./operations/executor-thread.ts";
import type { ExecutorSettings } from "./operations/executor.ts";
import { ReadingThread } from "./operations/reading-thread.ts";
import { createExternalOracle } from "./oracle/external-oracle.ts";
import { createOracle } from "./oracle/oracle.ts";
import { RuntimeCore } from "./runtime-core.ts";
import { createRuntimeSnapshots } from "./snapshots.ts";
import { editStore } from "./store-edit.ts";
import { takeOverStore } from "./store-takeover.ts";
import { CommittedStore } from "./store/committed-store.ts";

export interface RuntimeOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** Base URL of layer 1's rollup RPC; undefined without a layer 1. */
  readonly rollupEndpoint: (() => string) | undefined;
  /** Secret with which the owner may hold the runtime, and take and restore its state. Without it these are closed. */
  readonly adminSecret?: string | undefined;
  /** Sent to layer 1 with withdrawals; undefined for a layer 1 that must not learn it. */
  readonly layer1Secret?: string | undefined;
  /** Folder of the engine's files and of the worker bundles (`engine-worker.cjs`, `operation-reader.cjs`, `debug-worker.cjs`). */
  readonly engineDirectory: string;
  /** Thread of the guest engine, if already started. */
  readonly engineThread?: Worker | undefined;
  /** Limit of engine gas per operation, whatever its `gasLimit`. */
  readonly gasCeiling: number;
  /** As the real runtime: without what only this sandbox has, with its limits, texts and missing receipts. */
  readonly strict?: boolean;
  /** Limit of live smart function calls per operation. */
  readonly maxLiveCalls: number;
  /** Guests see the time of day instead of the fixed date of the real runtime. */
  readonly realTime: boolean;
  /** Number of operations whose receipts, traces and logs are kept. */
  readonly history: number;
  readonly oracle: {
    readonly enabled: boolean;
    readonly allowPrivate: boolean;
    readonly allowedHosts: readonly string[];
    /** Account of an external oracle; undefined for the built-in one. */
    readonly externalAddress?: Address | undefined;
    /** Seconds (levels of one second) until a request is answered with 408. */
    readonly timeoutLevels: number;
  };
  /** Limit of queued operations; more are rejected with 503. */
  readonly queueCapacity?: number;
  /** Limit of characters of code, keys and values of all functions together. */
  readonly maxCharacters?: number;
  /** Limit of withdrawals waiting for layer 1. */
  readonly maxUntaken?: number;
  /** Time limit of an operation in ms; beyond it the thread is replaced. */
  readonly watchdogMs?: number;
  readonly log: Log;
}

/**
 * Engine units per unit of `gasLimit`. Existing programs set limits from 10 up (the real runtime ignores them), so a
 * unit is large: the usual 550000 reaches the ceiling.
 */
const GAS_SCALE = 40_000n;
const QUEUE_CAPACITY = 10_000;
/** Milliseconds that accepted operations may still run during a stop. Endless ones must not delay it. */
const DRAIN_MS = 500;
/** Held twice, by the main thread and by the engine's, at up to two bytes each: 256 MB. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Their tez have left the ledger, so they are kept until layer 1 accepts them, however long it is down. */
const MAX_UNTAKEN = 65_535;
const WATCHDOG_MS = 60_000;

export function createRuntimeNode(options: RuntimeOptions): Part {
  return new RuntimeNode(options);
}

class RuntimeNode implements Part {
  readonly name = "runtime_node";
  readonly needs = ["layer1_node"] as const;
  readonly #options: RuntimeOptions;
  readonly #core: RuntimeCore;
  readonly #server: FastifyInstance;
  readonly #follower: InboxFollower | undefined;
  readonly #outbox: OutboxSender | undefined;
  readonly #reader: ReadingThread;
  readonly #stopOracle: () => void;
  readonly #debugger: LazyDebugger;
  #executor!: ExecutorThread; // made by the core's constructor
  #endpoint = "";
  #stopping: Promise<void> | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    const { log } = options;
    const { history, maxCharacters = MAX_CHARACTERS } = options;
    const store = new CommittedStore({
      receipts: history,
      traces: history,
      deposits: history,
      logRecords: 2 * history,
    });
    const settings: ExecutorSettings = {
      strict: options.strict === true,
      maxLiveCalls: options.maxLiveCalls,
      exchangerAddress: EXCHANGER_ADDRESS,
      injectorAddress: INJECTOR.address,
      oracleAddress: options.oracle.externalAddress,
      gasScale: GAS_SCALE,
      gasCeiling: BigInt(options.gasCeiling),
      maxUntaken: options.maxUntaken ?? MAX_UNTAKEN,
      maxCharacters,
    };
    const { engineDirectory: directory, realTime } = options;
    this.#debugger = lazyDebugger({
      directory,
      store,
      settings,
      realTime,
      putGate: (make) => this.#core.putGate(make),
    });
    const timeoutMs = options.oracle.timeoutLevels * 1000;
    const oracle =
      options.oracle.externalAddress !== undefined
        ? createExternalOracle(timeoutMs)
        : createOracle({
            ...options.oracle,
            timeoutMs,
            ownEndpoint: () => this.#endpoint,
            wellKnownPort: DEFAULT_PORTS.runtime_node,
          });
    this.#stopOracle = oracle.stop;
    this.#core = new RuntimeCore({
      store,
      log,
      queueCapacity: options.queueCapacity ?? QUEUE_CAPACITY,
      maxCharacters,
      oracleAddress: options.oracle.externalAddress,
      link: (onOutput) => {
        this.#executor = new ExecutorThread({
          engineDirectory: options.engineDirectory,
          firstThread: options.engineThread,
          settings,
          realTime,
          watchdogMs: options.watchdogMs ?? WATCHDOG_MS,
          log,
          seed: () => store.ledger.writes(),
          untaken: () => this.#outbox?.waiting ?? 0,
          onOutput,
        });
        return this.#executor;
      },
      askOutside: oracle.ask,
      sendToLayer1: (messages) => {
        if (this.#outbox) this.#outbox.send(messages);
        else this.#executor.messagesTaken(messages.length); // there is no layer 1
      },
    });
    const endpoint = options.rollupEndpoint;
    if (endpoint !== undefined) {
      this.#follower = new InboxFollower({
        endpoint,
        secret: options.layer1Secret,
        rollupAddress: ROLLUP_ADDRESS,
        exchangerAddress: EXCHANGER_ADDRESS,
        log,
        room: (signal) => this.#core.roomForDeposits(signal),
        onDeposit: (deposit, place) => this.#core.deposit(deposit, place),
      });
      this.#outbox = new OutboxSender({
        endpoint,
        secret: options.layer1Secret,
        level: () => this.#follower?.level ?? 0,
        onTaken: (count) => this.#executor.messagesTaken(count),
        log,
      });
    }
    this.#server = createServer({
      name: this.name,
      log,
      allowedHosts: options.allowedHosts,
      bodyLimit: MAX_BODY_BYTES,
      access: accessOf,
      adminSecret: options.adminSecret,
    });
    const snapshots = createRuntimeSnapshots({
      core: this.#core,
      outboxSettled: async () => this.#outbox?.settled(),
      level: () => this.#follower?.level,
      reached: async (level, signal) => this.#follower?.reached(level, signal),
      log,
    });
    adminRoutes(this.#server, {
      snapshots,
      takeOverStore: (takeover) => takeOverStore(this.#core, takeover),
      editStore: async (edit) => editStore(this.#core, edit, maxCharacters),
      debug: (action, body) => this.#debugger.perform(action, body),
      holdOperations: (body) => this.#debugger.hold(body),
    });
    this.#reader = new ReadingThread(options.engineDirectory, options.strict);
    runtimeApi(this.#server, {
      core: this.#core,
      reader: this.#reader,
      strict: options.strict === true,
      executing: () => this.#executor.ready,
      documents: lazyBundle(directory, "runtime-documents.cjs"),
    });
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const abort = (): void => void this.stop(0);
    signal.addEventListener("abort", abort);
    try {
      // The engine loads in its thread, and layer 1 answers, while the server binds.
      const executing = this.#executor.start();
      executing.catch(() => undefined); // reported below, also when binding fails first
      this.#follower?.start();
      this.#endpoint = await listen(this.#server, {
        host: this.#options.host,
        port: this.#options.port,
        purpose: "runtime_node",
        configKey: "runtime_node.endpoint",
      });
      await executing;
      signal.throwIfAborted();
    } catch (error) {
      await this.stop(0);
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  endpoint(): string {
    return this.#endpoint;
  }

  health(): PartHealth {
    if (this.#stopping !== undefined) return { healthy: false, detail: "It is stopping." };
    const failure = this.#executor.failure;
    if (failure !== undefined) return { healthy: false, detail: `Operations are not executed: ${failure}.` };
    const trouble = this.#executor.trouble;
    if (trouble !== undefined)
      return { healthy: false, detail: `Calls of smart functions fail: ${trouble}.` };
    if (!this.#executor.ready) return { healthy: false, detail: "The guest engine is starting." };
    if (this.#follower?.connected === false) {
      return {
        healthy: false,
        detail: `Deposits do not arrive: ${this.#follower.failure ?? "layer 1 has not answered yet"}.`,
      };
    }
    const level = this.#follower === undefined ? "" : ` and follows layer 1 at level ${this.#follower.level}`;
    const held = this.#core.atGate === undefined ? "" : " An operation is held by the debugger.";
    return { healthy: true, detail: `It executes operations${level}.${held}` };
  }

  stop(deadlineMs: number): Promise<void> {
    this.#stopping ??= this.#shutDown(deadlineMs);
    return this.#stopping;
  }

  async #shutDown(deadlineMs: number): Promise<void> {
    const end = performance.now() + Math.min(deadlineMs, DRAIN_MS);
    this.#core.close();
    this.#debugger.close();
    await this.#follower?.stop();
    // Accepted operations get their receipts before the deadline if possible; none waits for the outside any more.
    this.#stopOracle();
    while (this.#core.queued > 0 && this.#executor.ready && performance.now() < end) {
      await pause(5);
    }
    await this.#outbox?.stop();
    try {
      await closeServer(this.#server, Math.max(0, end - performance.now()));
    } catch (error) {
      this.#options.log.warn({ reason: reasonOf(error) }, "the runtime's server did not close in order");
    }
    await Promise.all([this.#executor.stop(), this.#reader.stop()]);
  }
}
