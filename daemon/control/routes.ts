// The routes of sandboxd, each with the schemas that document it. `server.ts` serves them, `openapi.ts` describes them.
import { type TSchema, Type } from "@sinclair/typebox";
import type { FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { openEventStream } from "../http/event-stream.ts";
import type { Access } from "../http/guard.ts";
import { VERSION } from "../protocol/constants.ts";
import { SandboxError } from "../protocol/errors.ts";
import { explorerAddress } from "../protocol/explorer-address.ts";
import { type AskedAt, NONCE_FORM, type OwnerProof, plainAddress } from "../protocol/owner-proof.ts";
import type { PartName } from "../protocol/part-name.ts";
import {
  accountsSchema,
  contractCallSchema,
  errorSchema,
  type HealthReport,
  healthSchema,
  ownerProofSchema,
  layer1OperationReportSchema,
  layer1OperationSchema,
  snapshotListSchema,
  snapshotSchema,
  SMART_FUNCTION_FORM,
  type TakenStore,
  takenStoreSchema,
  type TakeStore,
  takeStoreSchema,
} from "../protocol/sandbox-api.ts";
import { SNAPSHOT_NAME } from "../protocol/snapshot-name.ts";
import type { Lifelines } from "../supervisor/lifeline.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { BalanceReader, NamedAddress } from "./balances.ts";
import type { EventHub } from "./event-hub.ts";
import { type Explorer, explorerRoutes } from "./explorer-routes.ts";
import { type History, historyRoutes } from "./history-routes.ts";
import type { Layer1Signing } from "./layer1-signing.ts";
import type { DaemonLog } from "./log.ts";
import type { Snapshots } from "./snapshots.ts";

/** Dependencies of the routes, built by `sandbox.ts`. */
export interface ControlContext {
  readonly supervisor: Pick<Supervisor, "status">;
  readonly hub: EventHub;
  /** Undefined for a daemon that runs until it is stopped. */
  readonly lifelines: Lifelines | undefined;
  readonly balances: BalanceReader;
  readonly accounts: readonly NamedAddress[];
  readonly signing: Layer1Signing;
  /** @throws SandboxError OWNER_ONLY when the request lacks the owner's secret */
  readonly checkOwner: (request: FastifyRequest) => void;
  /** Proves to a client that this server knows the owner's secret. */
  readonly proveOwner: (nonce: string, at: AskedAt) => OwnerProof;
  /** Effective configuration with real ports and without secret keys. */
  readonly publicConfig: () => Readonly<Record<string, unknown>>;
  readonly startedAt: Date;
  readonly log: Pick<DaemonLog, "recent" | "follow">;
  /** Stops the parts; resolves when they have stopped. */
  readonly stopParts: () => Promise<void>;
  /** Ends the daemon after the current response. */
  readonly exit: () => void;
  /** Sends a layer 1 admin request (bake, pause, resume, time) and returns its response. */
  readonly layer1Admin: (path: string, body: unknown) => Promise<{ status: number; body: string }>;
  readonly snapshots: Snapshots;
  /** @throws SandboxError FUNCTION_GONE, SANDBOX_BUSY, STORE_UNSUPPORTED */
  readonly takeOverStore: (takeover: { from: string; to: string }) => Promise<TakenStore>;
  readonly openapi: () => Readonly<Record<string, unknown>>;
  /** Undefined where the configuration leaves the indexer out. */
  readonly history: History | undefined;
  /** Undefined where there is no web page. */
  readonly explorer: (() => Explorer) | undefined;
}

export interface RouteResponse {
  readonly description: string;
  readonly schema?: TSchema;
  /** Media type of the body; defaults to `application/json` with a schema, otherwise there is no body. */
  readonly contentType?: string;
}

export interface ControlRoute {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly summary: string;
  /** Without it, reading is open to all; changes are open to all but web pages of other origins. */
  readonly access?: Access;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** Names under which a part's configuration is served: ours, and jstzd's. */
const CONFIG_TYPES: Readonly<Record<string, PartName>> = {
  runtime_node: "runtime_node",
  layer1_node: "layer1_node",
  jstz_node: "runtime_node",
  octez_node: "layer1_node",
};

const isNonce = new RegExp(`^${NONCE_FORM}$`);
const failure = (description: string) => ({ description, schema: errorSchema });
const anyObject = Type.Record(Type.String(), Type.Unknown());

export function controlRoutes(context: ControlContext): ControlRoute[] {
  return [
    {
      method: "GET",
      url: "/health",
      summary: "State of the sandbox and of each part.",
      responses: {
        200: { description: "Every part is healthy.", schema: healthSchema },
        503: { description: "A part is starting, failed or stopping.", schema: healthSchema },
      },
      handle: ({ headers }, reply) => {
        const report = healthReport(context, headers.host);
        return reply.status(report.status === "healthy" ? 200 : 503).send(report);
      },
    },
    ...["/config", "/config/"].map((url): ControlRoute => ({
      method: "GET",
      url,
      summary: "The effective configuration, with real ports and without secret keys.",
      responses: { 200: { description: "The configuration.", schema: anyObject } },
      handle: () => context.publicConfig(),
    })),
    {
      method: "GET",
      url: "/config/:config_type",
      summary: "The configuration of one part: runtime_node or layer1_node.",
      params: Type.Object({ config_type: Type.String() }),
      responses: {
        200: { description: "The configuration of the part.", schema: anyObject },
        404: failure("UNKNOWN_CONFIG_TYPE: no such part; the message lists the known ones."),
      },
      handle: (request) => {
        const found = (request.params as { config_type: string }).config_type;
        if (!Object.hasOwn(CONFIG_TYPES, found)) {
          throw new SandboxError("UNKNOWN_CONFIG_TYPE", { found, known: "runtime_node, layer1_node" });
        }
        return context.publicConfig()[found] ?? context.publicConfig()[CONFIG_TYPES[found]!];
      },
    },
    {
      method: "PUT",
      url: "/shutdown",
      summary: "Shuts the sandbox down gracefully; responds when every part has stopped.",
      responses: { 204: { description: "Everything has stopped; the process exits with 0." } },
      handle: async (_request, reply) => {
        // Exit even when the client disconnects before the response.
        const closed = new Promise<void>((resolve) => reply.raw.once("close", resolve));
        await context.stopParts();
        void closed.then(context.exit);
        return reply.status(204).header("connection", "close").send();
      },
    },
    {
      method: "GET",
      url: "/owner",
      access: "owner",
      summary: "Checks whether the client has the secret of this sandbox's owner.",
      responses: {
        204: { description: "The client has the secret." },
        403: failure("OWNER_ONLY: the client lacks the secret."),
      },
      handle: (_request, reply) => reply.status(204).send(),
    },
    {
      method: "GET",
      url: "/owner/proof",
      summary:
        "Proves to a client that this server knows the owner's secret, before the client shows it. `proof` is the HMAC-SHA256 under the secret, in hex, of four lines: `functez owner proof`, the nonce, `address`, `port`. The last two are the server's end of the connection.",
      querystring: Type.Object({ nonce: Type.String({ pattern: `^${NONCE_FORM}$` }) }),
      responses: {
        200: { description: "The proof.", schema: ownerProofSchema },
        400: failure("BAD_REQUEST: the nonce is not 64 hex digits."),
      },
      handle: (request) => {
        const { nonce } = request.query as { nonce?: unknown };
        if (typeof nonce !== "string" || !isNonce.test(nonce))
          throw new SandboxError("BAD_REQUEST", {
            at: "nonce",
            found: nonce === undefined ? "nothing" : "another text",
            expected: "64 hex digits (0-9, a-f)",
          });
        const { localAddress, localPort } = request.raw.socket;
        return context.proveOwner(nonce, { address: plainAddress(localAddress), port: localPort ?? 0 });
      },
    },
    {
      method: "GET",
      url: "/accounts",
      summary: "Bootstrap accounts with their balances on layer 1 and in the runtime, in mutez.",
      responses: {
        200: { description: "The accounts.", schema: accountsSchema },
        503: failure("NETWORK_UNREACHABLE: a part does not answer yet."),
      },
      handle: async () => ({ accounts: await context.balances.read() }),
    },
    {
      method: "GET",
      url: "/events",
      access: "own-site",
      summary: "Server-sent events: part, status, head, balances, deposit, operation.",
      querystring: Type.Object({
        lifeline: Type.Optional(
          Type.Literal("1", { description: "The open connection keeps the daemon alive." }),
        ),
      }),
      responses: {
        200: {
          description: "The stream; `Last-Event-ID` resumes from a bounded buffer.",
          contentType: "text/event-stream",
        },
      },
      handle: (request, reply) => streamEvents(context, request, reply),
    },
    {
      method: "GET",
      url: "/logs",
      access: "own-site",
      summary: "Server-sent events: the latest lines of the daemon's log, and each further one.",
      responses: {
        200: { description: "The data of each event is one JSON line.", contentType: "text/event-stream" },
      },
      handle: (_request, reply) => streamLog(context, reply),
    },
    {
      method: "POST",
      url: "/contract_call",
      summary:
        "Signs a layer 1 contract call with a bootstrap key and waits for its inclusion (as in jstzd).",
      body: contractCallSchema,
      responses: {
        200: { description: "Included and applied; empty body." },
        400: failure("The call is invalid or was rejected; nothing was transferred."),
        403: failure("OWNER_ONLY: only the owner may sign with this account."),
      },
      handle: async (request, reply) => {
        await context.signing.callContract(request.body, () => context.checkOwner(request));
        return reply.status(200).send();
      },
    },
    {
      method: "POST",
      url: "/layer1/operations",
      access: "owner",
      summary: "Signs a layer 1 operation for an account of the sandbox and waits for its inclusion.",
      body: layer1OperationSchema,
      responses: {
        200: { description: "Included and applied.", schema: layer1OperationReportSchema },
        400: failure("UNKNOWN_BOOTSTRAP, KEY_UNKNOWN, or layer 1 rejected it; nothing was transferred."),
      },
      handle: (request) => context.signing.send(request.body),
    },
    {
      method: "GET",
      url: "/l1_alias/:alias",
      summary: "Address of a layer 1 account by its label.",
      params: Type.Object({ alias: Type.String() }),
      responses: {
        200: { description: "The address.", schema: Type.String(), contentType: "text/plain" },
        404: failure("UNKNOWN_BOOTSTRAP: no such account."),
      },
      handle: (request, reply) => {
        const { alias } = request.params as { alias: string };
        const account = context.accounts.find(({ label }) => label === alias);
        if (!account) return reply.status(404).send(unknownAccount(context, alias).toBody());
        return reply.type("text/plain; charset=utf-8").send(account.address);
      },
    },
    ...["bake", "pause", "resume", "jump"].map((action): ControlRoute => ({
      method: "POST",
      url: `/layer1/${action}`,
      access: "owner",
      summary: LAYER1_ACTIONS[action]!,
      responses: {
        200: { description: "Done; the body contains the head.", schema: anyObject },
        400: failure("BAD_REQUEST: the body is invalid."),
      },
      handle: async (request, reply) => {
        const { status, body } = await context.layer1Admin(`/admin/${action}`, request.body ?? {});
        return reply.status(status).type("application/json").send(body);
      },
    })),
    {
      method: "POST",
      url: "/snapshots",
      access: "owner",
      summary:
        "Takes a snapshot of layer 1 and runtime as soon as no operation is in flight. The 16 most recently used are kept.",
      responses: {
        200: { description: "Taken.", schema: snapshotSchema },
        400: failure("SNAPSHOT_UNSUPPORTED: a part is not the built-in one."),
        503: failure("SANDBOX_BUSY: operations are still in flight; nothing was changed."),
      },
      handle: () => context.snapshots.take(),
    },
    {
      method: "GET",
      url: "/snapshots",
      summary: "Lists the snapshots.",
      responses: { 200: { description: "The list.", schema: snapshotListSchema } },
      handle: () => context.snapshots.list(),
    },
    {
      method: "PUT",
      url: "/snapshots/:name",
      access: "owner",
      summary: "Takes a snapshot with a name.",
      params: Type.Object({ name: Type.String({ pattern: SNAPSHOT_NAME }) }),
      querystring: Type.Object({
        replace: Type.Optional(Type.Literal("1", { description: "Replaces a snapshot of this name." })),
      }),
      responses: {
        200: { description: "Taken.", schema: snapshotSchema },
        400: failure("BAD_REQUEST: invalid name; SNAPSHOT_UNSUPPORTED: a part is not the built-in one."),
        409: failure("SNAPSHOT_EXISTS: a snapshot of this name exists."),
        503: failure("SANDBOX_BUSY: operations are still in flight; nothing was changed."),
      },
      handle: (request) => {
        const { replace } = request.query as { replace?: "1" };
        return context.snapshots.take((request.params as { name: string }).name, {
          replace: replace === "1",
        });
      },
    },
    {
      method: "POST",
      url: "/snapshots/:id/restore",
      access: "owner",
      summary:
        "Restores a snapshot, any number of times. Layer 1's level keeps growing: one new block has the state of the snapshot, and `level` is the level of that block.",
      params: Type.Object({ id: Type.String() }),
      responses: {
        200: { description: "Restored.", schema: snapshotSchema },
        400: failure("SNAPSHOT_UNSUPPORTED: a part is not the built-in one."),
        404: failure("SNAPSHOT_UNKNOWN: no such snapshot, or it was dropped."),
        503: failure("SANDBOX_BUSY: operations are still in flight; nothing was changed."),
      },
      handle: (request) => context.snapshots.restore((request.params as { id: string }).id),
    },
    {
      method: "POST",
      url: "/functions/:address/take-store",
      access: "owner",
      summary:
        "Moves the key-value store of another smart function to this one and replaces its own: `functez dev --store keep` does so after each deploy. Real networks have no such operation.",
      params: Type.Object({ address: Type.String({ pattern: SMART_FUNCTION_FORM }) }),
      body: takeStoreSchema,
      responses: {
        200: { description: "Moved.", schema: takenStoreSchema },
        400: failure("BAD_REQUEST: invalid address; STORE_UNSUPPORTED: the runtime is not the built-in one."),
        404: failure("FUNCTION_GONE: one of the two does not exist; nothing was changed."),
        503: failure("SANDBOX_BUSY: operations are still in flight; nothing was changed."),
      },
      handle: (request) => {
        const { address } = request.params as { address: string };
        if (!new RegExp(SMART_FUNCTION_FORM).test(address))
          throw new SandboxError("BAD_REQUEST", { at: "address", found: address, expected: "a KT1 address" });
        return context.takeOverStore({ from: (request.body as TakeStore).from, to: address });
      },
    },
    ...historyRoutes(() => context.history),
    ...explorerRoutes(context),
    {
      method: "GET",
      url: "/openapi.json",
      summary: "This document.",
      responses: { 200: { description: "OpenAPI 3 document.", schema: anyObject } },
      handle: () => context.openapi(),
    },
  ];
}

const LAYER1_ACTIONS: Readonly<Record<string, string>> = {
  bake: 'Bakes blocks now: {"blocks": n}; one block without a body.',
  pause: "Stops the heartbeat blocks.",
  resume: "Starts the heartbeat blocks again.",
  jump: 'Moves the time of the next block forward: {"seconds": n}.',
};

function unknownAccount(context: Pick<ControlContext, "accounts">, found: string): SandboxError {
  return new SandboxError("UNKNOWN_BOOTSTRAP", {
    found,
    known: context.accounts.map(({ label }) => label).join(", "),
  });
}

function healthReport(context: ControlContext, host = ""): HealthReport {
  const { status, parts } = context.supervisor.status();
  return {
    status,
    version: VERSION,
    pid: process.pid,
    startedAt: context.startedAt.toISOString(),
    lifelines: context.lifelines?.count ?? null,
    clients: context.hub.readers,
    ...(context.explorer && { explorer: explorerAddress(`http://${host}`) }),
    parts: [...parts],
  };
}

const KEEP_ALIVE_MS = 15_000;

function streamLog(context: ControlContext, reply: FastifyReply): FastifyReply {
  const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
  for (const line of context.log.recent) stream.send({ data: line });
  void stream.closed.then(context.log.follow((line) => stream.send({ data: line })));
  return reply;
}

function streamEvents(context: ControlContext, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
  const send = ({ id, event, data }: { id: number; event: string; data: string }) =>
    stream.send({ id: String(id), event, data });
  const lastId = Number(request.headers["last-event-id"]);
  const { status, parts } = context.supervisor.status();
  if (Number.isSafeInteger(lastId) && request.headers["last-event-id"] !== undefined) {
    for (const missed of context.hub.since(lastId)) send(missed);
  } else {
    // A new reader gets the current state first, so that it never has to guess.
    for (const part of parts) stream.send({ event: "part", data: JSON.stringify(part) });
    stream.send({ event: "status", data: JSON.stringify({ status }) });
  }
  const unsubscribe = context.hub.subscribe(send);
  const wantsLifeline = (request.query as { lifeline?: string }).lifeline === "1";
  const endLifeline = wantsLifeline ? context.lifelines?.attach() : undefined;
  void stream.closed.then(() => {
    unsubscribe();
    endLifeline?.();
  });
  return reply;
}
