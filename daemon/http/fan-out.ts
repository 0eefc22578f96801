// Sends events to streams in turns. One event may go to every stream there is: a call that logs a megabyte would hold the
// servers' thread for seconds while hundreds of streams get it. So the bytes of an event are made once, and the thread
// writes a few megabytes at a time.
import { afterABreath } from "../parts/breath.ts";

/** Bytes written in one go: some milliseconds. Not measured by the clock, for the sockets write later. */
const TURN_BYTES = 4 * 1024 * 1024;
/** A write takes as long as this many bytes more. */
const WRITE_BYTES = 8 * 1024;
/** Bytes of unwritten events, each counted once, above which the stream with the most of them is dropped. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;

/** An event as it is sent. The streams that wait for it share its bytes. */
export interface Frame {
  readonly bytes: Buffer;
  /** Number of streams that wait for it. */
  waiting: number;
}

/** Where frames go. */
export interface Outlet {
  /** Writes a frame; `isLast` when no other waits. */
  write(frame: Frame, isLast: boolean): void;
  drop(): void;
}

interface Queue {
  readonly frames: Frame[];
  /** The frames before it are written. */
  next: number;
  bytes: number;
}

export class FanOut {
  readonly #queues = new Map<Outlet, Queue>();
  readonly #nextTurn: (run: () => void) => void;
  #heldBytes = 0;
  #usedBytes = 0;
  #isScheduled = false;
  #head = "";
  #data = "";
  #frame: Frame = { bytes: Buffer.alloc(0), waiting: 0 };

  constructor(nextTurn: (run: () => void) => void = afterABreath) {
    this.#nextTurn = nextTurn;
  }

  /**
   * The frame of an event, the same one for the same event again: it comes to its streams one after the other.
   * @param head what precedes the data
   */
  frameOf(head: string, data: string): Frame {
    if (data !== this.#data || head !== this.#head) {
      [this.#head, this.#data] = [head, data];
      this.#frame = { bytes: Buffer.from(`${head}${data}\n\n`), waiting: 0 };
    }
    return this.#frame;
  }

  /** Bytes that wait for an outlet. */
  waitingFor(outlet: Outlet): number {
    return this.#queues.get(outlet)?.bytes ?? 0;
  }

  /** Writes a frame now, or in a later turn when this one is used up. The frames of an outlet stay in order. */
  send(outlet: Outlet, frame: Frame): void {
    if (this.#queues.size === 0 && this.#usedBytes < TURN_BYTES) return this.#write(outlet, frame, true);
    let queue = this.#queues.get(outlet);
    if (queue === undefined) this.#queues.set(outlet, (queue = { frames: [], next: 0, bytes: 0 }));
    queue.frames.push(frame);
    queue.bytes += frame.bytes.length;
    if (frame.waiting++ === 0) this.#heldBytes += frame.bytes.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#dropLongest();
    this.#schedule();
  }

  /** Forgets what waits for an outlet. */
  forget(outlet: Outlet): void {
    const queue = this.#queues.get(outlet);
    if (queue === undefined) return;
    this.#queues.delete(outlet);
    for (let i = queue.next; i < queue.frames.length; i++) this.#release(queue.frames[i]!);
  }

  #release(frame: Frame): void {
    if (--frame.waiting === 0) this.#heldBytes -= frame.bytes.length;
  }

  #dropLongest(): void {
    let [longest, most]: [Outlet | undefined, number] = [undefined, -1];
    for (const [outlet, { bytes }] of this.#queues) if (bytes > most) [longest, most] = [outlet, bytes];
    if (longest === undefined) return;
    this.forget(longest);
    longest.drop();
  }

  #write(outlet: Outlet, frame: Frame, isLast: boolean): void {
    this.#usedBytes += WRITE_BYTES + frame.bytes.length;
    if (this.#usedBytes >= TURN_BYTES) this.#schedule();
    outlet.write(frame, isLast);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#nextTurn(() => {
      this.#isScheduled = false;
      this.#usedBytes = 0;
      this.#turn();
    });
  }

  /** One frame for each outlet in turn: one that gets little does not wait for one that gets much. */
  #turn(): void {
    for (const [outlet, queue] of this.#queues) {
      if (this.#usedBytes >= TURN_BYTES) break;
      const frame = queue.frames[queue.next++]!;
      queue.bytes -= frame.bytes.length;
      this.#release(frame);
      this.#queues.delete(outlet);
      const isLast = queue.next === queue.frames.length;
      if (!isLast) this.#queues.set(outlet, queue);
      this.#write(outlet, frame, isLast);
    }
    if (this.#queues.size > 0) this.#schedule();
  }
}

/** All servers of the process run on one thread. */
export const mainFanOut = new FanOut();
