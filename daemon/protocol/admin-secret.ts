// The secret by which a client shows that it is the owner's: how it is made, given and sent.
import { randomBytes } from "node:crypto";

/** Environment variable with the owner's secret, for daemon and clients alike. */
export const ADMIN_SECRET_VARIABLE = "FUNCTEZ_ADMIN_SECRET";

/** What a secret is made of: long enough that nobody finds it by trying, and fit for a header. */
export const ADMIN_SECRET_FORM = "[A-Za-z0-9_.~+/=-]{16,256}";

/** The same in words. */
export const ADMIN_SECRET_EXPECTED = "16 to 256 letters, digits or _.~+/=-";

/** A secret that nobody guesses: 32 random bytes in hex. */
export const randomAdminSecret = (): string => randomBytes(32).toString("hex");

/** The header by which a client shows the secret; none without one. */
export const ownerHeaders = (secret: string | undefined): Readonly<Record<string, string>> =>
  secret === undefined ? {} : { authorization: `Bearer ${secret}` };

/** A secret, and what its server has to prove before it is shown. */
export interface OwnerSecret {
  readonly text: string;
  /**
   * The sandbox is a process of this machine, whose record names the very address that is asked: nothing stands between
   * client and server, so both see one address. Containers and forwarded ports have others inside.
   */
  readonly isDirect: boolean;
}
