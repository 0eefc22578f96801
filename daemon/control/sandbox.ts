// One sandbox: binds the control server, starts the parts, keeps the owner record, and stops everything in order. The
// entry file passes the parts; how they work is unknown here.
import { httpRequestText } from "../client/http-json.ts";
import { type AdminSecret, secretFor } from "../config/admin-secret.ts";
import type { SandboxConfig } from "../config/schema.ts";
import { checkOwner } from "../http/guard.ts";
import { closeServer, listen } from "../http/listen.ts";
import {
  type OwnerRecord,
  processStart,
  removeOwnerRecord,
  writeOwnerRecord,
} from "../local/owner-record.ts";
import type { Part } from "../parts/part.ts";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { VERSION } from "../protocol/constants.ts";
import { DEBUG_TIMEOUT_MS } from "../protocol/debug-api.ts";
import { parseEndpoint } from "../protocol/endpoint.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { proofOf } from "../protocol/owner-proof.ts";
import type { ReplacedValue, TakenStore } from "../protocol/sandbox-api.ts";
import { createLifelines, type Lifelines } from "../supervisor/lifeline.ts";
import { createSupervisor } from "../supervisor/supervisor.ts";
import { endingHolder } from "./attach.ts";
import { createBalanceReader } from "./balances.ts";
import type { ControlRoute } from "./control-route.ts";
import { createEventHub } from "./event-hub.ts";
import type { Explorer } from "./explorer-routes.ts";
import { createFollower } from "./follow.ts";
import { createHistoryServer, type History } from "./history-routes.ts";
import { createLayer1Signing, type SigningAccount } from "./layer1-signing.ts";
import type { DaemonLog } from "./log.ts";
import { openapiOf } from "./openapi.ts";
import { namePortHolder } from "./port-in-use.ts";
import { publicConfig, publicEndpoint } from "./public-config.ts";
import { controlRoutes } from "./routes.ts";
import { askPart, eventsOfPart, type RuledPart } from "./ruled-part.ts";
import { createControlServer } from "./server.ts";
import { createSnapshots, type RestoredSnapshot } from "./snapshots.ts";

export interface SandboxOptions {
  readonly config: SandboxConfig;
  /** Absolute path of the configuration file, if any. */
  readonly configFile?: string | undefined;
  /** layer1_node and runtime_node, built in or not. */
  readonly parts: { readonly layer1: Part; readonly runtime: Part };
  /** Undefined: the chain's history is not told. */
  readonly indexer?: SandboxIndexer | undefined;
  /** Undefined: there is no web page. */
  readonly explorer?: (() => Explorer) | undefined;
  readonly accounts: readonly SigningAccount[];
  readonly adminSecret: AdminSecret;
  /** Milliseconds that it outlives its last lifeline; undefined: it runs until it is stopped. */
  readonly lifelineGraceMs: number | undefined;
  /** Hidden from discovery by this user's other programs: only its starter learns its ports. */
  readonly isPrivate?: boolean;
  /** false: writes nothing to the configuration folder (a sandbox inside a test). */
  readonly ownerRecord?: boolean;
  readonly log: DaemonLog;
  readonly env: NodeJS.ProcessEnv;
  /** Called when everything has stopped and the server is closed. */
  readonly onStopped: () => void;
}

/** The indexer, as the sandbox starts and stops it. */
export interface SandboxIndexer extends History {
  /** Begins to follow layer 1, which is there. */
  start(): void;
  /** The chain went back to the state of a level, with a block that is told. */
  restored(restored: RestoredSnapshot): void;
  stop(): Promise<void>;
}

export interface Sandbox {
  /** Present for a daemon that lives only while it has clients. */
  readonly lifelines: Lifelines | undefined;
  /** Binds the port. @throws SandboxError PORT_IN_USE */
  bind(): Promise<string>;
  /** Starts the parts; resolves when all are healthy. @throws SandboxError */
  start(): Promise<void>;
  endpoints(): { readonly sandboxd: string; readonly layer1: string; readonly runtime: string };
  /** Stops everything gracefully; idempotent. Resolves after `onStopped`. */
  stop(): Promise<void>;
}

/** Time for open requests at shutdown. */
const STOP_DEADLINE_MS = 3000;

export function createSandbox(options: SandboxOptions): Sandbox {
  const { config, parts, log, env } = options;
  const startedAt = new Date();
  const layer1: RuledPart = {
    endpoint: () => parts.layer1.endpoint(),
    secret: secretFor(options.adminSecret, config.layer1_node),
  };
  const runtime: RuledPart = {
    endpoint: () => parts.runtime.endpoint(),
    secret: secretFor(options.adminSecret, config.runtime_node),
  };
  let endpoint = "";
  /** Where the history is told beside sandboxd. */
  let historyUrl: string | undefined;
  let stopped: Promise<void> | undefined;

  const { lifelineGraceMs: graceMs } = options;
  const lifelines =
    graceMs === undefined
      ? undefined
      : createLifelines({
          graceMs,
          onLost: () => {
            log.info({}, `no client for ${graceMs / 1000} s`);
            void sandbox.stop();
          },
        });

  const balances = createBalanceReader({
    accounts: options.accounts,
    layer1Endpoint: () => parts.layer1.endpoint(),
    runtimeEndpoint: () => parts.runtime.endpoint(),
  });
  const hub = createEventHub({ onReaders: (count) => follower.want(count > 0) });
  const follower = createFollower({
    hub,
    balances,
    layer1,
    runtime,
    log,
  });
  const supervisor = createSupervisor({
    parts: [parts.layer1, parts.runtime],
    log,
    now: () => new Date(),
    publicEndpoint: (part) => publicEndpoint(config, part.name, part.endpoint()),
    onChange: (status) => {
      hub.publish("part", status);
      hub.publish("status", { status: supervisor.status().status });
    },
  });

  const routes: ControlRoute[] = controlRoutes({
    supervisor,
    hub,
    lifelines,
    balances,
    accounts: options.accounts,
    startedAt,
    log,
    signing: createLayer1Signing({
      accounts: options.accounts,
      layer1Endpoint: () => parts.layer1.endpoint(),
    }),
    publicConfig: () =>
      publicConfig(config, {
        serverPort: portOf(endpoint),
        layer1: parts.layer1.endpoint(),
        runtime: parts.runtime.endpoint(),
        indexer: historyUrl,
      }),
    checkOwner: ({ headers }) => checkOwner(headers, options.adminSecret.text),
    proveOwner: (nonce, at) => ({ ...at, proof: proofOf(options.adminSecret.text, nonce, at) }),
    layer1Admin: (path, body) =>
      httpRequestText(`${parts.layer1.endpoint()}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: ownerHeaders(layer1.secret),
      }),
    snapshots: createSnapshots({
      layer1,
      runtime,
      onRestored: (restored) => options.indexer?.restored(restored),
      onDone: (event) => hub.publish("snapshot", event),
    }),
    async takeOverStore(takeover) {
      const taken = await askPart<TakenStore>(
        "runtime_node",
        runtime,
        "store",
        takeover,
        "STORE_UNSUPPORTED",
      );
      for (const address of [takeover.from, takeover.to]) hub.publish("store", { address, key: null });
      return taken;
    },
    async editStore(edit) {
      const replaced = await askPart<ReplacedValue>(
        "runtime_node",
        runtime,
        "value",
        edit,
        "STORE_UNSUPPORTED",
      );
      log.info(
        { function: edit.address, key: edit.key, deleted: edit.value === null },
        "the owner changed a stored value by hand",
      );
      hub.publish("store", { address: edit.address, key: edit.key });
      return replaced;
    },
    debug: (action, body) =>
      askPart("runtime_node", runtime, `debug/${action}`, body, "DEBUG_UNSUPPORTED", DEBUG_TIMEOUT_MS),
    async *holdOperations(body, signal) {
      if (runtime.secret === undefined) throw new SandboxError("DEBUG_UNSUPPORTED", { part: "runtime_node" });
      yield* eventsOfPart("runtime_node", runtime, "debug/hold", body, signal);
    },
    openapi: () => openapiOf(routes),
    history: options.indexer,
    explorer: options.explorer,
    stopParts: () => stopParts(),
    exit: () => void sandbox.stop(),
  });
  const server = createControlServer(routes, {
    log,
    allowedHosts: config.allowed_hosts,
    adminSecret: options.adminSecret.text,
  });

  const historyEndpoint = parseEndpoint(config.indexer.endpoint);
  const historyServer =
    options.indexer &&
    historyEndpoint &&
    createHistoryServer(options.indexer, { log, allowedHosts: config.allowed_hosts });

  async function stopParts(): Promise<void> {
    lifelines?.dispose();
    follower.want(false);
    await options.indexer?.stop();
    await supervisor.stop(STOP_DEADLINE_MS);
  }

  async function stopAll(): Promise<void> {
    log.info({}, "shutting down");
    await stopParts();
    if (endpoint !== "") {
      if (historyServer) await closeServer(historyServer, STOP_DEADLINE_MS);
      await closeServer(server, STOP_DEADLINE_MS);
      removeOwnerRecord(portOf(endpoint), process.pid, env);
    }
    options.onStopped();
  }

  const sandbox: Sandbox = {
    lifelines,
    async bind() {
      endpoint = await bindControl();
      if (historyServer && historyEndpoint)
        historyUrl = await listen(historyServer, {
          ...historyEndpoint,
          purpose: "the indexer",
          configKey: "indexer.endpoint",
        });
      tellOwner({});
      return endpoint;
    },
    async start() {
      await supervisor.start();
      if (config.indexer.follow === "from_start") options.indexer?.start();
      tellOwner({ layer1Endpoint: parts.layer1.endpoint(), runtimeEndpoint: parts.runtime.endpoint() });
    },
    endpoints: () => ({
      sandboxd: endpoint,
      layer1: parts.layer1.endpoint(),
      runtime: parts.runtime.endpoint(),
    }),
    stop() {
      stopped ??= stopAll();
      return stopped;
    },
  };

  /** Written as soon as the control server answers, and again once the parts have their ports. */
  function tellOwner(known: Pick<OwnerRecord, "layer1Endpoint" | "runtimeEndpoint">): void {
    if (options.ownerRecord === false) return;
    const failure = writeOwnerRecord(
      portOf(endpoint),
      {
        pid: process.pid,
        startedAt: startedAt.toISOString(),
        ...withProcessStart(),
        version: VERSION,
        ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
        endpoint,
        ...known,
        adminSecret: options.adminSecret.text,
        ...(options.isPrivate === true ? { isPrivate: true } : {}),
        life: lifelines ? "lifeline" : "detached",
      },
      env,
    );
    if (failure) log.warn({ reason: reasonOf(failure) }, "the owner record could not be written");
  }

  async function bindControl(): Promise<string> {
    const { server_host: host, server_port: port } = config;
    try {
      const isFreed = endingHolder(config);
      return await listen(server, { host, port, purpose: "sandboxd", configKey: "server_port", isFreed });
    } catch (error) {
      throw await namePortHolder(error);
    }
  }
  return sandbox;
}

function portOf(endpoint: string): number {
  return Number(new URL(endpoint).port || 80);
}

function withProcessStart(): { processStart?: string } {
  const start = processStart(process.pid);
  return start === undefined ? {} : { processStart: start };
}
