// Follows the rollup inbox of layer 1 over HTTP, level by level without a gap, and passes on the deposits.
import { decodeAnswer } from "../../client/decode-answer.ts";
import { httpRequestText, LARGE_ANSWER_BYTES, linesOf, openHttp } from "../../client/http-json.ts";
import type { Log } from "../../parts/log.ts";
import { ownerHeaders } from "../../protocol/admin-secret.ts";
import { reasonOf } from "../../protocol/errors.ts";
import { MAX_RUNTIME_MUTEZ } from "../../protocol/tez-text.ts";
import { pause } from "../../protocol/wait.ts";
import { fieldsOf, levelField, numberField, textsField } from "../../tezos/json-fields.ts";
import { type FaDeposit, type InboxOptions, readDeposit, type TezDeposit } from "./inbox-message.ts";

export interface FollowerOptions extends InboxOptions {
  /** Base URL of the rollup RPC. */
  readonly endpoint: () => string;
  /** Layer 1's admin secret: it reserves capacity for the follower's stream and requests. */
  readonly secret?: string | undefined;
  readonly log: Log;
  /** Resolves when there is room for more deposits, or on abort: reading pauses until then. */
  room?(signal: AbortSignal): Promise<void>;
  onDeposit(deposit: TezDeposit | FaDeposit, place: { level: number; index: number }): void;
}

const what = "Layer 1";
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;
// Blocks may be far apart, or paused: a silent stream is not broken.
const STREAM_SILENCE_MS = 24 * 3_600_000;

/** A line of the block stream; only layer1_node adds more than the level. */
interface BlockLine {
  readonly level: number;
  /** Number of messages added by operations. */
  readonly inbox_messages?: number;
  /** All messages of the level, when they are short. */
  readonly messages?: readonly string[];
}

/** @throws MalformedJson */
function blockLineOf(json: unknown): BlockLine {
  const { level, inbox_messages: count, messages } = fieldsOf(json, "line");
  return {
    level: levelField(level, "level"),
    ...(count !== undefined && { inbox_messages: numberField(count, "inbox_messages") }),
    ...(messages !== undefined && { messages: textsField(messages, "messages") }),
  };
}

export class InboxFollower {
  readonly #options: FollowerOptions;
  readonly #abort = new AbortController();
  #level = 0;
  #connected = false;
  #failure: string | undefined;
  #lost = false;
  #running: Promise<void> | undefined;
  readonly #onLevel = new Set<() => void>();

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Last level whose messages have been passed on. */
  get level(): number {
    return this.#level;
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Why it is disconnected, as part of a sentence. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when the messages of a level have been handed over, or the signal aborts. */
  reached(level: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#level < level && !signal.aborted) return;
        this.#onLevel.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#onLevel.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted && !this.#lost) {
      try {
        await this.#follow(signal, () => {
          retryMs = FIRST_RETRY_MS;
        });
        this.#failure = "layer 1 closed the stream of blocks";
      } catch (error) {
        this.#failure = reasonOf(error);
      }
      if (this.#connected && !signal.aborted) {
        this.#options.log.warn({ reason: this.#failure }, "the connection to layer 1 is lost; trying again");
      }
      this.#connected = false;
      await pause(retryMs, signal);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  async #follow(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const url = `${this.#options.endpoint()}/global/monitor_blocks`;
    const stream = await openHttp(url, {
      signal,
      headers: ownerHeaders(this.#options.secret),
      timeoutMs: STREAM_SILENCE_MS,
      what,
    });
    try {
      if (stream.statusCode !== 200) throw new Error(`/global/monitor_blocks answers ${stream.statusCode}`);
      for await (const line of linesOf(stream)) {
        if (line.trim() === "") continue;
        const block = decodeAnswer({ what, url }, line, blockLineOf);
        const { level } = block;
        if (level < this.#level) {
          // Another chain under the same endpoint: its levels must not count as ones already read.
          this.#lost = true;
          throw new Error(`layer 1 went back from level ${this.#level} to ${level}; restart the sandbox`);
        }
        while (this.#level < level) {
          await this.#options.room?.(signal);
          if (signal.aborted) return;
          const next = this.#level + 1;
          this.#take(next, (next === level && messagesIn(block)) || (await this.#ask(next, signal)));
          this.#level = next;
          for (const listener of this.#onLevel) listener();
        }
        this.#connected = true;
        onProgress();
      }
    } finally {
      stream.destroy();
    }
  }

  /** Fetches all messages of a level. */
  async #ask(level: number, signal: AbortSignal): Promise<readonly string[]> {
    const url = `${this.#options.endpoint()}/global/block/${level}`;
    const { status, body } = await httpRequestText(url, {
      signal,
      headers: ownerHeaders(this.#options.secret),
      what,
      maxBytes: LARGE_ANSWER_BYTES,
    });
    // Levels that layer 1 has forgotten predate this sandbox.
    if (status === 404) return [];
    if (status !== 200) throw new Error(`/global/block/${level} answers ${status}`);
    return decodeAnswer({ what, url }, body, (json) =>
      textsField(fieldsOf(json, "body")["messages"], "messages"),
    );
  }

  #take(level: number, messages: readonly string[]): void {
    const reasons: string[] = [];
    const tooLarge: bigint[] = [];
    messages.forEach((message, index) => {
      const deposit = readDeposit(message, this.#options);
      if (deposit === undefined) return;
      if (deposit.kind === "ignored") reasons.push(deposit.reason);
      else this.#options.onDeposit(deposit, { level, index });
      if (deposit.kind === "fa" && deposit.amount > MAX_RUNTIME_MUTEZ) tooLarge.push(deposit.amount);
    });
    if (tooLarge.length > 0)
      this.#options.log.warn(
        { level, deposits: tooLarge.length, amount: tooLarge[0]!.toString() },
        "tickets of 2^64 and more are credited here, but ignored by the real runtime: deposit them in parts",
      );
    // One line a level, however many there are: transfers cost little.
    if (reasons.length > 0)
      this.#options.log.warn(
        { level, transfers: reasons.length, reason: reasons[0] },
        "a transfer to the rollup is not a deposit; what it carried stays with the rollup",
      );
  }
}

/** The messages of the block's level, or undefined when they must be fetched. */
function messagesIn({ inbox_messages: count, messages }: BlockLine): readonly string[] | undefined {
  return count === 0 ? [] : messages;
}
