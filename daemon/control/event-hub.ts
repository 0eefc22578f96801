// The events of `GET /events`: numbered, buffered for `Last-Event-ID` within a limit, sent to every reader.
import type { SandboxEventName, SandboxEvents } from "../protocol/sandbox-api.ts";

/** Events kept for readers that reconnect. */
const BUFFER_SIZE = 1000;

export interface HubEvent {
  readonly id: number;
  readonly event: SandboxEventName;
  readonly data: string;
}

export interface EventHub {
  publish<Name extends SandboxEventName>(event: Name, data: SandboxEvents[Name]): void;
  /** Adds a reader; returns a function that removes it. */
  subscribe(reader: (event: HubEvent) => void): () => void;
  /** Events after an id; undefined when some of them are forgotten, or when the id is another sandbox's. */
  since(id: number): readonly HubEvent[] | undefined;
  readonly readers: number;
}

export function createEventHub(options: { readonly onReaders?: (count: number) => void } = {}): EventHub {
  const readers = new Set<(event: HubEvent) => void>();
  let buffer: HubEvent[] = [];
  let lastId = 0;
  return {
    publish(event, data) {
      const entry = { id: ++lastId, event, data: JSON.stringify(data) };
      buffer.push(entry);
      if (buffer.length > 2 * BUFFER_SIZE) buffer = buffer.slice(-BUFFER_SIZE);
      for (const reader of readers) reader(entry);
    },
    subscribe(reader) {
      readers.add(reader);
      options.onReaders?.(readers.size);
      return () => {
        if (readers.delete(reader)) options.onReaders?.(readers.size);
      };
    },
    since(id) {
      const oldest = Math.max(1, lastId - BUFFER_SIZE + 1);
      if (!Number.isSafeInteger(id) || id < oldest - 1 || id > lastId) return undefined;
      return buffer.filter((entry) => entry.id > id);
    },
    get readers() {
      return readers.size;
    },
  };
}
