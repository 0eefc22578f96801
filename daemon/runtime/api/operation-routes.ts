// Operation routes: injection, hash, receipts; and our own: traces, recent deposits, the event stream.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { openEventStream } from "../../http/event-stream.ts";
import { RECEIPT_HOLD_MS } from "../../protocol/constants.ts";
import { SandboxError } from "../../protocol/errors.ts";
import { JsonText, stringifyExact } from "../../protocol/exact-json.ts";
import type { HeldReport } from "../../protocol/held-operation.ts";
import { operationBytes } from "../../protocol/operation-size.ts";
import { LIMITS, TEXTS } from "../../protocol/real-runtime.ts";
import type { RuntimeEvent } from "../../protocol/runtime-event.ts";
import type { Reading, Readings } from "../operations/read-operation.ts";
import { operationJson, type StoredDeposit, traceJson } from "../store/committed-store.ts";
import { CORS, sendEmpty, sendError, sendJson, sendStoredJson, sendText } from "./answers.ts";
import { ReceiptWaiters } from "./receipt-waiters.ts";
import type { ApiOptions } from "./routes.ts";

const KEEP_ALIVE_MS = 15_000;
const DEFAULT_LIMIT = 100;
/** Receipt requests held open at once. One connection may carry many, so connection limits do not cover them. */
const MAX_WAITERS = 1_024;

const JSON_TYPE = /^\s*application\/(?:[^;]+\+)?json\s*(?:;|$)/i;
const NOTHING = Buffer.alloc(0);

export function operationRoutes(
  server: FastifyInstance,
  { core, reader, strict }: Omit<ApiOptions, "executing" | "documents">,
): void {
  const waiters = new ReceiptWaiters(RECEIPT_HOLD_MS, () => core.atGate !== undefined);
  core.onFinished((hash) => waiters.settle(hash, core.store.receipts.get(hash)?.json));
  server.addHook("preClose", (done) => {
    waiters.close();
    done();
  });

  /**
   * Reads the body, then responds as the Jstz node's framework does: 415 without a JSON content type, 400 for invalid
   * JSON, 422 for JSON of the wrong shape; each with a sentence of plain text.
   */
  function withBody<K extends keyof Readings>(
    what: K,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: (value: Readings[K]) => void,
  ): void | Promise<void> {
    if (!JSON_TYPE.test(request.headers["content-type"] ?? ""))
      return sendText(reply, 415, "Expected request with `Content-Type: application/json`");
    const take = (reading: Reading<Readings[K]>): void => {
      if ("value" in reading) answer(reading.value);
      else sendText(reply, reading.status, reading.text);
    };
    const reading = reader.read(what, bodyOf(request), () => reply.raw.destroyed);
    if (!(reading instanceof Promise)) return take(reading);
    return reading.then((read) => (read === undefined ? void reply.hijack() : take(read)));
  }

  server.post("/operations", (request, reply) => {
    const bytes = bodyOf(request).length;
    return withBody("signed", request, reply, (checked) => {
      const { publicKey, content } = checked.operation;
      if (
        strict &&
        content._type === "RunFunction" &&
        operationBytes(publicKey, content) > LIMITS.operationBytes
      )
        return sendError(reply, 400, TEXTS.largeRun);
      const result = core.inject(checked, bytes);
      if ("hash" in result) sendEmpty(reply, 200);
      else sendError(reply, 503, result.refused);
    });
  });

  server.post("/operations/hash", (request, reply) =>
    withBody("hash", request, reply, (hash) => sendJson(reply, JSON.stringify(hash))),
  );

  server.get<{ Params: { hash: string } }>("/operations/:hash/receipt", (request, reply) => {
    const hash = request.params.hash.toLowerCase();
    const answer = (json: string | undefined): void => {
      if (json === undefined) sendEmpty(reply, 404);
      else sendStoredJson(reply, json);
    };
    const known = core.store.receipts.get(hash);
    if (known !== undefined || strict || !core.isPending(hash)) return answer(known?.json);
    if (waiters.size >= MAX_WAITERS) throw new SandboxError("TOO_MANY_STREAMS", { open: waiters.size });
    reply.hijack();
    waiters.wait(hash, answer, () => reply.raw.destroyed);
  });

  server.get<{ Params: { hash: string } }>("/operations/:hash/trace", (request, reply) => {
    const trace = core.store.traces.get(request.params.hash.toLowerCase());
    if (trace === undefined) sendEmpty(reply, 404);
    else sendJson(reply, traceJson(trace));
  });

  server.get("/operations/held", (_request, reply) =>
    sendJson(reply, JSON.stringify({ held: core.atGate ?? null } satisfies HeldReport)),
  );

  server.get<{ Querystring: { limit?: string; trees?: string } }>("/traces", (request, reply) => {
    const limit = countOf(request.query.limit, DEFAULT_LIMIT);
    if (limit === undefined) return sendText(reply, 400, "Failed to deserialize query string: limit");
    const { trees = "true" } = request.query;
    if (trees !== "true" && trees !== "false")
      return sendText(reply, 400, "Failed to deserialize query string: trees");
    const json = trees === "true" ? traceJson : operationJson;
    sendJson(reply, `[${core.store.traces.newest(limit).map(json).join(",")}]`);
  });

  server.get<{ Querystring: { limit?: string } }>("/deposits", (request, reply) => {
    const limit = countOf(request.query.limit, DEFAULT_LIMIT);
    if (limit === undefined) return sendText(reply, 400, "Failed to deserialize query string: limit");
    sendJson(reply, stringifyExact(core.store.deposits.newest(limit).map(describeDeposit)));
  });

  const described = oncePerEvent(({ type, ...data }) => ({ event: type, data: JSON.stringify(data) }));
  server.get("/operations/stream", (_request, reply) => {
    const stream = openEventStream(reply, {
      headers: CORS,
      keepAliveMs: KEEP_ALIVE_MS,
      keepAliveText: "keep-alive-ping",
    });
    const end = core.listen((event) => stream.send(described(event)));
    void stream.closed.then(end);
  });
}

/** Describes an event once for all streams that get it, one after the other. */
function oncePerEvent<T>(describe: (event: RuntimeEvent) => T): (event: RuntimeEvent) => T {
  let last: { readonly event: RuntimeEvent; readonly described: T } | undefined;
  return (event) => {
    if (last?.event !== event) last = { event, described: describe(event) };
    return last.described;
  };
}

const bodyOf = (request: FastifyRequest): Buffer => (request.body as Buffer | null | undefined) ?? NOTHING;

/** A count from a query, or undefined when it is not one. */
export function countOf(text: unknown, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function describeDeposit({ deposit, receipt, ...place }: StoredDeposit): Record<string, unknown> {
  const { amount, ...rest } = deposit;
  return { ...place, ...rest, amount: amount.toString(), receipt: new JsonText(receipt) };
}
