// What comes in from the connections, before the parser: in slices where there is much in few bytes, in turns where it
// comes from many connections at once, and not at all while enough of a connection's requests wait.
import type { Socket } from "node:net";

/** Bytes that the parser is given in one turn where there are many lines in them, and how many those are. */
const SLICE = 512;
const MANY_LINES = 64;
const LINE_END = Buffer.from("\r\n");
/** Packets up to this size come first: most requests of most clients are one. */
const SMALL_PACKET = 2_048;
/** Milliseconds of one turn of the event loop for what comes in. One packet may take more. */
const TURN_MS = 20;
/**
 * The same for what comes later of a connection: large packets, and requests behind others. A server takes one new
 * connection in each turn, and those who come to it with much must not keep the next one waiting.
 */
const LATER_MS = 1;

/** The end of what comes in is null. */
export type Packet = Buffer | null;

/** What one connection has sent that the parser has not been given. */
interface Flow {
  readonly socket: Socket;
  readonly push: (packet: Packet) => boolean;
  /** Whether a packet has to wait for the answers to earlier requests. */
  readonly mustWait: (packet: Packet) => boolean;
  readonly packets: Packet[];
  isInLine: boolean;
}

/** The turns of all connections of the process. */
class Incoming {
  readonly #soon: Flow[] = [];
  readonly #later: (() => void)[] = [];
  #usedMs = 0;
  #isScheduled = false;

  /**
   * Hands a packet to the parser, or keeps it for a later turn.
   * @param isRest whether the one before it came in the same packet of the system
   * @returns whether the connection may be read on
   */
  take(flow: Flow, packet: Packet, isRest: boolean): boolean {
    if (flow.packets.length === 0 && !isRest && this.#usedMs < TURN_MS && !flow.mustWait(packet))
      return this.#handOver(flow, packet);
    flow.packets.push(packet);
    this.goOn(flow);
    return false;
  }

  /** Puts a connection in line, when something of it waits that may go on. */
  goOn(flow: Flow): void {
    const [first] = flow.packets;
    if (first === undefined || flow.isInLine || flow.mustWait(first)) return;
    flow.isInLine = true;
    if (flow.packets.length === 1 && (first?.length ?? 0) <= SMALL_PACKET) this.#soon.push(flow);
    else this.#later.push(() => this.#advance(flow));
    this.#schedule();
  }

  /** Does something when it is the turn of what comes later. */
  later(action: () => void): void {
    this.#later.push(action);
    this.#schedule();
  }

  #handOver({ push }: Flow, packet: Packet): boolean {
    const begun = performance.now();
    const goesOn = push(packet);
    this.#usedMs += performance.now() - begun;
    this.#schedule();
    return goesOn;
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
    const end = performance.now() + LATER_MS;
    do this.#later.shift()?.();
    while (this.#later.length > 0 && performance.now() < end);
    while (this.#soon.length > 0 && this.#usedMs < TURN_MS) this.#advance(this.#soon.shift()!);
    if (this.#soon.length + this.#later.length > 0) this.#schedule();
  }

  #advance(flow: Flow): void {
    flow.isInLine = false;
    if (flow.socket.destroyed) flow.packets.length = 0;
    else if (!flow.mustWait(flow.packets[0]!)) this.#handOver(flow, flow.packets.shift()!);
    this.goOn(flow);
  }
}

const incoming = new Incoming();

/**
 * Lets what comes in on a connection wait while others have had much of the thread, and while it must.
 * @returns what is to be called when it need not wait any longer
 */
export function readInTurns(socket: Socket, mustWait: Flow["mustWait"]): () => void {
  socket.on("data", () => undefined); // else the parser reads from the system by itself
  const push = socket.push.bind(socket) as Flow["push"];
  const flow: Flow = { socket, push, mustWait, packets: [], isInLine: false };
  socket.push = (packet: Packet): boolean => {
    if (packet === null || packet.length <= SLICE || !hasManyLines(packet))
      return incoming.take(flow, packet, false);
    // The parser goes through all that it is given, also when the connection is ended meanwhile.
    let goesOn = true;
    for (let at = 0; at < packet.length; at += SLICE)
      goesOn = incoming.take(flow, packet.subarray(at, at + SLICE), at > 0);
    return goesOn;
  };
  // Nothing more is read while something waits.
  const read = socket._read.bind(socket);
  socket._read = (size) => {
    if (flow.packets.length === 0) read(size);
  };
  return () => incoming.goOn(flow);
}

function hasManyLines(packet: Buffer): boolean {
  let count = 0;
  for (let at = packet.indexOf(LINE_END); at >= 0; at = packet.indexOf(LINE_END, at + LINE_END.length))
    if (++count > MANY_LINES) return true;
  return false;
}

/** Does something for a connection that has been served already, between the new ones of others. */
export const whenItsTurnComes = (action: () => void): void => incoming.later(action);
