// Parses secret keys given by users.
import { type SecretKey, secretKeyOf } from "../tezos/keys.ts";
import { SandboxError } from "./errors.ts";

/**
 * Secret key of an `edsk…` (32 or 64 bytes), `spsk…` or `p2sk…` text.
 * @throws SandboxError BAD_SECRET_KEY; the message never repeats the text
 */
export function parseSecretKey(text: string): SecretKey {
  const key = secretKeyOf(text);
  if (key) return key;
  const encrypted = /^(ed|sp|p2)esk/.test(text);
  throw new SandboxError("BAD_SECRET_KEY", {
    reason: encrypted ? "it is encrypted" : "its beginning or its checksum is wrong",
  });
}
