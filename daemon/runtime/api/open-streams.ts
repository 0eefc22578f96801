// Event streams that are open: closed together when the server stops, for they never end by themselves.
import type { EventStream } from "../../http/event-stream.ts";

export class OpenStreams {
  readonly #open = new Set<EventStream>();

  /** @param end called once when the reader is gone */
  add(stream: EventStream, end: () => void): void {
    this.#open.add(stream);
    void stream.closed.then(() => {
      this.#open.delete(stream);
      end();
    });
  }

  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }
}
