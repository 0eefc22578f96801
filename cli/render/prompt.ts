// Questions to a person. Only called when there is a terminal; cancelling is an error like any other.
import { isCancel, password, confirm as askConfirm } from "@clack/prompts";
import { SandboxError } from "../../daemon/protocol/errors.ts";

/** Asks for a secret; what is typed is not shown. @throws SandboxError CANCELLED */
export async function askSecret(message: string, options: { readonly optional: boolean }): Promise<string> {
  const answer = await password({
    message,
    output: process.stderr,
    validate: (value) => (!options.optional && !value ? "Please give a value." : undefined),
  });
  if (isCancel(answer)) throw new SandboxError("CANCELLED", {});
  return answer ?? "";
}

/** Yes or no; no is the default. @throws SandboxError CANCELLED */
export async function confirm(message: string): Promise<boolean> {
  const answer = await askConfirm({ message, initialValue: false, output: process.stderr });
  if (isCancel(answer)) throw new SandboxError("CANCELLED", {});
  return answer;
}

/** Everything that is piped into the command; empty without a pipe. */
export async function readPiped(stdin: NodeJS.ReadStream = process.stdin): Promise<string> {
  if (stdin.isTTY) return "";
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * What is piped in, or undefined when stdin is no pipe or file (a detached or closed stdin must not block).
 */
export async function pipedIfAny(stdin: NodeJS.ReadStream = process.stdin): Promise<string | undefined> {
  const { fstatSync } = await import("node:fs");
  try {
    const kind = fstatSync(0);
    if (!kind.isFile() && !kind.isFIFO() && !kind.isSocket()) return undefined;
  } catch {
    return undefined; // closed stdin
  }
  const text = await Promise.race([
    readPiped(stdin),
    // A pipe that somebody keeps open without writing (a spawner's) is no input.
    new Promise<undefined>((resolve) => setTimeout(resolve, PIPE_WAIT_MS, undefined).unref()),
  ]);
  return text === "" ? undefined : text;
}

const PIPE_WAIT_MS = 300;
