// Routes of snapshots, for sandboxd: programs on this machine only, so without CORS and closed to web pages.
import type { FastifyInstance } from "fastify";
import { checkOrigin } from "../../http/guard.ts";
import { SandboxError } from "../../protocol/errors.ts";
import { snapshotIdOf } from "../../protocol/snapshot-shelf.ts";
import type { RuntimeSnapshots } from "../snapshots.ts";

/** Adds the routes to a server. */
export function adminRoutes(
  server: FastifyInstance,
  snapshots: RuntimeSnapshots,
  allowedHosts: readonly string[],
): void {
  void server.register((scope, _options, registered) => {
    // In this scope, so that it holds for these routes however their path is escaped.
    scope.addHook("onRequest", (request, _reply, done) => {
      try {
        checkOrigin(request.headers, { allowedHosts });
        done();
      } catch (error) {
        done(error as Error);
      }
    });
    scope.options("/admin/*", (_request, reply) => reply.status(404).send());
    scope.post("/admin/hold", async ({ body }) => {
      const isForOne = (body as { readonly id?: unknown } | null | undefined)?.id !== undefined;
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
    scope.post("/admin/release", (_request, reply) => {
      snapshots.release();
      return reply.send({});
    });
    registered();
  });
}

/** Level of layer 1 that a snapshot goes with. */
function levelOf(body: unknown): number {
  const level = (body as { readonly level?: unknown } | null | undefined)?.level;
  if (typeof level === "number" && Number.isSafeInteger(level) && level >= 0) return level;
  throw new SandboxError("BAD_REQUEST", { at: "level", found: level ?? "nothing", expected: "a level" });
}
