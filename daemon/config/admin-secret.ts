// The secret with which the owner controls a sandbox: configured, or generated at each start.
import {
  ADMIN_SECRET_EXPECTED,
  ADMIN_SECRET_FORM,
  ADMIN_SECRET_VARIABLE,
  randomAdminSecret,
} from "../protocol/admin-secret.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { SandboxConfig } from "./schema.ts";

export interface AdminSecret {
  readonly text: string;
  /** The operator chose it, so programs that the sandbox did not start may know it too. */
  readonly isChosen: boolean;
}

const FORM = new RegExp(`^${ADMIN_SECRET_FORM}$`);

/**
 * The secret from the environment, else from the validated configuration, else a random one.
 * @throws SandboxError BAD_OPTION for one that could be guessed, or cannot be sent
 */
export function adminSecretOf(
  config: Pick<SandboxConfig, "admin_secret">,
  env: NodeJS.ProcessEnv,
): AdminSecret {
  const given = env[ADMIN_SECRET_VARIABLE] ?? "";
  if (given !== "" && !FORM.test(given))
    throw new SandboxError("BAD_OPTION", {
      option: ADMIN_SECRET_VARIABLE,
      found: `${given.length} characters`, // not the secret itself
      expected: ADMIN_SECRET_EXPECTED,
    });
  const chosen = given || config.admin_secret;
  return chosen === "" ? { text: randomAdminSecret(), isChosen: false } : { text: chosen, isChosen: true };
}

/**
 * The secret for a part. A part that runs elsewhere gets only a secret chosen by the operator: a random one would let a
 * stranger's server control this sandbox, and would open nothing there.
 */
export function secretFor(secret: AdminSecret, part: { readonly skipped: boolean }): string | undefined {
  return part.skipped && !secret.isChosen ? undefined : secret.text;
}
