// Routes about the sandbox itself: its health, its configuration, its end, and its owner.
import { VERSION } from "../protocol/constants.ts";
import { SandboxError } from "../protocol/errors.ts";
import { explorerAddress } from "../protocol/explorer-address.ts";
import { NONCE_FORM, plainAddress } from "../protocol/owner-proof.ts";
import type { PartName } from "../protocol/part-name.ts";
import { type HealthReport, healthSchema, ownerProofSchema } from "../protocol/sandbox-api.ts";
import * as Type from "../protocol/schema-types.ts";
import { anyObject, type ControlContext, type ControlRoute, failure } from "./control-route.ts";

/** Names under which a part's configuration is served: ours, and jstzd's. */
const CONFIG_TYPES: Readonly<Record<string, PartName>> = {
  runtime_node: "runtime_node",
  layer1_node: "layer1_node",
  jstz_node: "runtime_node",
  octez_node: "layer1_node",
};

const isNonce = new RegExp(`^${NONCE_FORM}$`);
export function stateRoutes(context: ControlContext): ControlRoute[] {
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
  ];
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
