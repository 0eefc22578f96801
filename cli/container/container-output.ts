// The output of a container, line by line: results on stdout, the daemon's log on stderr.
import { createInterface } from "node:readline";
import { finished, PassThrough } from "node:stream";
import type { Engine } from "./engine.ts";

export interface OutputReader {
  onStdout(line: string): void;
  onStderr(line: string): void;
}

/** Splits the engine's stream; resolves when it has ended, with the reason if it broke. */
export async function readOutput(
  { docker }: Engine,
  stream: NodeJS.ReadableStream,
  reader: OutputReader,
): Promise<Error | undefined> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const lines = [
    linesOf(stdout, (line) => reader.onStdout(line)),
    linesOf(stderr, (line) => reader.onStderr(line)),
  ];
  docker.modem.demuxStream(stream, stdout, stderr);
  // Also when it ended before: the container may be killed while its ports are checked.
  const failure = await new Promise<Error | undefined>((resolve) => {
    finished(stream, { writable: false }, (error) =>
      resolve(error?.code === "ERR_STREAM_PREMATURE_CLOSE" ? undefined : (error ?? undefined)),
    );
  });
  stdout.end();
  stderr.end();
  await Promise.all(lines);
  return failure;
}

function linesOf(stream: PassThrough, take: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    createInterface({ input: stream }).on("line", take).once("close", resolve);
  });
}
