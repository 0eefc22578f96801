// Smart function calls signed by the sandbox (`POST /runtime/operations`), for the explorer and programs without keys. The
// request names an account; its key never leaves sandboxd.
import { createRuntimeClient, type RuntimeClient } from "../client/runtime-client.ts";
import { BOOTSTRAP_ACCOUNTS, DEFAULT_GAS_LIMIT } from "../protocol/constants.ts";
import { SandboxError } from "../protocol/errors.ts";
import { operationHashHex, type RunFunction, signOperation } from "../protocol/runtime-operation.ts";
import type { RuntimeOperationReport, RuntimeOperationRequest } from "../protocol/sandbox-api.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { parseTezOrZero } from "../protocol/tez.ts";
import type { SecretKey } from "../tezos/keys.ts";

export interface RuntimeSigner {
  readonly label: string;
  readonly address: string;
  /** Undefined for accounts configured by public key only. */
  readonly secretKey?: string;
}

export interface RuntimeSigning {
  /**
   * Signs and sends one call, and resolves with its receipt.
   * @param checkOwner called for accounts whose keys are not public; throws for anyone but the owner
   * @throws SandboxError
   */
  run(request: RuntimeOperationRequest, checkOwner: () => void): Promise<RuntimeOperationReport>;
}

/** The default of `functez run`. */
/** Queued calls per account. */
const MAX_WAITING = 64;

export function createRuntimeSigning(options: {
  readonly accounts: readonly RuntimeSigner[];
  readonly runtimeEndpoint: () => string;
}): RuntimeSigning {
  /** The last call of each account: the next nonce is known only after its receipt. */
  const last = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, number>();

  async function queueFor<T>(address: string, work: () => Promise<T>): Promise<T> {
    const count = waiting.get(address) ?? 0;
    if (count >= MAX_WAITING) throw new SandboxError("SERVER_BUSY", { what: "calls of this account" });
    waiting.set(address, count + 1);
    const mine = (last.get(address) ?? Promise.resolve()).then(work, work);
    last.set(address, mine);
    try {
      return await mine;
    } finally {
      waiting.set(address, waiting.get(address)! - 1);
      if (last.get(address) === mine) last.delete(address);
    }
  }

  return {
    run(request, checkOwner) {
      if (!BOOTSTRAP_ACCOUNTS.some(({ label, address }) => [label, address].includes(request.from)))
        checkOwner();
      const key = keyOf(options.accounts, request.from);
      const content = runOf(request);
      const client = createRuntimeClient(options.runtimeEndpoint());
      return queueFor(key.publicKey.address, () => send(client, key, content));
    },
  };
}

async function send(
  client: RuntimeClient,
  key: SecretKey,
  content: RunFunction,
): Promise<RuntimeOperationReport> {
  const nonce = await client.nonce(key.publicKey.address);
  const signed = signOperation({ publicKey: key.publicKey.text, nonce, content }, key);
  const hash = operationHashHex(signed.inner);
  await client.inject(signed);
  return { hash, receipt: await client.waitForReceipt(hash) };
}

/** @throws SandboxError UNKNOWN_BOOTSTRAP, KEY_UNKNOWN */
function keyOf(accounts: readonly RuntimeSigner[], found: string): SecretKey {
  const account = accounts.find(({ label, address }) => label === found || address === found);
  if (!account) {
    const known = accounts.map(({ label }) => label).join(", ");
    throw new SandboxError("UNKNOWN_BOOTSTRAP", { found, known });
  }
  if (account.secretKey === undefined) throw new SandboxError("KEY_UNKNOWN", { found });
  return parseSecretKey(account.secretKey);
}

/** @throws SandboxError BAD_URL, BAD_REQUEST, BAD_AMOUNT */
function runOf(request: RuntimeOperationRequest): RunFunction {
  const { url, method = "GET", headers = {}, body, body_base64, tez, gas_limit } = request;
  if (!/^jstz:\/\/[^/?#\s]+[^\s#]*$/.test(url))
    throw new SandboxError("BAD_URL", { found: url, reason: "it is not jstz://<address>/path" });
  if (body !== undefined && body_base64 !== undefined)
    throw new SandboxError("BAD_REQUEST", { at: "body", found: "two bodies", expected: "one of them" });
  const amount = tez === undefined ? 0n : parseTezOrZero(tez);
  return {
    _type: "RunFunction",
    uri: url,
    method: method.toUpperCase(),
    headers: { ...headers, ...(amount > 0n && { "x-jstz-transfer": amount.toString() }) },
    body: body_base64 ?? (body === undefined ? null : Buffer.from(body, "utf8").toString("base64")),
    gasLimit: BigInt(gas_limit ?? DEFAULT_GAS_LIMIT),
  };
}
