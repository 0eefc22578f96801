// Streams of one server that are open: bounded in number and in what their readers have not taken, and closed together
// when the server stops, for they never end by themselves.
import { SandboxError } from "../protocol/errors.ts";

/** Streams open at once, of all kinds: each holds a connection. */
const MAX_STREAMS = 256;
/** Bytes that all readers together may lag behind. */
const MAX_LAG_BYTES = 64 * 1024 * 1024;
/** Bytes of events between two looks at how far the readers lag. */
const LOOK_BYTES = 256 * 1024;

export interface OpenStream {
  /** Bytes that the reader has not taken. */
  readonly lag: number;
  close(): void;
  /** Ends the connection to a reader that has not taken what was sent. */
  drop(): void;
  /** Resolves when the reader is gone, however it went. */
  readonly closed: Promise<void>;
}

declare module "fastify" {
  interface FastifyInstance {
    readonly streams: OpenStreams;
  }
}

export class OpenStreams {
  readonly #open = new Set<OpenStream>();
  #sent = 0;

  /** @throws SandboxError TOO_MANY_STREAMS */
  mustHaveRoom(): void {
    if (this.#open.size >= MAX_STREAMS) throw new SandboxError("TOO_MANY_STREAMS", { open: this.#open.size });
  }

  add(stream: OpenStream): void {
    this.#open.add(stream);
    void stream.closed.then(() => this.#open.delete(stream));
  }

  /** To be called after each event that was sent: drops who lags most while all together lag too far. */
  sent(bytes: number): void {
    this.#sent += bytes;
    if (this.#sent < LOOK_BYTES) return;
    this.#sent = 0;
    const lagging = [...this.#open].filter(({ lag }) => lag > 0).sort((one, other) => other.lag - one.lag);
    let total = lagging.reduce((sum, { lag }) => sum + lag, 0);
    for (const stream of lagging) {
      if (total <= MAX_LAG_BYTES) return;
      total -= stream.lag;
      stream.drop();
    }
  }

  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }
}
