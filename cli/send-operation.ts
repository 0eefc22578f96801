// Signs an operation of the runtime with the user's key, injects it and waits for its receipt.
import type { RuntimeClient } from "../daemon/client/runtime-client.ts";
import { SandboxError } from "../daemon/protocol/errors.ts";
import type { HeldOperation } from "../daemon/protocol/held-operation.ts";
import { operationBytes, operationLimit } from "../daemon/protocol/operation-size.ts";
import {
  type DeployFunction,
  operationHashHex,
  type RunFunction,
  signOperation,
} from "../daemon/protocol/runtime-operation.ts";
import { type ContentOf, type Receipt, receiptOfKind } from "../daemon/protocol/runtime-receipt.ts";
import type { SecretKey } from "../daemon/tezos/keys.ts";
import type { Network } from "./config/network.ts";
import { requirePrivateKey, type SigningRules } from "./config/public-keys.ts";
import type { CliContext } from "./context.ts";
import { interruptible } from "./interruptible.ts";

export interface SentOperation<Content> {
  readonly hash: string;
  readonly receipt: Receipt<Content>;
}

export interface SendTarget extends SigningRules {
  readonly client: RuntimeClient;
  readonly signal: AbortSignal;
  /** Tells the user why it takes long. */
  readonly note: (text: string) => void;
}

/** @param opened of {@link openRuntime} */
export function sendTarget(
  { network, runtime }: { readonly network: Network; readonly runtime: RuntimeClient },
  { signal, terminal }: Pick<CliContext, "signal" | "terminal">,
  { yesPublicKey }: Pick<SigningRules, "yesPublicKey">,
): SendTarget {
  const note = (text: string): void => terminal.note(text);
  return { client: runtime, signal, note, isSandbox: network.isSandbox, yesPublicKey };
}

/**
 * @throws SandboxError when the runtime rejects it or sends no receipt; CANCELLED says whether the operation was sent;
 *   OPERATION_TOO_LARGE and PUBLIC_KEY_REFUSED before anything is signed
 */
export async function sendOperation<Content extends DeployFunction | RunFunction>(
  target: SendTarget,
  key: SecretKey,
  content: Content,
): Promise<SentOperation<ContentOf<Content["_type"]>>> {
  const { client, signal } = target;
  const { publicKey } = key;
  requirePrivateKey(publicKey.address, target);
  if (!target.isSandbox) requireSize(publicKey.text, content);
  const what = "Sending the operation";
  const nonce = await interruptible(
    signal,
    { what, next: "Nothing was sent." },
    client.nonce(publicKey.address),
  );
  const signed = signOperation({ publicKey: publicKey.text, nonce, content }, key);
  const hash = operationHashHex(signed.inner);
  const trace = `\`functez call trace ${hash}\` shows`;
  await interruptible(
    signal,
    { what, next: `The runtime may have accepted it: ${trace} it.` },
    client.inject(signed),
  );
  const receipt = await interruptible(
    signal,
    { what: "Waiting for the receipt", next: `The operation was sent; ${trace} its outcome.` },
    client.waitForReceipt(hash, { signal, onHeld: (held) => target.note(heldNote(hash, held)) }),
  );
  return { hash, receipt: receiptOfKind<Content["_type"]>(receipt, content._type, client.endpoint) };
}

/** Why an operation or a deposit has no outcome yet. @param hash of what is waited for */
export function heldNote(hash: string, held: HeldOperation): string {
  const which = held.hash === hash ? "this operation" : `operation ${held.hash}, which is before this one`;
  return `The debugger holds ${which}: it goes on when that is continued in the editor, or in ${Math.ceil(held.seconds)} s.`;
}

/** The sandbox accepts larger ones. @throws SandboxError OPERATION_TOO_LARGE */
function requireSize(publicKey: string, content: DeployFunction | RunFunction): void {
  const bytes = operationBytes(publicKey, content);
  const limit = operationLimit(content);
  if (bytes <= limit) return;
  const isDeploy = content._type === "DeployFunction";
  throw new SandboxError("OPERATION_TOO_LARGE", { what: isDeploy ? "deploy" : "call", bytes, limit });
}
