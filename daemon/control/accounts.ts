// The layer 1 accounts that a sandbox shows and signs with: the six bootstrap accounts and the configured ones.
import type { SandboxConfig } from "../config/schema.ts";
import { BOOTSTRAP_ACCOUNTS, BOOTSTRAP_BALANCE } from "../protocol/constants.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { parsePublicKey } from "../tezos/keys.ts";
import type { SigningAccount } from "./layer1-signing.ts";

export interface SandboxAccount extends SigningAccount {
  readonly publicKey: string;
  /** Initial balance in mutez, decimal. */
  readonly balance: string;
}

/** Bootstrap accounts in table order, then the configured ones. */
export function sandboxAccounts(config: SandboxConfig): readonly SandboxAccount[] {
  const standard = BOOTSTRAP_ACCOUNTS.map((account) => ({
    ...account,
    balance: BOOTSTRAP_BALANCE.toString(),
  }));
  const configured = config.layer1_node.bootstrap_accounts.map(({ label, key, balance }) => {
    const publicKey = parsePublicKey(key);
    if (publicKey) return { label, address: publicKey.address, publicKey: publicKey.text, balance };
    const secret = parseSecretKey(key);
    const { address, text } = secret.publicKey;
    return { label, address, publicKey: text, secretKey: secret.text, balance };
  });
  return [...standard, ...configured];
}
