// Validation: what refuses an operation as a whole, before anything is charged.
// Source of the order and of the ids: Octez, `validate.ml`.
import { MAX_GAS_PER_OPERATION, MAX_STORAGE_PER_OPERATION } from "../../tezos/parameters.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import { hashOfKey, signatureBytes } from "../../tezos/address.ts";
import { watermarked } from "../../tezos/operation-codec.ts";
import { checkBlsProof, checkSignature } from "../../tezos/check-signature.ts";
import { branch, permanent, temporary } from "../michelson/michelson-error.ts";
import type { ContextReader } from "../state/context.ts";
import { validateKeyUpdate } from "./apply-key-update.ts";
import { MANAGER_GAS } from "./apply-content.ts";
import { balanceTooLow } from "./balance.ts";
import type { Content } from "../../tezos/content.ts";
import { refuse } from "./protocol-error.ts";

export interface Checks {
  readonly protocol: Protocol;
  /** Bytes that were signed, and the signature; absent in simulations. */
  readonly signed: { readonly unsigned: Uint8Array; readonly signature: Uint8Array } | undefined;
  /** Simulations may ask for more gas than a block has. */
  readonly isSimulation: boolean;
}

/** @throws OperationRefused, BlsNeeded */
export function validateOperation(
  context: ContextReader,
  contents: readonly Content[],
  checks: Checks,
): void {
  const first = contents[0]!;
  const { source } = first;
  checkBatch(contents);
  const account = context.account(source);
  if (!account) return refuse(branch("implicit.empty_implicit_contract", { implicit: source }));
  const expected = account.counter + 1n;
  const found = BigInt(first.counter);
  const counters = { contract: source, expected: expected.toString(), found: found.toString() };
  if (found < expected) return refuse(branch("contract.counter_in_the_past", counters));
  if (found > expected) return refuse(temporary("contract.counter_in_the_future", counters));
  const publicKey = keyFor(first, account.key);
  checkLimits(contents, checks);
  checkKinds(contents);
  const fees = contents.reduce((sum, content) => sum + BigInt(content.fee), 0n);
  if (fees > account.balance) {
    return refuse(...balanceTooLow(source, account.balance, fees).errors);
  }
  if (checks.signed) checkProof(first);
  if (checks.signed) checkOperationSignature(publicKey, checks.signed);
}

function checkBatch(contents: readonly Content[]): void {
  const { source } = contents[0]!;
  for (let i = 1; i < contents.length; i++) {
    const [previous, current] = [contents[i - 1]!, contents[i]!];
    if (current.kind === "reveal") refuse(permanent("validate.operation.incorrect_reveal_position"));
    if (current.source !== source)
      refuse(
        permanent("validate.operation.inconsistent_sources", {
          first_source: source,
          unexpected_source: current.source,
        }),
      );
    if (BigInt(current.counter) !== BigInt(previous.counter) + 1n) {
      refuse(
        permanent("validate.operation.inconsistent_counters", {
          source,
          previous_counter: previous.counter,
          wrong_counter: current.counter,
        }),
      );
    }
  }
}

/** The key that must have signed: the revealed one, or the one that this operation reveals first. */
function keyFor(first: Content, known: string | undefined): string {
  if (first.kind !== "reveal")
    return known ?? refuse(branch("contract.unrevealed_key", { contract: first.source }));
  if (known !== undefined)
    return refuse(branch("contract.previously_revealed_key", { contract: first.source }));
  const hash = hashOfKey(first.public_key);
  if (hash !== first.source) {
    return refuse(
      permanent("contract.manager.inconsistent_hash", {
        public_key: first.public_key,
        expected_hash: first.source,
        provided_hash: hash,
      }),
    );
  }
  return first.public_key;
}

function checkLimits(contents: readonly Content[], { protocol, isSimulation }: Checks): void {
  let total = 0n;
  for (const content of contents) {
    const gas = BigInt(content.gas_limit);
    if (gas > MAX_GAS_PER_OPERATION) refuse(permanent("gas_limit_too_high"));
    if (gas * 1000n < BigInt(MANAGER_GAS))
      refuse(permanent("validate.operation.insufficient_gas_for_manager"));
    if (BigInt(content.storage_limit) > MAX_STORAGE_PER_OPERATION)
      refuse(permanent("storage_limit_too_high"));
    total += gas;
  }
  if (!isSimulation && total > protocol.maxGasPerBlock)
    refuse(temporary("gas_exhausted.block"), permanent("gas_limit_too_high"));
}

function checkKinds(contents: readonly Content[]): void {
  for (const content of contents) {
    if (content.kind === "smart_rollup_add_messages" && content.message.length === 0)
      refuse(permanent("smart_rollup_add_zero_messages"));
    if (content.kind === "update_consensus_key" || content.kind === "update_companion_key")
      validateKeyUpdate(content);
    if (content.kind === "smart_rollup_originate" && content.pvm_kind === "arith")
      refuse(permanent("operation.arith_pvm_disabled"));
    if (content.kind === "dal_publish_commitment") refuse(permanent("operation.dal_disabled"));
  }
}

/** Who reveals a tz4 key proves to have its secret key; other keys have no such proof. */
function checkProof(content: Content): void {
  if (content.kind !== "reveal") return;
  const isBls = content.source.startsWith("tz4");
  if (!isBls && content.proof !== undefined) refuse(permanent("operation.unused_bls_proof"));
  if (!isBls) return;
  const proof =
    content.proof === undefined
      ? refuse(permanent("operation.missing_bls_proof"))
      : signatureBytes(content.proof);
  if (!proof || !checkBlsProof(content.public_key, proof)) refuse(permanent("operation.incorrect_bls_proof"));
}

function checkOperationSignature(
  publicKey: string,
  { unsigned, signature }: NonNullable<Checks["signed"]>,
): void {
  if (signature.length === 0) refuse(permanent("operation.missing_signature"));
  if (!checkSignature(publicKey, signature, watermarked(unsigned)))
    refuse(permanent("operation.invalid_signature"));
}
