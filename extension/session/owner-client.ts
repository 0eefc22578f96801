// How the editor reaches a sandbox.
import { createSandboxClient, type SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { findAdminSecret } from "../../daemon/local/kept-secrets.ts";

/** Client of the sandbox at a base URL, with admin rights if this user is the owner. */
export function ownerClient(endpoint: string): SandboxClient {
  return createSandboxClient(endpoint, { adminSecret: () => findAdminSecret(endpoint, process.env) });
}
