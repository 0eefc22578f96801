// Routes of operations: injection, hash, receipts, and ours: traces, recent deposits, the stream of what happens.
import type { FastifyInstance } from "fastify";
import { openEventStream } from "../../http/event-stream.ts";
import { SandboxError } from "../../protocol/errors.ts";
import { operationHashHex } from "../../protocol/runtime-operation.ts";
import { decodeOperation, decodeSignedOperation } from "../operations/decode.ts";
import type { RuntimeCore } from "../runtime-core.ts";
import { operationJson, type StoredDeposit, traceJson } from "../store/committed-store.ts";
import { CORS, sendEmpty, sendError, sendJson, sendStoredJson, sendText } from "./answers.ts";
import type { OpenStreams } from "./open-streams.ts";
import { ReceiptWaiters } from "./receipt-waiters.ts";
import { decodeBody } from "./request-json.ts";

/** How long a request for the receipt of a pending operation is held: below the time limits of clients. */
const HOLD_MS = 20_000;
const KEEP_ALIVE_MS = 15_000;
const DEFAULT_LIMIT = 100;
/** Requests for receipts that are held at once. A connection may carry many, so they are counted by themselves. */
const MAX_WAITERS = 1_024;

export function operationRoutes(server: FastifyInstance, core: RuntimeCore, streams: OpenStreams): void {
  const waiters = new ReceiptWaiters(HOLD_MS);
  core.onFinished((hash) => waiters.settle(hash, core.store.receipts.get(hash)?.json));
  server.addHook("preClose", (done) => {
    waiters.close();
    done();
  });

  server.post("/operations", (request, reply) => {
    const signed = decodeBody(request, reply, decodeSignedOperation);
    if (signed === undefined) return;
    const result = core.inject(signed, (request.body as Buffer).length);
    if ("hash" in result) sendEmpty(reply, 200);
    else sendError(reply, 503, result.refused);
  });

  server.post("/operations/hash", (request, reply) => {
    const decoded = decodeBody(request, reply, decodeOperation);
    if (decoded !== undefined) sendJson(reply, JSON.stringify(operationHashHex(decoded.operation)));
  });

  server.get<{ Params: { hash: string } }>("/operations/:hash/receipt", (request, reply) => {
    const hash = request.params.hash.toLowerCase();
    const answer = (json: string | undefined): void => {
      if (json === undefined) sendEmpty(reply, 404);
      else sendStoredJson(reply, json);
    };
    const known = core.store.receipts.get(hash);
    if (known !== undefined || !core.isPending(hash)) return answer(known?.json);
    if (waiters.size >= MAX_WAITERS) throw new SandboxError("TOO_MANY_STREAMS", { open: waiters.size });
    reply.hijack();
    waiters.wait(hash, answer, () => reply.raw.destroyed);
  });

  server.get<{ Params: { hash: string } }>("/operations/:hash/trace", (request, reply) => {
    const trace = core.store.traces.get(request.params.hash.toLowerCase());
    if (trace === undefined) sendEmpty(reply, 404);
    else sendJson(reply, traceJson(trace));
  });

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
    sendJson(reply, JSON.stringify(core.store.deposits.newest(limit).map(describeDeposit)));
  });

  server.get("/operations/stream", (_request, reply) => {
    streams.mustHaveRoom();
    reply.hijack();
    const stream = openEventStream(reply.raw, {
      headers: CORS,
      keepAliveMs: KEEP_ALIVE_MS,
      keepAliveText: "keep-alive-ping",
    });
    const end = core.listen((event) => {
      const { type, ...data } = event;
      const text = JSON.stringify(data);
      stream.send({ event: type, data: text });
      streams.sent(text.length);
    });
    streams.add(stream, end);
  });
}

/** A count in a query, or undefined when it is not one. */
export function countOf(text: unknown, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function describeDeposit({ deposit, receipt, ...place }: StoredDeposit): Record<string, unknown> {
  const { amount, ...rest } = deposit;
  return { ...place, ...rest, amount: amount.toString(), receipt: JSON.parse(receipt) as unknown };
}
