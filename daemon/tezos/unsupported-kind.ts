// Operation kinds of the protocol that this sandbox does not support.

/** Without consensus, votes, foreign rollups and ZK rollups these would have no effect. */
export const UNSUPPORTED_KINDS: ReadonlyMap<string, number> = new Map([
  ["seed_nonce_revelation", 1],
  ["double_consensus_operation_evidence", 2],
  ["double_baking_evidence", 3],
  ["activate_account", 4],
  ["proposals", 5],
  ["ballot", 6],
  ["vdf_revelation", 8],
  ["drain_delegate", 9],
  ["failing_noop", 17],
  ["preattestation", 20],
  ["attestation", 21],
  ["attestation_with_dal", 23],
  ["dal_entrapment_evidence", 24],
  ["preattestations_aggregate", 30],
  ["attestations_aggregate", 31],
  ["smart_rollup_cement", 202],
  ["smart_rollup_publish", 203],
  ["smart_rollup_refute", 204],
  ["smart_rollup_timeout", 205],
  ["smart_rollup_recover_bond", 207],
  ["zk_rollup_origination", 250],
  ["zk_rollup_publish", 251],
  ["zk_rollup_update", 252],
]);

/** A known kind that this chain does not apply, or does not even encode. */
export class UnsupportedKind extends Error {
  readonly kind: string;

  constructor(kind: string) {
    super(`Operations of kind ${kind} are not supported by this sandbox (docs/real-network.md lists them).`);
    this.name = "UnsupportedKind";
    this.kind = kind;
  }
}
