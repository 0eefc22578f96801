// The one log of the daemon: JSON lines into files and pipes, readable lines on a terminal.
import { createWriteStream, type WriteStream } from "node:fs";
import pino from "pino";
import type { Log } from "../parts/log.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import type { LogLevel } from "../protocol/log-level.ts";
import { readableLogLine } from "../text/log-line.ts";
import { visible } from "../text/visible-text.ts";

export interface DaemonLog extends Log {
  /** The last lines written, newest last: for error reports. */
  readonly recent: readonly string[];
  /** Calls the reader with each further line; returns a function that unsubscribes. */
  follow(reader: (line: string) => void): () => void;
  flush(): Promise<void>;
}

const RECENT_LINES = 500;

interface LogOptions {
  readonly level: LogLevel;
  /** File to append to; empty: standard error. */
  readonly file: string;
}

/** Opens the log. @throws SandboxError FILE_UNWRITABLE when the log file cannot be opened */
export async function openLog({ level, file }: LogOptions): Promise<DaemonLog> {
  const recent: string[] = [];
  const readers = new Set<(line: string) => void>();
  const stream = file === "" ? undefined : await openFile(file);
  const readable = stream === undefined && process.stderr.isTTY === true;
  const write = (line: string) => {
    recent.push(line.trimEnd());
    if (recent.length > RECENT_LINES) recent.shift();
    for (const reader of readers) reader(line.trimEnd());
    const text = readable ? `${visible(readableLogLine(line))}\n` : line;
    if (stream) stream.write(text);
    else process.stderr.write(text);
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return {
    debug: (data, message) => logger.debug(data, message),
    info: (data, message) => logger.info(data, message),
    warn: (data, message) => logger.warn(data, message),
    error: (data, message) => logger.error(data, message),
    recent,
    follow(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    flush: () => new Promise((resolve) => (stream ? stream.end(() => resolve()) : resolve())),
  };
}

function openFile(file: string): Promise<WriteStream> {
  return new Promise((resolve, reject) => {
    const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
    stream.once("open", () => {
      stream.on("error", () => undefined); // a full disk must not stop the sandbox: the log has a gap
      resolve(stream);
    });
    stream.once("error", (error) =>
      reject(new SandboxError("FILE_UNWRITABLE", { file, reason: reasonOf(error) }, { cause: error })),
    );
  });
}
