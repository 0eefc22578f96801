// Joins small pieces of request bodies. A piece from the parser keeps the whole packet it came in alive, and a client may
// send one byte per packet: so pieces are copied together before anything stores them.
import type { IncomingMessage } from "node:http";

/** Pieces of this size are kept as they are. */
const LARGE_PIECE = 4_096;
/** Size up to which pieces are joined, and the first, smaller buffer for them. */
const JOINED_BYTES = 16_384;
const FIRST_BUFFER = 512;
/** Pieces that any body may come in, plus one for so many of its bytes: each costs about the same time to read. */
const FREE_PIECES = 1_024;
const BYTES_PER_PIECE = 64;

/**
 * Joins small pieces of a body. Readers get them once enough have arrived, and the rest at the end.
 * @param tooMany called once when a body arrives in far too many pieces
 */
export function joinPieces(request: IncomingMessage, tooMany: () => void): void {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  if (length === undefined && coding === undefined) return; // no body
  const push = request.push.bind(request);
  let buffer: Buffer | undefined;
  let filled = 0;
  let pieces = 0;
  let bytes = 0;
  const flush = (): boolean => {
    if (buffer === undefined) return true;
    const joined = buffer.subarray(0, filled);
    buffer = undefined;
    filled = 0;
    return push(joined);
  };
  request.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (piece === null) {
      flush();
      return push(null, encoding);
    }
    bytes += piece.length;
    if (++pieces > FREE_PIECES + bytes / BYTES_PER_PIECE) {
      if (pieces !== Infinity) tooMany();
      pieces = Infinity;
      return false;
    }
    if (piece.length >= LARGE_PIECE || (pieces === 1 && piece.length === Number(length))) {
      flush();
      return push(piece, encoding);
    }
    let wantsMore = true;
    if (filled + piece.length > JOINED_BYTES) wantsMore = flush();
    const needed = filled + piece.length;
    if (buffer === undefined || needed > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(JOINED_BYTES, Math.max(FIRST_BUFFER, 2 * needed)));
      buffer?.copy(larger, 0, 0, filled);
      buffer = larger;
    }
    piece.copy(buffer, filled);
    filled = needed;
    return wantsMore;
  };
}
