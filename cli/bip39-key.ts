// Keys from BIP39 recovery phrases, derived as in octez-client and the Jstz CLI: the first 32 bytes of the BIP39 seed
// are the Ed25519 seed.
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import { SandboxError } from "../daemon/protocol/errors.ts";
import { type SecretKey, secretKeyFromBytes } from "../daemon/tezos/keys.ts";

/** A new phrase of 12 words. */
export function newPhrase(): string {
  return generateMnemonic(wordlist, 128);
}

/** Key of a phrase and its passphrase. @throws SandboxError BAD_SECRET_KEY, without repeating the phrase */
export function keyOfPhrase(phrase: string, passphrase: string): SecretKey {
  const words = phrase.trim().split(/\s+/).join(" ");
  if (!validateMnemonic(words, wordlist)) {
    throw new SandboxError("BAD_SECRET_KEY", {
      reason: "it is not a BIP39 phrase (words or checksum are wrong)",
    });
  }
  return secretKeyFromBytes("ed25519", mnemonicToSeedSync(words, passphrase).slice(0, 32));
}
