// Responses of the runtime's HTTP interface, written straight to the socket: content types are part of the protocol
// here (error bodies have none), and this is the hot path of every operation.
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { SMALL_ANSWER, tooManyUnsent } from "../../http/unsent-answers.ts";

/** Any page may read the public interface: dApps in browsers need it. */
export const CORS = { "access-control-allow-origin": "*" } as const;

/** Header names and values in turn: node:http takes such a list as it is. */
type Headers = readonly string[];

const NO_TYPE: Headers = Object.entries(CORS).flat();
const JSON_TYPE: Headers = [...NO_TYPE, "content-type", "application/json"];
const TEXT_TYPE: Headers = [...NO_TYPE, "content-type", "text/plain; charset=utf-8"];
/** A page of the node itself, without CORS. */
const HTML_TYPE: Headers = ["content-type", "text/html; charset=utf-8"];
const PREFLIGHT: Headers = [
  ...NO_TYPE,
  "access-control-allow-methods",
  "*",
  "access-control-allow-headers",
  "*",
  "vary",
  "origin, access-control-request-method, access-control-request-headers",
];

/** @param mayWait whether the answer is in memory anyway, so that it may wait while many are unsent */
function send(reply: FastifyReply, status: number, body: string, headers: Headers, mayWait = false): void {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return;
  const length = Buffer.byteLength(body);
  if (length <= SMALL_ANSWER) return write(raw, status, body, length, headers);
  const go = (isAdmitted: boolean): void => {
    if (isAdmitted) write(raw, status, body, length, headers);
    else refuse(raw);
  };
  const { unsent } = reply.server;
  if (mayWait) unsent.whenAdmitted(raw, length, go);
  else go(unsent.admit(raw, length));
}

function write(raw: ServerResponse, status: number, body: string, length: number, headers: Headers): void {
  raw.writeHead(status, [...headers, "content-length", String(length)]);
  // As a string, head and body leave in one write, but that copies the body, which is costly for a large one.
  if (length > SMALL_ANSWER) raw.end(Buffer.from(body, "utf8"));
  else raw.end(body, "utf8");
}

function refuse(raw: ServerResponse): void {
  const error = tooManyUnsent();
  const headers = { ...CORS, "content-type": "application/json; charset=utf-8" };
  raw.writeHead(error.status, headers).end(JSON.stringify(error.toBody()));
}

/** JSON text that is kept in memory anyway, so it may wait while many responses are unsent. */
export function sendStoredJson(reply: FastifyReply, json: string): void {
  send(reply, 200, json, JSON_TYPE, true);
}

export function sendJson(reply: FastifyReply, json: string): void {
  send(reply, 200, json, JSON_TYPE);
}

export function sendEmpty(reply: FastifyReply, status: number): void {
  send(reply, status, "", NO_TYPE);
}

/** `{"error":…}` without a content type, as the Jstz node answers. */
export function sendError(reply: FastifyReply, status: number, message: string): void {
  send(reply, status, JSON.stringify({ error: message }), NO_TYPE);
}

export function sendText(reply: FastifyReply, status: number, text: string): void {
  send(reply, status, text, TEXT_TYPE);
}

export function sendPreflight(reply: FastifyReply): void {
  send(reply, 200, "", PREFLIGHT);
}

export function sendHtml(reply: FastifyReply, html: string): void {
  send(reply, 200, html, HTML_TYPE);
}
