// Client of sandboxd's HTTP interface: used by the CLI, the extension, the test kit and a second daemon.
import type { OwnerSecret } from "../protocol/admin-secret.ts";
import { errorInBody, SandboxError } from "../protocol/errors.ts";
import type {
  AccountRow,
  HealthReport,
  Layer1OperationReport,
  Layer1OperationRequest,
  SnapshotList,
  SnapshotReport,
  StoredValue,
  TakeStore,
} from "../protocol/sandbox-api.ts";
import { pause } from "../protocol/wait.ts";
import { type Fields, fieldsOf, tryDecode } from "../tezos/json-fields.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { httpRequestText } from "./http-json.ts";
import { provesSecret, requestAsOwner } from "./owner-request.ts";
import { reachableEndpoint } from "./reachable-endpoint.ts";
import {
  accountsOf,
  endpointsOf,
  healthReportOf,
  layer1ReportOf,
  movedValuesOf,
  replacedValueOf,
  snapshotOf,
  snapshotsOf,
} from "./sandbox-answers.ts";
import { readEvents, type ServerSentEvent } from "./server-sent-events.ts";

export interface PartEndpoints {
  /** Base URL of the Tezos RPC. */
  readonly layer1: string;
  /** Base URL of the runtime's API. */
  readonly runtime: string;
}

export interface SandboxClient {
  readonly endpoint: string;
  /**
   * The daemon's health; undefined when no sandbox answers within `patienceMs` (5 s).
   * @throws SandboxError CANCELLED
   */
  health(patienceMs?: number): Promise<HealthReport | undefined>;
  /**
   * Polls until every part is healthy.
   * @param options.silenceMs limit of the time without a change of any part; the whole wait takes at most ten times this
   * @throws SandboxError SANDBOX_NOT_RUNNING, PART_FAILED, CANCELLED
   */
  waitUntilHealthy(options: { silenceMs: number; signal?: AbortSignal }): Promise<HealthReport>;
  config(): Promise<Fields>;
  endpoints(): Promise<PartEndpoints>;
  accounts(): Promise<AccountRow[]>;
  /**
   * Sends a layer 1 operation from an account whose secret key the sandbox has.
   * @throws SandboxError UNKNOWN_BOOTSTRAP, KEY_UNKNOWN, or layer 1's rejection
   */
  sendLayer1(request: Layer1OperationRequest): Promise<Layer1OperationReport>;
  /**
   * Whether this client has the owner's secret, which the sandbox proves to know. @throws SandboxError
   * NETWORK_UNREACHABLE, CANCELLED
   */
  isOwner(): Promise<boolean>;
  /** Bakes blocks now. @throws SandboxError OWNER_ONLY */
  bake(blocks: number): Promise<void>;
  /** Takes a snapshot of layer 1 and runtime. @throws SandboxError SANDBOX_BUSY, SNAPSHOT_UNSUPPORTED */
  takeSnapshot(): Promise<SnapshotReport>;
  /** Takes a snapshot with a name. @throws SandboxError BAD_REQUEST, SNAPSHOT_EXISTS and as above */
  saveSnapshot(name: string, options: { readonly replace: boolean }): Promise<SnapshotReport>;
  snapshots(): Promise<SnapshotList["snapshots"]>;
  /** Restores a snapshot. @throws SandboxError SNAPSHOT_UNKNOWN and as above */
  restoreSnapshot(id: string): Promise<SnapshotReport>;
  /**
   * Moves the key-value store of one smart function to another.
   * @returns the number of values moved
   * @throws SandboxError OWNER_ONLY, FUNCTION_GONE, SANDBOX_BUSY, STORE_UNSUPPORTED
   */
  takeStore(takeover: { readonly from: string; readonly to: string }): Promise<number>;
  /**
   * Sets or deletes one value of a smart function's store.
   * @returns the JSON text that was replaced, or null
   * @throws SandboxError OWNER_ONLY, BAD_REQUEST, FUNCTION_GONE, SANDBOX_BUSY, STORE_UNSUPPORTED
   */
  editStore(address: string, value: StoredValue): Promise<string | null>;
  /** Requests a shutdown; resolves when everything has stopped. */
  shutdown(): Promise<void>;
  /** Lines of the daemon's log: the latest, then each further one. */
  logLines(signal: AbortSignal): AsyncGenerator<string>;
  /** @param options `onOpen` is called once the stream is open and no further event can be missed */
  events(options: {
    lifeline: boolean;
    signal?: AbortSignal;
    onOpen?: () => void;
  }): AsyncGenerator<ServerSentEvent>;
}

const POLL_MS = 25;
/** Limit of a whole wait for health, in multiples of the silence that it allows. */
const WHOLE_WAIT = 10;

export interface SandboxClientOptions {
  /** Aborts requests in flight. */
  readonly signal?: AbortSignal | undefined;
  /** The owner's secret for admin requests; read for each of them, and sent only after a proof. */
  readonly adminSecret?: () => OwnerSecret | undefined;
}

export function createSandboxClient(endpoint: string, options: SandboxClientOptions = {}): SandboxClient {
  const { signal: ending } = options;
  const base = endpoint.replace(/\/$/, "");
  const what = "The sandbox";
  const common = { what, ...(ending ? { signal: ending } : {}) };

  async function get<T>(path: string, read: (json: unknown) => T): Promise<T> {
    const url = `${base}${path}`;
    const { status, body } = await httpRequestText(url, common);
    if (status === 200) return decodeAnswer({ what, url }, body, read);
    throw failureOf(status, body);
  }

  async function post<T>(
    path: string,
    read: (json: unknown) => T,
    content?: unknown,
    method = "POST",
  ): Promise<T> {
    const url = `${base}${path}`;
    const request = {
      ...common,
      method,
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    };
    const secret = options.adminSecret?.();
    const { status, body } = await (secret === undefined
      ? httpRequestText(url, request) // the sandbox rejects it with a reason
      : requestAsOwner(base, path, secret, request));
    if (status === 200) return decodeAnswer({ what, url }, body, read);
    throw failureOf(status, body);
  }

  const client: SandboxClient = {
    endpoint: base,

    async health(patienceMs = 5000) {
      try {
        const { body } = await httpRequestText(`${base}/health`, { ...common, timeoutMs: patienceMs });
        return tryDecode(body, healthReportOf);
      } catch (error) {
        if (ending?.aborted) throw error;
        return undefined; // nothing listens, or not a sandbox: both mean that none is running
      }
    },

    async waitUntilHealthy({ silenceMs, signal }) {
      let last = "";
      const begun = performance.now();
      let lastChange = begun;
      for (;;) {
        const report = await client.health();
        if (report?.status === "healthy") return report;
        if (signal?.aborted) throw new SandboxError("CANCELLED", { what: "Waiting for the sandbox" });
        const failed = report?.parts.find(({ state }) => state === "failed");
        if (failed) throw new SandboxError("PART_FAILED", { part: failed.name, reason: failed.detail });
        const state = JSON.stringify(report?.parts ?? null);
        const now = performance.now();
        // What listens there may not be a sandbox of ours, or one whose parts start again and again.
        const isOver = now - begun > WHOLE_WAIT * silenceMs;
        if (state !== last && !isOver) {
          last = state;
          lastChange = now;
        } else if (isOver || !report || now - lastChange > silenceMs) {
          throw new SandboxError("SANDBOX_NOT_RUNNING", { endpoint: base });
        }
        await pause(POLL_MS, signal);
      }
    },

    config: () => get("/config/", (json) => fieldsOf(json, "body")),

    async endpoints() {
      const announced = await get("/config/", endpointsOf);
      const [layer1, runtime] = await Promise.all([
        reachableEndpoint(`http://${announced.layer1}`, base),
        reachableEndpoint(`http://${announced.runtime}`, base),
      ]);
      return { layer1, runtime };
    },

    accounts: () => get("/accounts", accountsOf),

    sendLayer1: (request) => post("/layer1/operations", layer1ReportOf, request),

    async isOwner() {
      const secret = options.adminSecret?.();
      return secret !== undefined && (await provesSecret(base, secret, common));
    },

    bake: async (blocks) => {
      await post("/layer1/bake", () => undefined, { blocks });
    },

    saveSnapshot: (name, { replace }) =>
      post(
        `/snapshots/${encodeURIComponent(name)}${replace ? "?replace=1" : ""}`,
        snapshotOf,
        undefined,
        "PUT",
      ),
    snapshots: () => get("/snapshots", snapshotsOf),
    takeSnapshot: () => post("/snapshots", snapshotOf),

    restoreSnapshot: (id) => post(`/snapshots/${encodeURIComponent(id)}/restore`, snapshotOf),

    takeStore: ({ from, to }) =>
      post(`/functions/${to}/take-store`, movedValuesOf, { from } satisfies TakeStore),

    editStore: (address, value) => post(`/functions/${address}/value`, replacedValueOf, value),

    async shutdown() {
      const { status, body } = await httpRequestText(`${base}/shutdown`, { ...common, method: "PUT" });
      if (status !== 204) throw failureOf(status, body);
    },

    async *logLines(signal) {
      for await (const { data } of readEvents(`${base}/logs`, { what, signal })) yield data;
    },

    events: ({ lifeline, ...following }) =>
      readEvents(`${base}/events${lifeline ? "?lifeline=1" : ""}`, { what, ...following }),
  };

  /** The sandbox's error with code and next step; without one, the status. */
  function failureOf(status: number, body: string): SandboxError {
    return (
      errorInBody(body) ??
      new SandboxError("NETWORK_UNREACHABLE", { what, endpoint: base, reason: `status ${status}` })
    );
  }
  return client;
}
