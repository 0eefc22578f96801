// How a server proves that it knows the owner's secret before the client sends it. The client sends a random nonce, and the
// server answers with an HMAC over it, which needs the secret. The HMAC also covers the address at which the server was
// asked, so that a program that relays the question to the real sandbox, at another address or port, gets a useless answer.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The client's nonce: 32 random bytes in hex. */
export const NONCE_FORM = "[0-9a-f]{64}";

export const randomNonce = (): string => randomBytes(32).toString("hex");

/** Where a server was asked, as seen from its end of the connection. */
export interface AskedAt {
  readonly address: string;
  readonly port: number;
}

/** The server's answer. */
export interface OwnerProof extends AskedAt {
  /** HMAC-SHA256 under the owner's secret, in hex. */
  readonly proof: string;
}

/** Normalizes an address: dual-stack sockets report IPv4 addresses with a prefix. */
export const plainAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:/i, "");

/** The HMAC of a nonce. Its first line separates it from any other use of the secret. */
export function proofOf(secret: string, nonce: string, { address, port }: AskedAt): string {
  return createHmac("sha256", secret)
    .update(`functez owner proof\n${nonce}\n${address}\n${port}`)
    .digest("hex");
}

/** Whether an answer proves knowledge of the secret. */
export function isProof(secret: string, nonce: string, { proof, ...at }: OwnerProof): boolean {
  const [one, other] = [Buffer.from(proof), Buffer.from(proofOf(secret, nonce, at))];
  return one.length === other.length && timingSafeEqual(one, other);
}
