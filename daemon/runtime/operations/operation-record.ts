// What is kept of an operation for people, and what of one that is never executed.
import type { OperationContent } from "../../protocol/runtime-operation.ts";
import type { StoredTrace } from "../store/committed-store.ts";
import type { Job, OperationJob, Outcome } from "./jobs.ts";

export function operationName(job: Job): string {
  if (job.kind === "operation") return job.content._type;
  return job.deposit.kind === "tez" ? "Deposit" : "FaDeposit";
}

/** Function that was called or deployed, or null. */
export function targetOf(job: OperationJob, outcome: Outcome): string | null {
  return job.content._type === "RunFunction" ? authorityOf(job.content.uri) : outcome.deployed;
}

export function traceOf(job: Job, outcome: Outcome, at: number): StoredTrace {
  const { success, statusCode, failure, deployed, trace } = outcome;
  const sender = job.kind === "operation" ? job.sender : job.deposit.source;
  const operation = operationName(job);
  const target = job.kind === "operation" ? targetOf(job, outcome) : null;
  return { hash: job.hash, at, operation, sender, success, statusCode, failure, deployed, target, trace };
}

const MAX_AUTHORITY = 100;

/** What stands between `jstz://` and the path, or null; cut where no address is longer. */
export function authorityOf(uri: string): string | null {
  const authority = /^[a-z]+:\/\/([^/?#]+)/i.exec(uri.slice(0, 2 * MAX_AUTHORITY))?.[1];
  // A part of a text keeps the whole text in memory, so it is made anew.
  return authority === undefined ? null : Buffer.from(authority.slice(0, MAX_AUTHORITY)).toString();
}

/**
 * What is left of an operation whose signature is not good: nobody may fill the queue with what is never executed.
 * The receipt needs its hash only, the list of operations what it was and for whom.
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
