// Routes about the state outside of operations: snapshots, the store that a new version of a function takes over, and
// values set by hand.
import type { FastifyRequest } from "fastify";
import { SandboxError } from "../protocol/errors.ts";
import {
  replacedValueSchema,
  SMART_FUNCTION_FORM,
  snapshotListSchema,
  snapshotSchema,
  type StoredValue,
  storedValueSchema,
  takenStoreSchema,
  type TakeStore,
  takeStoreSchema,
} from "../protocol/sandbox-api.ts";
import * as Type from "../protocol/schema-types.ts";
import { SNAPSHOT_NAME } from "../protocol/snapshot-name.ts";
import { type ControlContext, type ControlRoute, failure } from "./control-route.ts";

export function snapshotRoutes(context: ControlContext): ControlRoute[] {
  return [
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
      handle: (request) =>
        context.takeOverStore({ from: (request.body as TakeStore).from, to: functionIn(request) }),
    },
    {
      method: "POST",
      url: "/functions/:address/value",
      access: "owner",
      summary:
        "Sets or deletes one value in the store of a smart function, between two operations. Real networks have no such operation.",
      params: Type.Object({ address: Type.String({ pattern: SMART_FUNCTION_FORM }) }),
      body: storedValueSchema,
      responses: {
        200: { description: "Changed.", schema: replacedValueSchema },
        400: failure(
          "BAD_REQUEST: no address, key or JSON; STORE_UNSUPPORTED: the runtime is not the built-in one.",
        ),
        404: failure("FUNCTION_GONE: there is no such function."),
        503: failure("SANDBOX_BUSY: operations are still in flight; nothing was changed."),
      },
      handle: (request) =>
        context.editStore({ ...(request.body as StoredValue), address: functionIn(request) }),
    },
  ];
}

/** @throws SandboxError BAD_REQUEST */
function functionIn({ params }: FastifyRequest): string {
  const { address } = params as { address: string };
  if (new RegExp(SMART_FUNCTION_FORM).test(address)) return address;
  throw new SandboxError("BAD_REQUEST", { at: "address", found: address, expected: "a KT1 address" });
}
