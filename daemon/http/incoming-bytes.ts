// Input of the connections before it reaches the parser: sliced where few bytes hold many requests, in turns where many
// connections send at once, and held back while enough requests of a connection are pending.
import type { Socket } from "node:net";
import { isArriving } from "../parts/arrivals.ts";

/** Bytes that the parser gets per turn when they hold many lines, and how many lines are many. */
const SLICE = 512;
const MANY_LINES = 64;
const LINE_END = Buffer.from("\r\n");
/** Packets up to this size come first: most clients send each request as one such packet. */
const SMALL_PACKET = 2_048;
/** Milliseconds per turn of the event loop for input. A single packet may exceed it. */
const TURN_MS = 20;
/** Input below this counts further in the next turn: to begin anew at every turn takes as long as a small packet. */
const UNCOUNTED_MS = 5;
/**
 * The same for later input of a connection: large packets and pipelined requests. A server accepts one new connection
 * per turn, and clients that send much must not delay the next one.
 */
const LATER_MS = 1;

/** null marks the end of the input. */
export type Packet = Buffer | null;

const isSmall = (packet: Packet): boolean => (packet?.length ?? 0) <= SMALL_PACKET;

/** What one connection has sent but the parser has not received. */
interface Flow {
  readonly socket: Socket;
  readonly push: (packet: Packet) => boolean;
  /** Whether a packet must wait for the answers to earlier requests. */
  readonly mustWait: (packet: Packet) => boolean;
  readonly packets: Packet[];
  isQueued: boolean;
}

/** The turns of all connections of the process. */
class Incoming {
  readonly #soon: Flow[] = [];
  readonly #later: (() => void)[] = [];
  #usedMs = 0;
  #isScheduled = false;

  /**
   * Hands a packet to the parser, or queues it for a later turn.
   * @param isRest whether the previous slice came from the same packet
   * @returns whether the connection may be read further
   */
  take(flow: Flow, packet: Packet, isRest: boolean): boolean {
    const mayGo = this.#usedMs < TURN_MS && (isSmall(packet) || !isArriving(performance.now()));
    if (flow.packets.length === 0 && !isRest && mayGo && !flow.mustWait(packet))
      return this.#deliver(flow, packet);
    flow.packets.push(packet);
    this.resume(flow);
    return false;
  }

  /** Queues a connection if its next packet may proceed. */
  resume(flow: Flow): void {
    const [first] = flow.packets;
    if (first === undefined || flow.isQueued || flow.mustWait(first)) return;
    flow.isQueued = true;
    if (flow.packets.length === 1 && isSmall(first)) this.#soon.push(flow);
    else this.#later.push(() => this.#advance(flow));
    this.#schedule();
  }

  /** Runs an action in its turn among the later input. */
  later(action: () => void): void {
    this.#later.push(action);
    this.#schedule();
  }

  #deliver({ push }: Flow, packet: Packet): boolean {
    const begun = performance.now();
    const wantsMore = push(packet);
    this.#usedMs += performance.now() - begun;
    if (this.#usedMs >= UNCOUNTED_MS) this.#schedule();
    return wantsMore;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#usedMs = 0;
      this.#turn();
    });
  }

  #turn(): void {
    const begun = performance.now();
    if (!isArriving(begun)) {
      do this.#later.shift()?.();
      while (this.#later.length > 0 && performance.now() < begun + LATER_MS);
    }
    while (this.#soon.length > 0 && this.#usedMs < TURN_MS) this.#advance(this.#soon.shift()!);
    if (this.#soon.length + this.#later.length > 0) this.#schedule();
  }

  #advance(flow: Flow): void {
    flow.isQueued = false;
    if (flow.socket.destroyed) flow.packets.length = 0;
    else if (!flow.mustWait(flow.packets[0]!)) this.#deliver(flow, flow.packets.shift()!);
    this.resume(flow);
  }
}

const incoming = new Incoming();

/**
 * Delays the input of a connection while others have used much of the thread, and as long as `mustWait` holds.
 * @returns a function to call when `mustWait` may have changed
 */
export function readInTurns(socket: Socket, mustWait: Flow["mustWait"]): () => void {
  const noReader = (): void => undefined;
  socket.on("data", noReader).off("data", noReader); // otherwise the parser reads from the system handle directly
  const push = socket.push.bind(socket) as Flow["push"];
  const flow: Flow = { socket, push, mustWait, packets: [], isQueued: false };
  socket.push = (packet: Packet): boolean => {
    if (packet === null || packet.length <= SLICE || !hasManyLines(packet))
      return incoming.take(flow, packet, false);
    // The parser works through a whole packet even when the connection is closed meanwhile.
    let wantsMore = true;
    for (let at = 0; at < packet.length; at += SLICE)
      wantsMore = incoming.take(flow, packet.subarray(at, at + SLICE), at > 0);
    return wantsMore;
  };
  // Reads nothing more while a packet is queued.
  const read = socket._read.bind(socket);
  socket._read = (size) => {
    if (flow.packets.length === 0) read(size);
  };
  return () => incoming.resume(flow);
}

function hasManyLines(packet: Buffer): boolean {
  let count = 0;
  for (let at = packet.indexOf(LINE_END); at >= 0; at = packet.indexOf(LINE_END, at + LINE_END.length))
    if (++count > MANY_LINES) return true;
  return false;
}

/** Runs the next request of a connection already served, interleaved with new connections. */
export const runInTurn = (action: () => void): void => incoming.later(action);
