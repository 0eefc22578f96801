// Admin routes (snapshots, store transfer, debugger) for sandboxd: local programs only, so no CORS and closed to web pages.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { openEventStream } from "../../http/event-stream.ts";
import type { Access } from "../../http/guard.ts";
import { requestField } from "../../parts/request-field.ts";
import { snapshotIdOf } from "../../parts/snapshot-shelf.ts";
import { integerField, isObject, nullableField, textField } from "../../tezos/json-fields.ts";
import type { Hold } from "../debug/held-operations.ts";
import type { RuntimeSnapshots } from "../snapshots.ts";
import type { StoreEdit } from "../store-edit.ts";
import type { Takeover } from "../store-takeover.ts";

const PREFIX = "/admin/";
/** Of the stream that holds operations: a reader that vanished without a word is noticed by its failing. */
const KEEP_ALIVE_MS = 5_000;

/**
 * Who may use a route: dApps in browsers the whole interface, only the owner these routes. Decided by the matched
 * route, so that no spelling of a path gets around it.
 */
export function accessOf({ routeOptions: { url } }: FastifyRequest): Access {
  return url?.startsWith(PREFIX) ? "owner" : "public";
}

export interface AdminOptions {
  readonly snapshots: RuntimeSnapshots;
  /** Moves a store and returns its number of values. */
  readonly takeOverStore: (takeover: Takeover) => Promise<number>;
  /** Sets or deletes a value, and returns what it replaced. */
  readonly editStore: (edit: StoreEdit) => Promise<string | null>;
  /** Does a task of the debugger, and returns JSON text. */
  readonly debug: (action: string, body: unknown) => Promise<string>;
  /** Lets a debug session hold operations while its stream is open. */
  readonly holdOperations: (body: unknown) => Promise<Hold>;
}

/** Adds the routes to a server. */
export function adminRoutes(
  server: FastifyInstance,
  { snapshots, takeOverStore, editStore, debug, holdOperations }: AdminOptions,
): void {
  void server.register((scope, _options, registered) => {
    scope.all("/admin/*", (_request, reply) => reply.status(404).send());
    scope.post("/admin/hold", async ({ body }) => {
      const isForOne = isObject(body) && body["id"] !== undefined;
      await snapshots.hold(isForOne ? snapshotIdOf(body) : undefined);
      return {};
    });
    scope.post("/admin/snapshot", async ({ body }) => ({
      taken: await snapshots.take(snapshotIdOf(body), levelOf(body)),
    }));
    scope.post("/admin/restore", async ({ body }) => {
      await snapshots.restore(snapshotIdOf(body), levelOf(body));
      return {};
    });
    scope.post("/admin/store", async ({ body }) => ({ values: await takeOverStore(takeoverOf(body)) }));
    scope.post("/admin/value", async ({ body }) => ({ before: await editStore(storeEditOf(body)) }));
    scope.post("/admin/debug/hold", async ({ body }, reply) => {
      const hold = await holdOperations(body);
      const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
      void stream.closed.then(() => hold.end());
      hold.start((event, data) => stream.send({ event, data: JSON.stringify(data) }));
    });
    scope.post<{ Params: { action: string } }>("/admin/debug/:action", async ({ params, body }, reply) =>
      reply.type("application/json").send(await debug(params.action, body)),
    );
    scope.post("/admin/release", (_request, reply) => {
      snapshots.release();
      return reply.send({});
    });
    registered();
  });
}

function takeoverOf(body: unknown): Takeover {
  const address = (name: keyof Takeover): string =>
    requestField(body, name, (value, at) => textField(value, at));
  return { from: address("from"), to: address("to") };
}

function storeEditOf(body: unknown): StoreEdit {
  const text = (name: keyof StoreEdit): string =>
    requestField(body, name, (value, at) => textField(value, at));
  const value = requestField(body, "value", (found, at) =>
    nullableField(found, (json) => textField(json, at, "JSON as text, or null")),
  );
  return { address: text("address"), key: text("key"), value };
}

/** Level of layer 1 that the snapshot belongs to. */
const levelOf = (body: unknown): number =>
  requestField(body, "level", (value, at) =>
    integerField(value, at, { least: 0, most: Number.MAX_SAFE_INTEGER }, "a level"),
  );
