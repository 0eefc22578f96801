// Entrypoint names as bytes: a tag for well-known ones, length and name for others.
// Source: Octez, `Entrypoint.smart_encoding` in `entrypoint_repr.ml`.
import { type ByteReader, MalformedBytes } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

/** Entrypoints with a tag of their own, in the order of the tags. */
const ENTRYPOINTS = [
  "default",
  "root",
  "do",
  "set_delegate",
  "remove_delegate",
  "deposit",
  "stake",
  "unstake",
  "finalize_unstake",
  "set_delegate_parameters",
];
const NAMED_ENTRYPOINT = 0xff;
const MAX_NAME = 31;

/** @throws MalformedBytes when the name is too long or empty */
export function writeEntrypoint(writer: ByteWriter, entrypoint: string): void {
  const tag = ENTRYPOINTS.indexOf(entrypoint);
  if (tag >= 0) {
    writer.byte(tag);
    return;
  }
  const name = Buffer.from(entrypoint);
  if (name.length === 0 || name.length > MAX_NAME) throw new MalformedBytes("not an entrypoint name");
  writer.byte(NAMED_ENTRYPOINT).byte(name.length).bytes(name);
}

/** @throws MalformedBytes */
export function readEntrypoint(reader: ByteReader): string {
  const tag = reader.byte();
  if (tag !== NAMED_ENTRYPOINT) {
    const known = ENTRYPOINTS[tag];
    if (known === undefined) throw new MalformedBytes("unknown entrypoint tag");
    return known;
  }
  const length = reader.byte();
  const name = readUtf8(reader, length);
  if (length > MAX_NAME || length === 0 || ENTRYPOINTS.includes(name))
    throw new MalformedBytes("entrypoint not canonical");
  return name;
}

/** A text of that many bytes. @throws MalformedBytes when they are not UTF-8 */
export function readUtf8(reader: ByteReader, length: number): string {
  try {
    return utf8.decode(reader.take(length));
  } catch (error) {
    if (error instanceof TypeError) throw new MalformedBytes("not a text");
    throw error;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether an operation may name this entrypoint: the rules are laxer than those for scripts. */
export function mayNameEntrypoint(name: string): boolean {
  const bytes = Buffer.byteLength(name);
  return bytes > 0 && bytes <= MAX_NAME;
}
