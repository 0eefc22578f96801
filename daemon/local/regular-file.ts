// Reads files whose names come from a project's folder. Such a folder may hold devices without an end, named pipes that
// nobody writes to, and sparse files larger than memory, under any name and behind links.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { sizeText } from "../text/byte-size.ts";

/** The message completes the sentence "… cannot be read: ". */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  /** What is there, such as "a folder". */
  readonly found: string;
  constructor(found: string, message: string) {
    super(message);
    this.found = found;
  }
}

/** 20 MiB: twice the code that a network accepts, since comments and types do not count there. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/**
 * The bytes of a regular file. Anything else fails at once, before the first byte is read.
 * @param limit in bytes
 * @throws UnreadableFile for devices, pipes, sockets, folders and larger files; the system's error for a missing file
 */
export function readRegularFile(file: string, limit = MAX_FILE_BYTES): Buffer {
  // Without O_NONBLOCK, opening a named pipe waits for its writer. Windows has neither.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = requireRegular(fstatSync(descriptor), limit);
    // Files of /proc have a size of 0, and a file may grow.
    let content = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (;;) {
      const count = readSync(descriptor, content, length, content.length - length, null);
      if (count === 0) return content.subarray(0, length);
      length += count;
      if (length > limit) throw tooLarge(`more than ${sizeText(limit)}`, limit);
      if (length === content.length)
        content = Buffer.concat([content, Buffer.allocUnsafe(Math.min(length + 4096, limit))]);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Checks what a name leads to without opening it. A missing file passes.
 * @returns its size in bytes, or undefined when there is no file, or a folder
 * @throws UnreadableFile
 */
export function checkRegularFile(file: string, limit = MAX_FILE_BYTES): number | undefined {
  let found: Stats | undefined;
  try {
    found = statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // a loop of links, or no access: opening it fails as well
  }
  return found === undefined || found.isDirectory() ? undefined : requireRegular(found, limit).size;
}

function requireRegular(found: Stats, limit: number): Stats {
  if (!found.isFile()) {
    const kind = kindOf(found);
    throw new UnreadableFile(kind, `it is ${kind}, and only regular files are read`);
  }
  if (found.size > limit) throw tooLarge(sizeText(found.size, 2 * limit), limit);
  return found;
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a named pipe";
  return found.isSocket() ? "a socket" : "a device";
}

const tooLarge = (size: string, limit: number): UnreadableFile =>
  new UnreadableFile(size, `it has ${size}, and at most ${sizeText(limit)} are read`);
