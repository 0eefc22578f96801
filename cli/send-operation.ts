// Signs an operation of the runtime with the user's key, injects it and waits for its receipt.
import type { Receipt, RuntimeClient } from "../daemon/client/runtime-client.ts";
import {
  type OperationContent,
  operationHashHex,
  signOperation,
} from "../daemon/protocol/runtime-operation.ts";
import type { SecretKey } from "../daemon/tezos/keys.ts";
import { interruptible } from "./interruptible.ts";

export interface SentOperation {
  readonly hash: string;
  readonly receipt: Receipt;
}

/**
 * @throws SandboxError when the runtime rejects it or sends no receipt; CANCELLED says whether the operation was sent
 */
export async function sendOperation(
  runtime: RuntimeClient,
  key: SecretKey,
  content: OperationContent,
  signal: AbortSignal,
): Promise<SentOperation> {
  const what = "Sending the operation";
  const nonce = await interruptible(
    signal,
    { what, next: "Nothing was sent." },
    runtime.nonce(key.publicKey.address),
  );
  const signed = signOperation({ publicKey: key.publicKey.text, nonce, content }, key);
  const hash = operationHashHex(signed.inner);
  const trace = `\`functez call trace ${hash}\` shows`;
  await interruptible(
    signal,
    { what, next: `The runtime may have accepted it: ${trace} it.` },
    runtime.inject(signed),
  );
  const receipt = await interruptible(
    signal,
    { what: "Waiting for the receipt", next: `The operation was sent; ${trace} its outcome.` },
    runtime.waitForReceipt(hash, { signal }),
  );
  return { hash, receipt };
}
