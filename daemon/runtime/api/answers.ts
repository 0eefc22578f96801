// Responses of the runtime's HTTP interface, written straight to the socket: content types are part of the protocol
// here (error bodies have none), and this is the hot path of every operation.
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { SMALL_ANSWER, tooManyUnsent } from "../../http/unsent-answers.ts";

/** Any page may read the public interface: dApps in browsers need it. */
export const CORS = { "access-control-allow-origin": "*" } as const;

const PREFLIGHT = {
  ...CORS,
  "access-control-allow-methods": "*",
  "access-control-allow-headers": "*",
  vary: "origin, access-control-request-method, access-control-request-headers",
} as const;

function send(
  reply: FastifyReply,
  status: number,
  body: string,
  headers: Record<string, string>,
  mayWait = false,
): void {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return;
  const length = Buffer.byteLength(body);
  const go = (isAdmitted = true): void => {
    if (!isAdmitted) return refuse(raw);
    raw.writeHead(status, { ...headers, "content-length": length });
    // As a string, head and body leave in one write, but that copies the body, which is costly for a large one.
    if (length > SMALL_ANSWER) raw.end(Buffer.from(body, "utf8"));
    else raw.end(body, "utf8");
  };
  const { unsent } = reply.server;
  if (length <= SMALL_ANSWER) go();
  else if (mayWait) unsent.whenAdmitted(raw, length, go);
  else go(unsent.admit(raw, length));
}

function refuse(raw: ServerResponse): void {
  const error = tooManyUnsent();
  const headers = { ...CORS, "content-type": "application/json; charset=utf-8" };
  raw.writeHead(error.status, headers).end(JSON.stringify(error.toBody()));
}

/** JSON text that is kept in memory anyway, so it may wait while many responses are unsent. */
export function sendStoredJson(reply: FastifyReply, json: string): void {
  send(reply, 200, json, { ...CORS, "content-type": "application/json" }, true);
}

export function sendJson(reply: FastifyReply, json: string): void {
  send(reply, 200, json, { ...CORS, "content-type": "application/json" });
}

export function sendEmpty(reply: FastifyReply, status: number): void {
  send(reply, status, "", CORS);
}

/** `{"error":…}` without a content type, as the Jstz node answers. */
export function sendError(reply: FastifyReply, status: number, message: string): void {
  send(reply, status, JSON.stringify({ error: message }), CORS);
}

export function sendText(
  reply: FastifyReply,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  send(reply, status, text, { ...CORS, "content-type": "text/plain; charset=utf-8", ...headers });
}

export function sendPreflight(reply: FastifyReply): void {
  send(reply, 200, "", PREFLIGHT);
}

/** A page of the node itself, without CORS. */
export function sendHtml(reply: FastifyReply, html: string): void {
  send(reply, 200, html, { "content-type": "text/html; charset=utf-8" });
}
