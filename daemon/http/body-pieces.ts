// Bodies that come in small pieces. Each piece of the parser's is an object that keeps the whole packet it came in, and a
// client may send a byte in each: so they are put together before anybody keeps them.
import type { IncomingMessage } from "node:http";

/** Pieces of this size are kept as they are. */
const LARGE_PIECE = 4_096;
/** Bytes that are put together; the first ones get little room. */
const GATHERED = 16_384;
const FIRST_ROOM = 512;
/** Pieces that a body may come in, beside one for so many of its bytes: reading them takes time, each about as much. */
const FREE_PIECES = 1_024;
const BYTES_OF_PIECE = 64;

/**
 * Puts small pieces of a body together. Who reads the body gets them when there are some, and all at its end.
 * @param tooMany called once when a body comes in far too many pieces
 */
export function gatherBody(request: IncomingMessage, tooMany: () => void): void {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  if (length === undefined && coding === undefined) return; // no body
  const push = request.push.bind(request);
  let room: Buffer | undefined;
  let filled = 0;
  let pieces = 0;
  let bytes = 0;
  const handOn = (): boolean => {
    if (room === undefined) return true;
    const gathered = room.subarray(0, filled);
    room = undefined;
    filled = 0;
    return push(gathered);
  };
  request.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (piece === null) {
      handOn();
      return push(null, encoding);
    }
    bytes += piece.length;
    if (++pieces > FREE_PIECES + bytes / BYTES_OF_PIECE) {
      if (pieces !== Infinity) tooMany();
      pieces = Infinity;
      return false;
    }
    if (piece.length >= LARGE_PIECE || (pieces === 1 && piece.length === Number(length))) {
      handOn();
      return push(piece, encoding);
    }
    let goesOn = true;
    if (filled + piece.length > GATHERED) goesOn = handOn();
    const needed = filled + piece.length;
    if (room === undefined || needed > room.length) {
      const larger = Buffer.allocUnsafe(Math.min(GATHERED, Math.max(FIRST_ROOM, 2 * needed)));
      room?.copy(larger, 0, 0, filled);
      room = larger;
    }
    piece.copy(room, filled);
    filled = needed;
    return goesOn;
  };
}
