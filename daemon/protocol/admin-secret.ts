// The owner's secret, which authenticates clients: how it is generated, configured and sent.
import { randomBytes } from "node:crypto";

/** Environment variable with the owner's secret, for daemon and clients alike. */
export const ADMIN_SECRET_VARIABLE = "FUNCTEZ_ADMIN_SECRET";

/** Form of a secret: too long to guess, and valid in a header. */
export const ADMIN_SECRET_FORM = "[A-Za-z0-9_.~+/=-]{16,256}";

/** The same in words. */
export const ADMIN_SECRET_EXPECTED = "16 to 256 letters, digits or _.~+/=-";

/** An unguessable secret: 32 random bytes in hex. */
export const randomAdminSecret = (): string => randomBytes(32).toString("hex");

/** The header that authenticates the owner; empty without a secret. */
export const ownerHeaders = (secret: string | undefined): Readonly<Record<string, string>> =>
  secret === undefined ? {} : { authorization: `Bearer ${secret}` };

/** A secret, and what its server must prove before the secret is sent. */
export interface OwnerSecret {
  readonly text: string;
  /**
   * Whether the sandbox is a process of this machine whose record names the very address in use: then client and server see
   * the same address. Containers and forwarded ports have other addresses inside.
   */
  readonly isDirect: boolean;
}
