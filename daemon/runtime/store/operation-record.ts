// Records of operations for people, and of operations that are never executed.
import type { HeaderRecord, OperationContent } from "../../protocol/runtime-operation.ts";
import type { Job, OperationJob, Outcome } from "../operations/jobs.ts";
import { authorityOf } from "../operations/uri-authority.ts";
import type { StoredTrace, TraceDetails } from "./committed-store.ts";
import { textBytes } from "./text-bytes.ts";

export function operationName(job: Job): string {
  if (job.kind === "operation") return job.content._type;
  return job.deposit.kind === "tez" ? "Deposit" : "FaDeposit";
}

/** Function that was called or deployed, or null. */
export function targetOf(job: OperationJob, deployed: string | null): string | null {
  return job.content._type === "RunFunction" ? authorityOf(job.content.uri) : deployed;
}

/** Bytes of an operation, as received, up to which its record keeps it as it is. */
const SMALL_OPERATION = 16 * 1024;

/**
 * The record of an operation. Most are never read, so a small operation is described when somebody asks.
 * @param bytes of the operation as received
 */
export function traceOf(job: Job, outcome: Outcome, at: number, bytes: number): StoredTrace {
  const { success, statusCode, failure, deployed, trace } = outcome;
  const ended = { hash: job.hash, at, success, statusCode, failure, deployed, trace };
  if (bytes <= SMALL_OPERATION) return { ...ended, size: bytes, about: () => describe(job, deployed) };
  const about = describe(job, deployed);
  return { ...ended, size: about.request === null ? 0 : textBytes(about.request), about: () => about };
}

function describe(job: Job, deployed: string | null): TraceDetails {
  const operation = operationName(job);
  const call = callOf(job);
  if (job.kind === "deposit")
    return { operation, sender: job.deposit.source, target: null, call, request: null };
  const target = targetOf(job, deployed);
  return { operation, sender: job.sender, target, call, request: requestOf(job.content) };
}

/** Method and path of a call in a few words, or null. */
export function callOf(job: Job): string | null {
  if (job.kind !== "operation" || job.content._type !== "RunFunction") return null;
  const { uri, method } = job.content;
  const path = /^[a-z]+:\/\/[^/?#]+([^#]{0,120})/i.exec(uri.slice(0, 300))?.[1];
  // A slice keeps the whole text in memory, so it is copied.
  return Buffer.from(`${method.slice(0, 20)} ${path || "/"}`).toString();
}

/** Characters of headers, and of a body in base64, that are kept with a trace: enough for what people type. */
const MAX_KEPT = 65_536;

/** JSON text of the request of a run; parts that are too large are null. */
function requestOf(content: OperationContent): string | null {
  if (content._type !== "RunFunction") return null;
  const { uri, method, headers, body, gasLimit } = content;
  if (uri.length + method.length > MAX_KEPT) return null;
  const size = body?.length ?? 0;
  return JSON.stringify({
    uri,
    method,
    headers: sizeOf(headers) > MAX_KEPT ? null : headers,
    body: size > MAX_KEPT ? null : body,
    bodySize: size,
    gasLimit: gasLimit.toString(),
  });
}

function sizeOf(headers: HeaderRecord): number {
  let size = 0;
  for (const name in headers) size += name.length + String(headers[name]).length;
  return size;
}

/**
 * Strips an operation whose signature is invalid, so that the queue cannot be filled with operations that are never
 * executed. The receipt needs only its hash, the operation list its kind and target.
 */
export function withoutContent(content: OperationContent): OperationContent {
  switch (content._type) {
    case "RunFunction": {
      const authority = authorityOf(content.uri);
      const uri = authority === null ? "" : `jstz://${authority}`;
      return { _type: "RunFunction", uri, method: "", headers: {}, body: null, gasLimit: content.gasLimit };
    }
    case "DeployFunction":
      return { _type: "DeployFunction", functionCode: "", accountCredit: content.accountCredit };
    case "OracleResponse": {
      const response = { status: 0, statusText: "", headers: [], body: [] };
      return { _type: "OracleResponse", requestId: content.requestId, response };
    }
    case "RevealLargePayload":
      return content; // of a fixed size
  }
}
