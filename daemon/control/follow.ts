// Turns the parts' streams (layer 1 heads, the runtime's finished operations) into events while there are readers.
// Without readers nothing is followed, so an idle sandbox stays idle.
import { decodeAnswer } from "../client/decode-answer.ts";
import { linesOf, openHttp } from "../client/http-json.ts";
import { readEvents } from "../client/server-sent-events.ts";
import type { Log } from "../parts/log.ts";
import { ownerHeaders } from "../protocol/admin-secret.ts";
import { reasonOf } from "../protocol/errors.ts";
import { depositEventOf, operationEventOf } from "../protocol/runtime-event.ts";
import type { AccountRow } from "../protocol/sandbox-api.ts";
import { pause } from "../protocol/wait.ts";
import { tryDecode, fieldsOf, levelField, textField } from "../tezos/json-fields.ts";
import type { BalanceReader } from "./balances.ts";
import type { EventHub } from "./event-hub.ts";
import type { RuledPart } from "./ruled-part.ts";

export interface FollowOptions {
  readonly hub: EventHub;
  readonly balances: BalanceReader;
  readonly layer1: RuledPart;
  readonly runtime: RuledPart;
  readonly log: Log;
}

export interface Follower {
  /** Starts or stops following; called whenever the number of readers changes. */
  want(wanted: boolean): void;
}

const RETRY_MS = 500;

interface HeadLine {
  readonly level: number;
  readonly hash: string;
  readonly timestamp: string;
  readonly operations_hash: string;
}

/** @throws MalformedJson */
function headLineOf(json: unknown): HeadLine {
  const fields = fieldsOf(json, "line");
  const text = (name: keyof HeadLine): string => textField(fields[name], name);
  return {
    level: levelField(fields["level"], "level"),
    hash: text("hash"),
    timestamp: text("timestamp"),
    operations_hash: text("operations_hash"),
  };
}

export function createFollower(options: FollowOptions): Follower {
  let abort: AbortController | undefined;
  let known = new Map<string, string>();
  let refresh: Promise<void> | undefined;
  let again = false;

  /** Publishes the balances that changed; calls during a refresh trigger one more. */
  function refreshBalances(): void {
    if (refresh) {
      again = true;
      return;
    }
    refresh = options.balances
      .read()
      .then((rows) => {
        const changed = rows.filter((row) => known.get(row.address) !== fingerprint(row));
        known = new Map(rows.map((row) => [row.address, fingerprint(row)]));
        if (changed.length > 0) options.hub.publish("balances", { accounts: changed });
      })
      .catch((error: unknown) => options.log.debug({ reason: reasonOf(error) }, "balances not read"))
      .finally(() => {
        refresh = undefined;
        if (again) {
          again = false;
          refreshBalances();
        }
      });
  }

  async function followHeads(signal: AbortSignal): Promise<void> {
    const url = `${options.layer1.endpoint()}/monitor/heads/main`;
    const heads = await openHttp(url, {
      signal,
      headers: ownerHeaders(options.layer1.secret),
      timeoutMs: 3_600_000,
    });
    if (heads.statusCode !== 200) {
      heads.resume();
      throw new Error(`/monitor/heads/main answers ${heads.statusCode}`);
    }
    let operations: string | undefined;
    for await (const line of linesOf(heads)) {
      if (line.trim() === "") continue;
      const head = decodeAnswer({ what: "The layer 1 node", url }, line, headLineOf);
      options.hub.publish("head", { level: head.level, hash: head.hash, timestamp: head.timestamp });
      // Empty blocks all have the same operations hash: no balance changed between two of them.
      if (head.operations_hash !== operations) refreshBalances();
      operations = head.operations_hash;
    }
  }

  async function followRuntime(signal: AbortSignal): Promise<void> {
    for await (const { event, data } of readEvents(`${options.runtime.endpoint()}/operations/stream`, {
      signal,
      headers: ownerHeaders(options.runtime.secret),
    })) {
      if (event !== "deposit" && event !== "operation") continue;
      const deposit = event === "deposit" ? tryDecode(data, depositEventOf) : undefined;
      const operation = event === "operation" ? tryDecode(data, operationEventOf) : undefined;
      if (deposit) options.hub.publish("deposit", deposit);
      if (operation) options.hub.publish("operation", operation);
      refreshBalances();
    }
  }

  /** Runs a follower until the signal aborts, reconnecting after failures. */
  async function keep(follow: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        options.log.debug({ reason: reasonOf(error) }, "a followed stream broke, trying again");
      }
      await pause(RETRY_MS, signal);
    }
  }

  return {
    want(wanted) {
      if (wanted && !abort) {
        abort = new AbortController();
        known = new Map();
        void keep(followHeads, abort.signal);
        void keep(followRuntime, abort.signal);
      } else if (!wanted && abort) {
        abort.abort();
        abort = undefined;
      }
    },
  };
}

function fingerprint(row: AccountRow): string {
  return `${row.layer1_balance}/${row.runtime_balance}`;
}
