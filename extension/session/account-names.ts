// How the editor names an account.
import type { KnownAccounts } from "./known-accounts.ts";
import type { SandboxSession } from "./sandbox-session.ts";

/** Alias or label of an address, also a former alias, otherwise its beginning. */
export function nameOf(address: string, session: SandboxSession, known: KnownAccounts): string {
  const alias =
    known.list.find((account) => account.address === address)?.alias ??
    session.accounts.find((account) => account.address === address)?.label ??
    known.formerAlias(address);
  return alias ?? (address.length > 12 ? `${address.slice(0, 10)}…` : address);
}
