// Signed operations for the benchmarks, of both layers. Bundled by sandbox.mjs; everything is signed before any
// measurement starts, as for the peers.
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../daemon/protocol/constants.ts";
import { stringifyExact } from "../daemon/protocol/exact-json.ts";
import {
  type Operation,
  type OperationContent,
  operationHashHex,
  signOperation,
} from "../daemon/protocol/runtime-operation.ts";
import { parseSecretKey } from "../daemon/protocol/secret-key.ts";
import type { Address } from "../daemon/tezos/address.ts";
import { toHex } from "../daemon/tezos/hex.ts";
import { randomSecretKey, type SecretKey, signBytes } from "../daemon/tezos/keys.ts";
import { forgeOperation } from "../daemon/tezos/operation-codec.ts";

export const newKey = randomSecretKey;
export const bootstrapKeys = (): SecretKey[] =>
  BOOTSTRAP_ACCOUNTS.map(({ secretKey }) => parseSecretKey(secretKey));

interface Transfer {
  readonly key: SecretKey;
  /** Hash of a recent block. */
  readonly branch: string;
  readonly counter: bigint;
  readonly destination: Address;
  /** mutez */
  readonly amount: bigint;
  /** Receiver in the runtime; makes it a deposit over the bridge. */
  readonly depositTo?: string;
}

/** Hex of a signed layer 1 transaction, as JSON text for `/injection/operation`. */
export function layer1Transaction({
  key,
  branch,
  counter,
  destination,
  amount,
  depositTo,
}: Transfer): string {
  const limits =
    depositTo === undefined
      ? { fee: "1000", gas_limit: "3000", storage_limit: "300" }
      : { fee: "5000", gas_limit: "20000", storage_limit: "1000" };
  const parameters =
    depositTo === undefined ? {} : { parameters: { entrypoint: "deposit", value: { string: depositTo } } };
  const unsigned = forgeOperation(branch, [
    {
      kind: "transaction",
      source: key.publicKey.address,
      counter: counter.toString(),
      ...limits,
      amount: amount.toString(),
      destination: depositTo === undefined ? destination : BRIDGE_ADDRESS,
      ...parameters,
    },
  ]);
  const signature = signBytes(key, new Uint8Array([3, ...unsigned]));
  return JSON.stringify(toHex(unsigned) + toHex(signature));
}

export interface Signed {
  readonly hash: string;
  readonly body: string;
}

export function runtimeOperation(key: SecretKey, nonce: bigint, content: OperationContent): Signed {
  const operation: Operation = { publicKey: key.publicKey.text, nonce, content };
  return { hash: operationHashHex(operation), body: stringifyExact(signOperation(operation, key)) };
}

export const deployContent = (functionCode: string): OperationContent => ({
  _type: "DeployFunction",
  functionCode,
  accountCredit: 0n,
});

export const callContent = (address: string, path = "/", body: string | null = null): OperationContent => ({
  _type: "RunFunction",
  uri: `jstz://${address}${path}`,
  method: "POST",
  headers: {},
  body: body === null ? null : Buffer.from(body).toString("base64"),
  gasLimit: 550_000n,
});
