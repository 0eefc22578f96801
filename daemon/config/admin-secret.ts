// The secret that the owner of a sandbox shows to rule it: configured, or made anew at each start.
import { ADMIN_SECRET_VARIABLE, randomAdminSecret } from "../protocol/admin-secret.ts";
import type { SandboxConfig } from "./schema.ts";

export interface AdminSecret {
  readonly text: string;
  /** The operator chose it, so that programs which the sandbox did not start may know it too. */
  readonly isChosen: boolean;
}

/** The environment's secret, else the configuration's, else a random one. */
export function adminSecretOf(
  config: Pick<SandboxConfig, "admin_secret">,
  env: NodeJS.ProcessEnv,
): AdminSecret {
  const chosen = env[ADMIN_SECRET_VARIABLE] || config.admin_secret;
  return chosen === "" ? { text: randomAdminSecret(), isChosen: false } : { text: chosen, isChosen: true };
}

/**
 * What may be shown to a part. One that runs elsewhere gets a secret only when the operator chose it: a random one
 * would tell a stranger's server how to rule this sandbox, and open nothing there.
 */
export function secretFor(secret: AdminSecret, part: { readonly skipped: boolean }): string | undefined {
  return part.skipped && !secret.isChosen ? undefined : secret.text;
}
