// Sends messages of committed operations to layer 1, in order, retrying until they are accepted: by then the tez of a
// withdrawal have left the runtime. Layer 1 recognises duplicates by message id.
import { httpRequestText } from "../../client/http-json.ts";
import type { Log } from "../../parts/log.ts";
import { ADMIN_SECRET_VARIABLE, ownerHeaders } from "../../protocol/admin-secret.ts";
import { errorInBody, reasonOf } from "../../protocol/errors.ts";
import { pause } from "../../protocol/wait.ts";
import { toHex } from "../../tezos/hex.ts";
import { MAX_OUTBOX_MESSAGES_PER_LEVEL } from "../../tezos/parameters.ts";

export interface OutboxOptions {
  readonly endpoint: () => string;
  /** The owner's secret, which proves to layer 1 that the messages come from the runtime. */
  readonly secret: string | undefined;
  /** Inbox level that the runtime has processed. */
  readonly level: () => number;
  /** Called with the number of messages that layer 1 has accepted. */
  readonly onTaken: (count: number) => void;
  readonly log: Log;
}

export interface OutboxMessage {
  readonly id: string;
  readonly bytes: Uint8Array;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export class OutboxSender {
  readonly #options: OutboxOptions;
  readonly #abort = new AbortController();
  readonly #queue: OutboxMessage[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Messages that layer 1 has not accepted yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves when layer 1 has accepted everything sent so far. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  send(messages: readonly OutboxMessage[]): void {
    this.#queue.push(...messages);
    this.#sending ??= this.#run().finally(() => {
      this.#sending = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#sending;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let retryMs = FIRST_RETRY_MS;
    while (this.#queue.length > 0 && !signal.aborted) {
      const batch = this.#queue.slice(0, MAX_OUTBOX_MESSAGES_PER_LEVEL);
      try {
        await this.#post(batch, signal);
        this.#queue.splice(0, batch.length);
        this.#options.onTaken(batch.length);
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log.warn(
          { reason: reasonOf(error), messages: this.#queue.length },
          "layer 1 does not accept withdrawals; trying again",
        );
        await pause(retryMs, signal);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
  }

  async #post(batch: readonly OutboxMessage[], signal: AbortSignal): Promise<void> {
    const { status, body } = await httpRequestText(`${this.#options.endpoint()}/local/outbox`, {
      body: JSON.stringify({
        level: this.#options.level(),
        messages: batch.map(({ id, bytes }) => ({ id, hex: toHex(bytes) })),
      }),
      headers: ownerHeaders(this.#options.secret),
      signal,
      what: "Layer 1",
      maxBytes: 64 * 1024,
    });
    const refusal = errorInBody(body);
    if (refusal?.code === "OWNER_ONLY")
      throw new Error(
        `/local/outbox accepts withdrawals of its own runtime only: give both the same ${ADMIN_SECRET_VARIABLE} in their environment`,
      );
    if (status !== 200) throw new Error(`/local/outbox answers ${status}: ${body.slice(0, 200)}`);
  }
}
