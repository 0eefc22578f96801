// How a server proves to a client that it knows the owner's secret, before the client shows it: the client sends a
// number that it has made up, the server answers with a code over it that only who has the secret can make. The code
// also covers the address at which the server was asked, so that a program which passes the question on to the real
// sandbox, at another address or port, gets an answer that is good for nothing.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** What the client makes up: 32 random bytes in hex. */
export const NONCE_FORM = "[0-9a-f]{64}";

export const randomNonce = (): string => randomBytes(32).toString("hex");

/** Where a server was asked, as its end of the connection has it. */
export interface AskedAt {
  readonly address: string;
  readonly port: number;
}

/** What the server answers. */
export interface OwnerProof extends AskedAt {
  /** HMAC-SHA256 under the owner's secret, in hex. */
  readonly proof: string;
}

/** One spelling of an address: a socket for both families writes those of IPv4 with a prefix. */
export const plainAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:/i, "");

/** The code over a question. Its first line keeps it apart from whatever else may be made with the secret. */
export function proofOf(secret: string, nonce: string, { address, port }: AskedAt): string {
  return createHmac("sha256", secret)
    .update(`functez owner proof\n${nonce}\n${address}\n${port}`)
    .digest("hex");
}

/** Whether an answer proves the secret. */
export function isProof(secret: string, nonce: string, { proof, ...at }: OwnerProof): boolean {
  const [one, other] = [Buffer.from(proof), Buffer.from(proofOf(secret, nonce, at))];
  return one.length === other.length && timingSafeEqual(one, other);
}
