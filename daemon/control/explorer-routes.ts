// The routes of the explorer, the web page of the sandbox: its files, the reads that it makes of both parts through
// sandboxd, and runs of smart functions signed for it. What they do is a bundle of its own, loaded by the first request.
import type { FastifyReply, FastifyRequest } from "fastify";
import { readEvents } from "../client/server-sent-events.ts";
import { openEventStream } from "../http/event-stream.ts";
import { isFromHere } from "../http/guard.ts";
import type { SourcePlace } from "../protocol/debug-api.ts";
import { SandboxError } from "../protocol/errors.ts";
import {
  codePlacesSchema,
  errorSchema,
  type RuntimeOperationReport,
  runtimeOperationReportSchema,
  runtimeOperationSchema,
} from "../protocol/sandbox-api.ts";
import * as Type from "../protocol/schema-types.ts";
import { anyObject, type ControlContext, type ControlRoute } from "./control-route.ts";

/** An answer with its headers. */
export interface ExplorerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** What the bundle of the explorer does. */
export interface Explorer {
  /** A file of the page; undefined when there is none of this name. */
  file(name: string): ExplorerAnswer | undefined;
  /**
   * @param path of a part's public interface, with its query
   * @throws SandboxError NETWORK_UNREACHABLE, SERVER_BUSY, CANCELLED
   */
  read(part: ExplorerPart, path: string, signal: AbortSignal): Promise<ExplorerAnswer>;
  /** Address of a stream of the runtime. @throws SandboxError BAD_REQUEST */
  logsOf(address: string): string;
  /** @param checkOwner throws for strangers; called for all but the bootstrap accounts @throws SandboxError */
  run(request: unknown, checkOwner: () => void): Promise<RuntimeOperationReport>;
}

const EXPLORER_PARTS = ["layer1", "runtime"] as const;
export type ExplorerPart = (typeof EXPLORER_PARTS)[number];

/** Hashes of operations and blocks, addresses, and levels, as in the paths of TzKT. */
const SUBJECT = /^(?:[0-9a-f]{64}|(?:[oB]|tz[1-4]|KT1|sr1)[1-9A-HJ-NP-Za-km-z]{33,51}|\d{1,10})$/;
const KEEP_ALIVE_MS = 15_000;

const errorAnswer = (description: string) => ({ description, schema: errorSchema });

const LEADS = { 302: { description: "For browsers." }, 404: errorAnswer("NOT_FOUND: for all others.") };

export function explorerRoutes(
  context: Pick<ControlContext, "explorer" | "checkOwner" | "debug">,
): ControlRoute[] {
  const explorer = (): Explorer => {
    if (context.explorer) return context.explorer();
    throw new SandboxError("NOT_FOUND", { what: "explorer" });
  };
  const isOwner = (request: FastifyRequest): boolean => {
    try {
      context.checkOwner(request);
      return true;
    } catch {
      return false; // a stranger
    }
  };
  /** People who open an address of the server in a browser get the page; programs get what they always got. */
  const toPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const subject = request.url.slice(1).split("?")[0]!;
    const isPerson = request.headers.accept?.includes("text/html") ?? false;
    if (isPerson && subject === "") return reply.redirect("explorer/");
    if (isPerson && SUBJECT.test(subject)) return reply.redirect(`explorer/#/find/${subject}`);
    throw new SandboxError("NOT_FOUND", { what: `${request.method} /${subject}` });
  };
  const page = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const name = request.url.split("?")[0]!.slice("/explorer/".length);
    const found = explorer().file(name === "" ? "index.html" : name);
    if (!found) throw new SandboxError("NOT_FOUND", { what: `GET /explorer/${name}` });
    return send(reply, found);
  };
  return [
    {
      method: "GET",
      url: "/",
      summary: "Leads browsers to the explorer.",
      responses: LEADS,
      handle: toPage,
    },
    {
      method: "GET",
      url: "/:subject",
      summary: "Leads browsers to an operation, a block or an account in the explorer.",
      params: Type.Object({ subject: Type.String() }),
      responses: LEADS,
      handle: toPage,
    },
    {
      method: "GET",
      url: "/explorer",
      summary: "Leads to the explorer.",
      responses: { 302: { description: "To `/explorer/`." } },
      handle: (_request, reply) => reply.redirect("explorer/"),
    },
    {
      method: "GET",
      url: "/explorer/*",
      summary: "The explorer: a web page that shows the sandbox.",
      responses: { 200: { description: "A file of it.", contentType: "text/html" } },
      handle: page,
    },
    ...EXPLORER_PARTS.map((part): ControlRoute => ({
      method: "GET",
      url: `/explorer/api/${part}/*`,
      access: "own-site",
      summary: `What the public interface of ${part}_node answers, for pages that reach no other port.`,
      responses: {
        200: { description: "The answer, as JSON.", schema: Type.Unknown() },
        503: errorAnswer("NETWORK_UNREACHABLE: the part does not answer; SERVER_BUSY: too many reads."),
      },
      handle: async (request, reply) => {
        const gone = new AbortController();
        reply.raw.once("close", () => gone.abort());
        const path = request.url.slice(`/explorer/api/${part}`.length);
        return send(reply, await explorer().read(part, path, gone.signal));
      },
    })),
    {
      method: "GET",
      url: "/explorer/api/logs/:address",
      access: "own-site",
      summary: "Server-sent events: what a smart function logs.",
      params: Type.Object({ address: Type.String() }),
      responses: {
        200: { description: "One line each.", contentType: "text/event-stream" },
        400: errorAnswer("BAD_REQUEST: not an address."),
      },
      handle: ({ params }, reply) =>
        streamLogs(explorer().logsOf((params as { address: string }).address), reply),
    },
    {
      method: "POST",
      url: "/explorer/api/places",
      access: "own-site",
      summary:
        "The sources of places in deployed code for the page: the ends of their paths, and to strangers none.",
      body: codePlacesSchema,
      responses: {
        200: { description: "`places`: `source`, `line` and `column` of each, or null.", schema: anyObject },
        503: errorAnswer(
          "SANDBOX_BUSY; REPLAY_LIMIT; DEBUG_UNSUPPORTED: the runtime is not the built-in one.",
        ),
      },
      handle: async (request) => {
        const asked = request.body as { places: readonly object[] };
        if (!isFromHere(request.headers) && !isOwner(request))
          return { places: asked.places.map(() => null) };
        const { places } = (await context.debug("places", asked)) as {
          places: readonly (SourcePlace | null)[];
        };
        return { places: places.map((place) => place && { ...place, source: endOf(place.source) }) };
      },
    },
    {
      method: "POST",
      url: "/runtime/operations",
      summary: "Signs a call of a smart function for an account of the sandbox and waits for its receipt.",
      body: runtimeOperationSchema,
      responses: {
        200: { description: "It has a receipt.", schema: runtimeOperationReportSchema },
        400: errorAnswer("UNKNOWN_BOOTSTRAP, KEY_UNKNOWN, BAD_URL, or the runtime rejected it."),
        403: errorAnswer("OWNER_ONLY: another account, or a host name that is not loopback."),
      },
      handle: (request) => {
        const checkOwner = () => context.checkOwner(request);
        if (!isFromHere(request.headers)) checkOwner();
        return explorer().run(request.body, checkOwner);
      },
    },
  ];
}

/** The folders above a project, which tell whose it is, stay with the owner. */
function endOf(source: string): string {
  const parts = source.split(/[\\/]/);
  const modules = parts.lastIndexOf("node_modules");
  return parts.slice(modules < 0 ? -2 : modules).join("/");
}

const send = (reply: FastifyReply, { status, headers, body }: ExplorerAnswer): FastifyReply =>
  reply.status(status).headers(headers).send(body);

/** Passes a stream of the runtime on, as long as both ends are there. */
function streamLogs(url: string, reply: FastifyReply): FastifyReply {
  const stream = openEventStream(reply, { keepAliveMs: KEEP_ALIVE_MS, keepAliveText: "keep-alive" });
  const end = new AbortController();
  void stream.closed.then(() => end.abort());
  const pass = async (): Promise<void> => {
    for await (const { data } of readEvents(url, { signal: end.signal })) stream.send({ data });
  };
  // A runtime that ends its stream ends this one too: the page opens another.
  void pass()
    .catch(() => undefined)
    .then(() => stream.close());
  return reply;
}
