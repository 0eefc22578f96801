// The engine's progress streams: one JSON object per line.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A progress report of a pull or a build. */
export interface ProgressLine {
  /** Layer that the line refers to. */
  readonly id?: string;
  readonly status?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  /** Output of a build step. */
  readonly stream?: string;
  readonly error?: string;
  readonly errorDetail?: { readonly message?: string };
}

/** Reads a progress stream to its end. @throws Error with the engine's reason, or when the stream breaks */
export async function readProgress(
  stream: NodeJS.ReadableStream,
  onLine: (line: ProgressLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const readable = stream as Readable;
  const stop = () => readable.destroy(new Error("cancelled"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  // readline does not report how its input ended.
  const broken = new Promise<never>((_, reject) => {
    readable.once("error", reject);
    readable.once("aborted", () => reject(new Error("the engine closed the stream")));
  });
  broken.catch(() => undefined);
  try {
    const lines = createInterface({ input: readable })[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await Promise.race([lines.next(), broken]);
      if (done) break;
      if (value.trim() === "") continue;
      const line = JSON.parse(value) as ProgressLine;
      const failure = line.errorDetail?.message ?? line.error;
      if (failure !== undefined) throw new Error(failure.trim());
      onLine(line);
    }
    if (!readable.readableEnded && readable.errored) throw readable.errored;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
