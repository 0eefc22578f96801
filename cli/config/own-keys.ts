// The user's secrets in what is to be published: keys, and those of sandboxes. A file of a project may have them under any
// name: a copy, or a hard link to the accounts file or to the record of a sandbox as it was before its last change.
import { ownerSecrets } from "../../daemon/local/kept-secrets.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { foreignSecretIn } from "../../daemon/protocol/foreign-secrets.ts";
import type { CliContext } from "../context.ts";
import { isPublished } from "./public-keys.ts";

interface Content {
  includes(text: string): boolean;
}

/**
 * @param file for the error
 * @throws SandboxError FILE_UNREADABLE when the content has the secret key of an account, or the owner's secret of a sandbox
 */
export async function requireNoOwnKey(
  { config, env }: Pick<CliContext, "config" | "env">,
  file: string,
  content: Content,
): Promise<void> {
  const refuse = (what: string, next: string): never => {
    throw new SandboxError("FILE_UNREADABLE", {
      file,
      reason: `it has ${what}, and would be public`,
      next,
    });
  };
  for (const [alias, account] of Object.entries((await config.read()).accounts))
    if ("User" in account && !isPublished(account.User.address) && has(content, account.User.secret_key))
      refuse(`the secret key of your account ${alias}`, "Remove the key.");
  for (const secret of ownerSecrets(env))
    if (has(content, secret)) refuse("the owner's secret of your sandbox", "Remove the secret.");
}

/**
 * Private keys and tokens of other programs. A person may mean to publish one, made for a test, and is warned.
 * @param file for the error or the warning
 * @param byModel whether a language model chose the content
 * @throws SandboxError FILE_UNREADABLE when a model chose it
 */
export function noticeForeignSecret(
  { terminal }: Pick<CliContext, "terminal">,
  file: string,
  content: string,
  byModel: boolean,
): void {
  const what = foreignSecretIn(content);
  if (what === undefined) return;
  if (byModel)
    throw new SandboxError("FILE_UNREADABLE", {
      file,
      reason: `it has ${what}, and would be public`,
      next: "Only the user can publish it, with the command line.",
    });
  terminal.warn(`${file} has ${what}, which is public from now on.`);
}

const has = (content: Content, secret: string): boolean =>
  formsOf(secret).some((form) => content.includes(form));

/** Bits of a byte, and of a character of base64. */
const [BYTE_BITS, CHARACTER_BITS] = [8, 6];

/** A text as it is, and in base64, in which a bundler writes a file that is imported as bytes. */
function formsOf(secret: string): readonly string[] {
  // Three bytes are four characters, so that there are three ways. Characters that have bits of neighbours are left out.
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * BYTE_BITS) / CHARACTER_BITS);
    return bytes.toString("base64").slice(first, Math.floor((bytes.length * BYTE_BITS) / CHARACTER_BITS));
  });
  return [secret, ...inBase64];
}
