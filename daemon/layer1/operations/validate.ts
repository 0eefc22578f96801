// Validation: checks that refuse a whole operation before anything is charged.
// Source of the order and of the ids: Octez, `validate.ml`.
import { hashOfKey } from "../../tezos/address.ts";
import type { Content, Contents, Reveal } from "../../tezos/content.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { mutezOf } from "../../tezos/mutez.ts";
import { unsignedLength, withWatermark } from "../../tezos/operation-codec.ts";
import { MAX_GAS_PER_OPERATION, MAX_STORAGE_PER_OPERATION } from "../../tezos/parameters.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import { deserializeCost } from "../michelson/check-costs.ts";
import { GasMeter } from "../michelson/gas.ts";
import {
  MichelsonError,
  type ProtocolErrorFields,
  branch,
  permanent,
  temporary,
} from "../michelson/michelson-error.ts";
import type { Account, ContextReader } from "../state/context.ts";
import { validateKeyUpdate } from "./apply-key-update.ts";
import { staysWhenEmpty, balanceAfter } from "./balance.ts";
import { MANAGER_GAS } from "./execution.ts";
import { refuse } from "./operation-refused.ts";
import { BLS_CURVE, BLS_KEY_BYTES, operationSignatureCost, signedCost } from "./signature-cost.ts";

/** What was signed, and the signature. */
export interface Signed {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** Whether a signature is one by the key. What it throws, validation throws. */
export type CheckSignature = (publicKey: string, signed: Signed) => boolean;

export interface Checks {
  readonly protocol: Protocol;
  /** Bytes that were signed, the signature, and who checks it last of all; absent in simulations. */
  readonly signed:
    | { readonly unsigned: Uint8Array; readonly signature: Uint8Array; readonly check: CheckSignature }
    | undefined;
  /** Simulations may ask for more gas than a block has. */
  readonly isSimulation: boolean;
}

/** @throws OperationRefused, and what checking the signature throws */
export function validateOperation(context: ContextReader, contents: Contents, checks: Checks): void {
  const first = contents[0];
  const { source } = first;
  checkBatch(contents);
  const account = context.account(source);
  if (!account) return refuse(emptyAccount(source));
  const expected = account.counter + 1n;
  const found = BigInt(first.counter);
  const counters = { contract: source, expected: expected.toString(), found: found.toString() };
  if (found < expected) return refuse(branch("contract.counter_in_the_past", counters));
  if (found > expected) return refuse(temporary("contract.counter_in_the_future", counters));
  const publicKey = keyFor(first, account.key);
  checkContents(account, contents, checks);
  if (checks.signed) checkOperationSignature(publicKey, checks.signed);
}

const emptyAccount = (source: string): ProtocolErrorFields =>
  branch("implicit.empty_implicit_contract", { implicit: source });

function checkBatch(contents: Contents): void {
  const { source } = contents[0];
  for (let i = 1; i < contents.length; i++) {
    const [previous, current] = [contents[i - 1]!, contents[i]!];
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
    if (current.kind === "reveal") refuse(permanent("validate.operation.incorrect_reveal_position"));
  }
}

/** The key that must have signed: the one that this operation reveals first, or the one already revealed. */
const keyFor = (first: Content, known: string | undefined): string =>
  first.kind === "reveal"
    ? first.public_key
    : (known ?? refuse(branch("contract.unrevealed_key", { contract: first.source })));

/** Checks each content in order: limits, rules of its kind, fee. */
function checkContents(
  account: Account,
  contents: readonly Content[],
  { protocol, isSimulation }: Checks,
): void {
  let total = 0n;
  let left: Account | undefined = account;
  for (const [i, content] of contents.entries()) {
    const gas = BigInt(content.gas_limit);
    if (gas > MAX_GAS_PER_OPERATION) refuse(permanent("gas_limit_too_high"));
    total += gas;
    if (!isSimulation && total > protocol.maxGasPerBlock)
      refuse(permanent("gas_limit_too_high"), temporary("gas_exhausted.block"));
    const meter = new GasMeter(Number(gas) * 1000);
    const signature = i === 0 ? operationSignatureCost(content.source, unsignedLength(contents)) : 0;
    pay(meter, MANAGER_GAS + signature, INSUFFICIENT_GAS);
    if (BigInt(content.storage_limit) > MAX_STORAGE_PER_OPERATION)
      refuse(permanent("storage_limit_too_high"));
    if (!left) return refuse(emptyAccount(content.source));
    checkKind(content, meter);
    left = afterFee(left, content);
  }
}

const INSUFFICIENT_GAS = permanent("validate.operation.insufficient_gas_for_manager");

/** @throws OperationRefused with the given error when gas does not suffice */
function pay(meter: GasMeter, milligas: number, what: ProtocolErrorFields): void {
  try {
    meter.spend(milligas);
  } catch (error) {
    if (error instanceof MichelsonError) refuse(what, ...error.errors);
    throw error;
  }
}

/** The account after paying a fee; undefined when that removes it. */
function afterFee(account: Account, { source, fee }: Content): Account | undefined {
  const amount = mutezOf(fee);
  try {
    const balance = amount === 0n ? account.balance : balanceAfter(account, source, amount);
    return balance === 0n && !staysWhenEmpty(account) ? undefined : { ...account, balance };
  } catch (error) {
    if (error instanceof MichelsonError) return refuse(...error.errors);
    throw error;
  }
}

function checkKind(content: Content, meter: GasMeter): void {
  switch (content.kind) {
    case "reveal":
      return checkReveal(content, meter);
    case "transaction":
      return payForReading(meter, content.parameters?.value ?? { prim: "Unit" });
    case "origination":
      return payForReading(meter, content.script.code, content.script.storage);
    case "transfer_ticket":
      return payForReading(meter, content.ticket_contents, content.ticket_ty);
    case "smart_rollup_add_messages":
      if (content.message.length === 0) refuse(permanent("smart_rollup_add_zero_messages"));
      return;
    case "register_global_constant":
      return payForReading(meter, content.value);
    case "update_consensus_key":
    case "update_companion_key":
      return validateKeyUpdate(content);
    case "smart_rollup_originate":
      if (content.pvm_kind === "arith") refuse(permanent("operation.arith_pvm_disabled"));
      return;
    case "dal_publish_commitment":
      return refuse(permanent("operation.dal_disabled"));
    default:
      return;
  }
}

/** Gas must at least cover deserializing the operation's expressions. */
function payForReading(meter: GasMeter, ...expressions: readonly Micheline[]): void {
  for (const expression of expressions)
    pay(
      meter,
      deserializeCost(encodedLength(expression)),
      permanent("validate.operation.gas_quota_exceeded_init_deserialize"),
    );
}

/** A reveal of a tz4 key needs a proof of possession; other keys have none. */
function checkReveal({ source, public_key, proof }: Reveal, meter: GasMeter): void {
  const hash = hashOfKey(public_key);
  if (hash !== source) {
    refuse(
      permanent("contract.manager.inconsistent_hash", {
        public_key,
        expected_hash: source,
        provided_hash: hash,
      }),
    );
  }
  const isBls = source.startsWith("tz4");
  const key = { kind: "manager_pk", source, public_key };
  if (!isBls && proof !== undefined) refuse(permanent("validate.operation.unused_bls_proof", key));
  if (!isBls) return;
  if (proof === undefined) refuse(permanent("validate.operation.missing_bls_proof", key));
  // The proof itself is checked when the operation is applied.
  pay(meter, signedCost(BLS_CURVE, BLS_KEY_BYTES), INSUFFICIENT_GAS);
}

/** @throws OperationRefused */
export const refuseSignature = (): never => refuse(permanent("operation.invalid_signature"));

function checkOperationSignature(
  publicKey: string,
  { unsigned, signature, check }: NonNullable<Checks["signed"]>,
): void {
  if (signature.length === 0) refuse(permanent("operation.missing_signature"));
  if (!check(publicKey, { message: withWatermark(unsigned), signature })) refuseSignature();
}
