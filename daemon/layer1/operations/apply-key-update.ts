// Updates a delegate's consensus key, with which it bakes, or its companion key, with which it also attests.
// Source: Octez, `check_update_consensus_key` in `validate.ml`, `Update_consensus_key` in `apply.ml`.
import { publicKeyBytes, signatureBytes } from "../../tezos/address.ts";
import { checkBlsProof } from "../../tezos/check-signature.ts";
import type { UpdateKey } from "../../tezos/content.ts";
import { MichelsonError, permanent, temporary } from "../michelson/michelson-error.ts";
import type { ContextReader } from "../state/context.ts";
import { isDelegate, updateKey } from "./delegates.ts";
import type { Execution } from "./execution.ts";
import { refuse } from "./operation-refused.ts";
import type { AppliedParts } from "./receipt.ts";
import { BLS_CURVE, BLS_KEY_BYTES, signedCost } from "./signature-cost.ts";

const isConsensus = ({ kind }: UpdateKey): boolean => kind === "update_consensus_key";
const proofKind = (content: UpdateKey): string => (isConsensus(content) ? "consensus_pk" : "companion_pk");
const isBls = ({ pk }: UpdateKey): boolean => publicKeyBytes(pk)?.[0] === BLS_CURVE;

/** Checks that refuse the whole operation. @throws OperationRefused */
export function validateKeyUpdate(content: UpdateKey): void {
  const { source, pk, proof } = content;
  const fields = { kind: proofKind(content), source, public_key: pk };
  if (isBls(content)) {
    if (proof === undefined) refuse(permanent("validate.operation.missing_bls_proof", fields));
    return;
  }
  if (!isConsensus(content))
    refuse(permanent("validate.operation.update_companion_key_not_tz4", { source, public_key: pk }));
  if (proof !== undefined) refuse(permanent("validate.operation.unused_bls_proof", fields));
}

/** @throws MichelsonError */
export function applyKeyUpdate(
  execution: Execution,
  content: UpdateKey,
): Omit<AppliedParts, "consumed_milligas"> {
  const kind = isConsensus(content) ? "consensus" : "companion";
  requireRegistered(execution.context, content);
  if (isBls(content) && content.proof !== undefined) {
    execution.gas.spend(signedCost(BLS_CURVE, BLS_KEY_BYTES));
    const proof = signatureBytes(content.proof);
    if (!proof || !checkBlsProof(content.pk, proof))
      throw new MichelsonError(
        permanent("validate.operation.incorrect_bls_proof", {
          kind: proofKind(content),
          public_key: content.pk,
          proof: content.proof,
        }),
      );
  }
  updateKey(execution, content.source, kind, content.pk);
  return { kind: isConsensus(content) };
}

function requireRegistered(context: ContextReader, content: UpdateKey): void {
  if (isDelegate(context, content.source)) return;
  throw new MichelsonError(
    temporary("operation.update_consensus_key_on_unregistered_delegate", {
      delegate: content.source,
      kind: isConsensus(content),
    }),
  );
}
