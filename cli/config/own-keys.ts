// The user's keys in what is to be published. A file of a project may have them under any name: a copy, or a hard link to the
// accounts file as it was before its last change.
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { CliConfig } from "./config-file.ts";
import { isPublished } from "./public-keys.ts";

/**
 * @param file for the error
 * @throws SandboxError FILE_UNREADABLE when the content has the secret key of an account
 */
export function requireNoOwnKey(
  { accounts }: Pick<CliConfig, "accounts">,
  file: string,
  content: { includes(text: string): boolean },
): void {
  for (const [alias, account] of Object.entries(accounts))
    if ("User" in account && !isPublished(account.User.address) && content.includes(account.User.secret_key))
      throw new SandboxError("FILE_UNREADABLE", {
        file,
        reason: `it has the secret key of your account ${alias}, and would be public`,
        next: "Remove the key.",
      });
}
