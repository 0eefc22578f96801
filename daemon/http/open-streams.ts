// The open streams of one server: bounded in number and in unread bytes, and closed together when the server stops, for
// they never end on their own.
/** Open streams of all kinds; each holds a connection. */
const MAX_STREAMS = 256;
/** The owner's streams, counted apart: those of the sandbox's own parts, of editors and of the command line. */
const MAX_OWNER_STREAMS = 128;
/** Bytes by which all readers together may lag. */
const MAX_LAG_BYTES = 32 * 1024 * 1024;
/** Bytes of events between two checks of the lag. */
const CHECK_BYTES = 256 * 1024;

export interface OpenStream {
  /** Bytes that the reader has not read. */
  readonly lag: number;
  close(): void;
  /** Cuts the connection of a reader that lags. */
  drop(): void;
  /** Resolves when the reader has gone, for whatever reason. */
  readonly closed: Promise<void>;
}

declare module "fastify" {
  interface FastifyInstance {
    readonly streams: OpenStreams;
  }
}

export class OpenStreams {
  readonly #owners = new Set<OpenStream>();
  /** Oldest first. */
  readonly #others = new Set<OpenStream>();
  #sent = 0;

  /**
   * Adds a stream. When there are too many, it replaces the oldest, so that idle streams cannot lock others out; clients of
   * event streams reconnect on their own.
   */
  add(stream: OpenStream, isOwner: boolean): void {
    const streams = isOwner ? this.#owners : this.#others;
    const [oldest] = streams;
    if (oldest !== undefined && streams.size >= (isOwner ? MAX_OWNER_STREAMS : MAX_STREAMS)) {
      streams.delete(oldest); // frees its place at once, not only when its connection closes
      oldest.drop();
    }
    streams.add(stream);
    void stream.closed.then(() => streams.delete(stream));
  }

  get #open(): OpenStream[] {
    return [...this.#owners, ...this.#others];
  }

  /** Call after each event: drops the readers that lag most while all together lag too far. */
  sent(bytes: number): void {
    this.#sent += bytes;
    if (this.#sent < CHECK_BYTES) return;
    this.#sent = 0;
    const lagging = this.#open.filter(({ lag }) => lag > 0).sort((one, other) => other.lag - one.lag);
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
