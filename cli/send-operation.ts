// Signs an operation of the runtime with the user's key, injects it and waits for its receipt.
import type { Receipt, RuntimeClient } from "../daemon/client/runtime-client.ts";
import {
  type OperationContent,
  operationHashHex,
  signOperation,
} from "../daemon/protocol/runtime-operation.ts";
import type { SecretKey } from "../daemon/protocol/keys.ts";

export interface SentOperation {
  readonly hash: string;
  readonly receipt: Receipt;
}

/** @throws SandboxError when the runtime does not take it or gives no receipt */
export async function sendOperation(
  runtime: RuntimeClient,
  key: SecretKey,
  content: OperationContent,
  signal: AbortSignal,
): Promise<SentOperation> {
  const nonce = await runtime.nonce(key.publicKey.address);
  const signed = signOperation({ publicKey: key.publicKey.text, nonce, content }, key);
  const hash = operationHashHex(signed.inner);
  await runtime.inject(signed);
  return { hash, receipt: await runtime.waitForReceipt(hash, { signal }) };
}
