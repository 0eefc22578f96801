// The latest operations that a test has sent, and what a failed test says about them: what they were, where the last
// failed call failed, and how to open it in the debugger.
import { failureView } from "../cli/render/failure-view.ts";
import type { DebugClient } from "../daemon/client/debug-client.ts";
import { openRemoteSession } from "../daemon/debug-adapter/adapter-host.ts";
import { reasonOf } from "../daemon/protocol/errors.ts";
import { visible } from "../daemon/text/visible-text.ts";
import { KEEP_VARIABLE } from "./kept-process.ts";

/** Operations that a failed test shows. */
const SHOWN = 10;
/** Characters shown of a request, or of a reason. */
const MAX_TEXT = 300;

export interface SentOperation {
  readonly hash: string;
  /** Such as `GET /increment of KT1…`. */
  readonly what: string;
  readonly isCall: boolean;
  /** Status of the answer of a call. */
  readonly status?: number;
  /** Why it failed. */
  readonly failure?: string;
}

/** @param keptAt endpoint of a sandbox that stays after the tests */
export function debugHint(hash: string, keptAt: string | undefined): string {
  return keptAt === undefined
    ? `Run the test with ${KEEP_VARIABLE}=1: the sandbox then stays, and this shows the command that opens the operation in the debugger.`
    : `FUNCTEZ_SANDBOX_URL=${keptAt} functez debug ${hash}`;
}

export class SentOperations {
  readonly #client: DebugClient;
  readonly #keptAt: string | undefined;
  #latest: SentOperation[] = [];
  #count = 0;

  constructor(client: DebugClient, keptAt: string | undefined) {
    this.#client = client;
    this.#keptAt = keptAt;
  }

  add(operation: SentOperation): void {
    this.#count++;
    this.#latest = [...this.#latest.slice(1 - SHOWN), operation];
  }

  /** Begins with the next test. */
  clear(): void {
    this.#latest = [];
    this.#count = 0;
  }

  /** What the operations since `clear` were, as text. */
  async report(): Promise<string> {
    if (this.#count === 0) return "The failed test has sent no operation.";
    const some =
      this.#count > this.#latest.length ? `, the last ${this.#latest.length} of ${this.#count}` : "";
    const lines = [`Operations of the failed test${some}:`, ...this.#latest.map(lineOf)];
    const failed = this.#latest.findLast(hasThrown);
    if (failed !== undefined) lines.push("", ...(await this.#placeOf(failed.hash)));
    const opened = failed ?? this.#latest.findLast(({ isCall }) => isCall);
    if (opened !== undefined) lines.push("", debugHint(opened.hash, this.#keptAt));
    return visible(lines.join("\n"));
  }

  async #placeOf(hash: string): Promise<readonly string[]> {
    try {
      const session = await openRemoteSession({ ask: (body) => this.#client.session(body) }, hash);
      try {
        return (await failureView(session, hash)).lines;
      } finally {
        await session.close();
      }
    } catch (error) {
      return [`Where it failed is not known: ${reasonOf(error)}`];
    }
  }
}

/** A call that failed: an exception that nothing catches is answered with 500. */
const hasThrown = ({ isCall, failure, status }: SentOperation): boolean =>
  isCall && (failure !== undefined || status === 500);

function lineOf({ hash, what, status, failure }: SentOperation): string {
  const end = failure === undefined ? (status ?? "done") : `failed: ${short(failure)}`;
  return `  ${hash}  ${short(what)}  ${end}`;
}

const short = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/**
 * Whether a test failed, by what its runner passes to `afterEach`: Vitest, `node:test`, or mocha's `this`. Without that, it
 * did: the caller knows.
 */
export function hasFailed(test: unknown): boolean {
  const { task, currentTest, passed } = (test ?? {}) as {
    readonly task?: { readonly result?: { readonly state?: string } };
    readonly currentTest?: { readonly state?: string };
    readonly passed?: boolean;
  };
  if (task !== undefined) return task.result?.state === "fail";
  if (currentTest !== undefined) return currentTest.state === "failed";
  return passed !== true;
}
