// The body of a call from the command line: text, a file, or piped input.
import { statSync } from "node:fs";
import { readRegularFile, UnreadableFile } from "../../daemon/local/regular-file.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { leadsToSecret, SECRET_LINK } from "../bundle/secret-places.ts";
import { noticeForeignSecret, requireNoOwnKey } from "../config/own-keys.ts";
import type { CliContext } from "../context.ts";

export interface BodyOptions {
  readonly method: string;
  /** `--data`: text, the name of a file, `@file`, or `@-` for piped input. */
  readonly data?: string;
  /** `--data-raw`: always text. For programs, whose text may match a file name by accident or on purpose. */
  readonly dataRaw?: string;
}

/**
 * The bytes to send, or undefined for a request without body. Reports when they come from a file.
 * @throws SandboxError BAD_OPTION, FILE_UNREADABLE, CANCELLED
 */
export async function requestBody(context: CliContext, options: BodyOptions): Promise<Buffer | undefined> {
  const { method, data, dataRaw } = options;
  if (data !== undefined && dataRaw !== undefined)
    throw new SandboxError("BAD_OPTION", {
      option: "--data-raw",
      found: dataRaw,
      expected: "no --data with it",
    });
  if (dataRaw !== undefined) return ownText(context, Buffer.from(dataRaw));
  if (data === "@-") return ownText(context, await readInput(context));
  if (data?.startsWith("@")) return contentOf(context, data.slice(1));
  if (data !== undefined)
    return isFile(data) ? contentOf(context, data) : ownText(context, Buffer.from(data));
  // GET and HEAD requests have no body, so do not wait for a pipe that may stay silent.
  if (/^(get|head)$/i.test(method) || context.stdin.isTTY) return undefined;
  const { pipedIfAny } = await import("../render/prompt.ts");
  const piped = await pipedIfAny(context);
  return piped && ownText(context, piped);
}

/** A body that is no file: programs send such ones, and language models. */
async function ownText(context: CliContext, body: Buffer): Promise<Buffer> {
  await requireNoOwnKey(context, "The body", body);
  return body;
}

async function readInput(context: CliContext): Promise<Buffer> {
  const { readPiped } = await import("../render/prompt.ts");
  return readPiped(context);
}

function isFile(name: string): boolean {
  try {
    return statSync(name).isFile();
  } catch {
    return false; // no such file, or not a valid name: the text is the body
  }
}

async function contentOf(context: CliContext, file: string): Promise<Buffer> {
  if (leadsToSecret(file)) throw new SandboxError("FILE_UNREADABLE", { file, reason: SECRET_LINK });
  let content: Buffer;
  try {
    content = readRegularFile(file);
  } catch (error) {
    throw new SandboxError(
      "FILE_UNREADABLE",
      {
        file,
        reason: reasonOf(error),
        next:
          error instanceof UnreadableFile
            ? "A pipe can be read as standard input: `--data @-`."
            : "Send text that begins with @ with --data-raw.",
      },
      { cause: error },
    );
  }
  await requireNoOwnKey(context, file, content);
  noticeForeignSecret(context, file, content.toString("latin1"), false);
  context.terminal.warn(`the body is the content of the file ${file} (${content.length} bytes).`);
  return content;
}
