// Questions to a person. Only called on a terminal; cancelling throws an ordinary error.
import { isCancel, password, confirm as askConfirm } from "@clack/prompts";
import { MAX_FILE_BYTES } from "../../daemon/local/regular-file.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { visible } from "../../daemon/text/visible-text.ts";

/** Asks for a secret without echoing it. @throws SandboxError CANCELLED */
export async function askSecret(message: string, options: { readonly optional: boolean }): Promise<string> {
  const answer = await password({
    message: visible(message),
    output: process.stderr,
    validate: (value) => (!options.optional && !value ? "Please give a value." : undefined),
  });
  if (isCancel(answer)) throw interruption();
  return answer ?? "";
}

/** Yes or no; no is the default. @throws SandboxError CANCELLED */
export async function confirm(message: string): Promise<boolean> {
  const answer = await askConfirm({ message: visible(message), initialValue: false, output: process.stderr });
  if (isCancel(answer)) throw interruption();
  return answer;
}

/** A prompt reads the terminal's keys itself, including Ctrl-C: there is no signal. */
function interruption(): SandboxError<"CANCELLED"> {
  return new SandboxError("CANCELLED", { next: "Nothing was changed.", interrupted: true });
}

interface Input {
  readonly stdin: NodeJS.ReadStream;
  readonly signal: AbortSignal;
}

/** For commands that require input: the writer of the pipe may need time to produce it. */
const FIRST_BYTE_MS = 10_000;
/** For commands with optional input. */
const PIPE_WAIT_MS = 300;

/**
 * Everything piped into the command; empty without a pipe, and when nothing arrives for a while: a pipe kept open
 * without writing (by a spawner) is no input.
 * @throws SandboxError CANCELLED, FILE_UNREADABLE for more than {@link MAX_FILE_BYTES}
 */
export function readPiped({ stdin, signal }: Input, patienceMs = FIRST_BYTE_MS): Promise<Buffer> {
  if (stdin.isTTY) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (error?: Error): void => {
      clearTimeout(patience);
      stdin.off("data", take).off("end", finish).off("close", finish).off("error", finish).pause();
      signal.removeEventListener("abort", cancel);
      if (error instanceof Error) reject(error);
      else resolve(Buffer.concat(chunks));
    };
    const take = (chunk: Buffer): void => {
      clearTimeout(patience);
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_FILE_BYTES)
        finish(
          new SandboxError("FILE_UNREADABLE", {
            file: "The standard input",
            reason: `it has more than ${MAX_FILE_BYTES} bytes`,
            next: "Pipe in less.",
          }),
        );
    };
    const cancel = (): void => finish(new SandboxError("CANCELLED", { what: "Reading the input" }));
    const patience = setTimeout(finish, patienceMs);
    stdin.on("data", take).once("end", finish).once("close", finish).once("error", finish);
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
  });
}

/** Piped input, or undefined when stdin is not a pipe or file (a detached or closed stdin must not block). */
export async function pipedIfAny(input: Input): Promise<Buffer | undefined> {
  const { fstatSync } = await import("node:fs");
  try {
    const kind = fstatSync(0);
    if (!kind.isFile() && !kind.isFIFO() && !kind.isSocket()) return undefined;
  } catch {
    return undefined; // closed stdin
  }
  const bytes = await readPiped(input, PIPE_WAIT_MS);
  return bytes.length === 0 ? undefined : bytes;
}
