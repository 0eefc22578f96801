// The server's side of WebSocket, as much of it as text messages need: no extensions, no compression, every length bounded.
// Source: RFC 6455.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { OpenStream } from "./open-streams.ts";

/** Bytes of one message from a client. */
const MAX_MESSAGE = 64 * 1024;
/** Bytes that a client may lag behind before its connection is ended. */
const MAX_LAG_BYTES = 4 * 1024 * 1024;
/** Time for the end of a connection that was told to close. */
const CLOSE_MS = 1_000;

const KEY = /^[A-Za-z0-9+/]{22}==$/;
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const GOING_AWAY = 1001;
const PROTOCOL_ERROR = 1002;
const NOT_TEXT = 1003;
const NOT_UTF8 = 1007;
const TOO_BIG = 1009;

/** Connections that are no longer of HTTP: they are not idle, however long they ask for nothing. */
export const upgradedSockets = new WeakSet<Socket>();

export interface WebSocketEvents {
  readonly onText: (text: string) => void;
  readonly onClosed: () => void;
}

/** Whether a request may become a WebSocket. */
export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    KEY.test(headers["sec-websocket-key"] ?? "")
  );
}

export class WebSocketConnection implements OpenStream {
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #events: WebSocketEvents;
  #unread: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #partBytes = 0;
  #isClosing = false;
  /** Of those who have the reading of this connection paused. */
  #holds = 0;
  /** Whether the client has not taken the last answer to a ping. */
  #isBehind = false;

  /**
   * Takes over the connection of a request for which {@link isWebSocketRequest} is true. The request has passed the guard
   * and the queue like any other. A server that listens for `upgrade` events instead gets every upgrade that clients offer,
   * such as h2c, and has to answer it.
   */
  constructor(request: IncomingMessage, events: WebSocketEvents) {
    const { socket } = request;
    // From here on the parser of HTTP must not see what comes in.
    socket.removeAllListeners("data");
    socket.removeAllListeners("end");
    this.#socket = socket;
    this.#events = events;
    upgradedSockets.add(socket);
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}${MAGIC}`)
      .digest("base64");
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
        `sec-websocket-accept: ${accept}\r\n\r\n`,
    );
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        resolve();
        events.onClosed();
      });
    });
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
  }

  get lag(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength;
  }

  send(text: string): void {
    if (this.#isClosing || this.#socket.destroyed) return;
    if (this.#socket.writableLength > MAX_LAG_BYTES) return this.drop();
    this.#write(TEXT, Buffer.from(text, "utf8"));
  }

  close(code = GOING_AWAY): void {
    if (this.#isClosing || this.#socket.destroyed) return;
    this.#isClosing = true;
    this.#write(CLOSE, Buffer.from([code >> 8, code & 0xff]));
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
  }

  drop(): void {
    this.#socket.destroy();
  }

  /** Reads nothing more from the client until the returned function is called: what it has sent is not taken yet. */
  hold(): () => void {
    let isHeld = true;
    if (this.#holds++ === 0) this.#socket.pause();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds === 0) this.#socket.resume();
    };
  }

  #write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    head[0] = 0x80 | opcode;
    if (length < 126) {
      head[1] = length;
    } else if (length < 65_536) {
      head[1] = 126;
      head.writeUInt16BE(length, 2);
    } else {
      head[1] = 127;
      head.writeBigUInt64BE(BigInt(length), 2);
    }
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(payload);
    this.#socket.uncork();
  }

  /** A client that takes no answers is not read either, so that answers to its pings collect nowhere. */
  #answer(payload: Buffer): void {
    if (this.#isBehind) return; // of many pings only the last needs an answer
    this.#write(PONG, payload);
    if (!this.#socket.writableNeedDrain) return;
    this.#isBehind = true;
    const goOn = this.hold();
    this.#socket.once("drain", () => {
      this.#isBehind = false;
      goOn();
    });
  }

  #read(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    while (!this.#isClosing && !this.#socket.destroyed && this.#readFrame());
  }

  /** @returns whether there was a whole frame */
  #readFrame(): boolean {
    const bytes = this.#unread;
    if (bytes.length < 2) return false;
    const [first = 0, second = 0] = bytes;
    const opcode = first & 0x0f;
    const isLast = (first & 0x80) !== 0;
    const short = second & 0x7f;
    // Clients mask what they send; reserved bits belong to extensions, of which there are none.
    if ((second & 0x80) === 0 || (first & 0x70) !== 0) return this.#fail(PROTOCOL_ERROR);
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = 2 + lengthBytes + 4;
    if (bytes.length < start) return false;
    const long =
      lengthBytes === 2
        ? BigInt(bytes.readUInt16BE(2))
        : lengthBytes === 8
          ? bytes.readBigUInt64BE(2)
          : BigInt(short);
    if (long > BigInt(MAX_MESSAGE)) return this.#fail(TOO_BIG);
    const length = Number(long);
    if (bytes.length < start + length) return false;
    const payload = Buffer.from(bytes.subarray(start, start + length));
    for (let i = 0; i < length; i++) payload[i]! ^= bytes[start - 4 + (i & 3)]!;
    this.#unread = bytes.subarray(start + length);
    return this.#take(opcode, isLast, payload);
  }

  #take(opcode: number, isLast: boolean, payload: Buffer): boolean {
    if (opcode >= CLOSE) {
      if (!isLast || payload.length > 125) return this.#fail(PROTOCOL_ERROR);
      if (opcode === PING) this.#answer(payload);
      else if (opcode === CLOSE) this.close(1000);
      else if (opcode !== PONG) return this.#fail(PROTOCOL_ERROR);
      return true;
    }
    if (
      opcode === TEXT
        ? this.#partBytes > 0 || this.#parts.length > 0
        : opcode !== CONTINUATION || this.#parts.length === 0
    )
      return this.#fail(opcode === 2 ? NOT_TEXT : PROTOCOL_ERROR);
    this.#parts.push(payload);
    this.#partBytes += payload.length;
    // Empty pieces cost room as well.
    if (this.#partBytes > MAX_MESSAGE || this.#parts.length > 1_024) return this.#fail(TOO_BIG);
    if (!isLast) return true;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(whole);
    } catch {
      return this.#fail(NOT_UTF8);
    }
    this.#events.onText(text);
    return true;
  }

  #fail(code: number): false {
    this.close(code);
    return false;
  }
}
