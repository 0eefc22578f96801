// What a route of sandboxd is, and what the routes work with.
import type { TSchema } from "@sinclair/typebox";
import type { FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { ServerSentEvent } from "../client/server-sent-events.ts";
import type { Access } from "../http/guard.ts";
import type { DebugAction } from "../protocol/debug-api.ts";
import type { AskedAt, OwnerProof } from "../protocol/owner-proof.ts";
import {
  errorSchema,
  type ReplacedValue,
  type StoredValue,
  type TakenStore,
} from "../protocol/sandbox-api.ts";
import * as Type from "../protocol/schema-types.ts";
import type { Lifelines } from "../supervisor/lifeline.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { BalanceReader, NamedAddress } from "./balances.ts";
import type { EventHub } from "./event-hub.ts";
import type { Explorer } from "./explorer-routes.ts";
import type { History } from "./history-routes.ts";
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
  /** @throws SandboxError BAD_REQUEST, FUNCTION_GONE, SANDBOX_BUSY, STORE_UNSUPPORTED */
  readonly editStore: (edit: StoredValue & { address: string }) => Promise<ReplacedValue>;
  /** @throws SandboxError of the debugger, DEBUG_UNSUPPORTED */
  readonly debug: (action: DebugAction, body: object) => Promise<unknown>;
  /** Events of the runtime while a debug session holds operations. @throws SandboxError HOLD_TAKEN, DEBUG_UNSUPPORTED */
  readonly holdOperations: (body: object, signal: AbortSignal) => AsyncGenerator<ServerSentEvent>;
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

/** The response of a request that failed. */
export const failure = (description: string): RouteResponse => ({ description, schema: errorSchema });
export const anyObject = Type.Record(Type.String(), Type.Unknown());
