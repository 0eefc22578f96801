// Protocol constants, fixed ones included, as `/context/constants` shows them. octez-client decodes the
// answer strictly, so no field may be missing. Values of the Jstz sandbox where it differs from mainnet.
import {
  MAX_GAS_PER_OPERATION,
  MAX_STORAGE_PER_OPERATION,
  COST_PER_BYTE,
  ORIGINATION_SIZE,
  OPERATION_TTL,
  MAX_OPERATION_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_ACTIVE_OUTBOX_LEVELS,
  MAX_OUTBOX_MESSAGES_PER_LEVEL,
  MAX_CEMENTED_COMMITMENTS,
} from "../../tezos/parameters.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import { BLOCKS_PER_CYCLE } from "./block-json.ts";

export interface ConstantsOptions {
  readonly protocol: Protocol;
  readonly blockTimeSeconds: number;
  readonly commitmentPeriodBlocks: number;
  readonly challengeWindowBlocks: number;
}

const ratio = (numerator: string, denominator: string): object => ({ numerator, denominator });

export function protocolConstants(options: ConstantsOptions): object {
  // A real chain counts whole seconds; clients derive their polling interval from it.
  const delay = Math.max(1, Math.round(options.blockTimeSeconds)).toString();
  const { name } = options.protocol;
  const isUshuaia = name === "ushuaia";
  return {
    proof_of_work_nonce_size: 8,
    nonce_length: 32,
    max_anon_ops_per_block: 132,
    max_operation_data_length: MAX_OPERATION_BYTES,
    max_proposals_per_delegate: 20,
    max_micheline_node_count: 50000,
    max_micheline_bytes_limit: 50000,
    max_allowed_global_constants_depth: 10000,
    cache_layout_size: isUshuaia ? 5 : 3,
    michelson_maximum_type_size: 2001,
    max_slashing_period: 2,
    smart_rollup_max_wrapped_proof_binary_size: 30000,
    smart_rollup_message_size_limit: MAX_MESSAGE_BYTES,
    smart_rollup_max_number_of_messages_per_level: "1000000",
    consensus_rights_delay: 2,
    blocks_preservation_cycles: 1,
    delegate_parameters_activation_delay: 5,
    tolerated_inactivity_period: 2,
    blocks_per_cycle: BLOCKS_PER_CYCLE,
    blocks_per_commitment: 4,
    nonce_revelation_threshold: 4,
    cycles_per_voting_period: 1,
    hard_gas_limit_per_operation: MAX_GAS_PER_OPERATION.toString(),
    hard_gas_limit_per_block: options.protocol.maxGasPerBlock.toString(),
    proof_of_work_threshold: "-1",
    minimal_stake: "6000000000",
    minimal_frozen_stake: "600000000",
    vdf_difficulty: "8000000000",
    origination_size: Number(ORIGINATION_SIZE),
    issuance_weights: {
      base_total_issued_per_minute: "80007812",
      baking_reward_fixed_portion_weight: 5120,
      baking_reward_bonus_weight: 5120,
      attesting_reward_weight: 10240,
      seed_nonce_revelation_tip_weight: 1,
      vdf_revelation_tip_weight: 1,
      dal_rewards_weight: 5120,
    },
    cost_per_byte: COST_PER_BYTE.toString(),
    hard_storage_limit_per_operation: MAX_STORAGE_PER_OPERATION.toString(),
    quorum_min: 2000,
    quorum_max: 7000,
    min_proposal_quorum: 500,
    liquidity_baking_subsidy: "5000000",
    liquidity_baking_toggle_ema_threshold: 100000,
    max_operations_time_to_live: OPERATION_TTL,
    minimal_block_delay: delay,
    delay_increment_per_round: "1",
    consensus_committee_size: 256,
    consensus_threshold_size: 0,
    minimal_participation_ratio: { numerator: 2, denominator: 3 },
    limit_of_delegation_over_baking: 9,
    percentage_of_frozen_deposits_slashed_per_double_baking: 500,
    max_slashing_per_block: 10000,
    max_slashing_threshold: { numerator: 1, denominator: 3 },
    cache_script_size: 100000000,
    cache_stake_distribution_cycles: 8,
    cache_sampler_state_cycles: 8,
    ...(isUshuaia && { cache_stake_info_cycles: 8, cache_swrr_selected_distribution_cycles: 8 }),
    dal_parametric: {
      feature_enable: false,
      incentives_enable: false,
      ...(isUshuaia && { dynamic_lag_enable: false, attestation_lags: [4] }),
      number_of_slots: 16,
      attestation_lag: 4,
      attestation_threshold: 50,
      minimal_participation_ratio: ratio("16", "25"),
      rewards_ratio: ratio("1", "10"),
      traps_fraction: ratio("1", "2000"),
      redundancy_factor: 8,
      page_size: 128,
      slot_size: 32768,
      number_of_shards: 64,
    },
    smart_rollup_arith_pvm_enable: false,
    smart_rollup_origination_size: 6314,
    smart_rollup_challenge_window_in_blocks: options.challengeWindowBlocks,
    smart_rollup_stake_amount: "32000000",
    smart_rollup_commitment_period_in_blocks: options.commitmentPeriodBlocks,
    smart_rollup_max_lookahead_in_blocks: 324000,
    smart_rollup_max_active_outbox_levels: MAX_ACTIVE_OUTBOX_LEVELS,
    smart_rollup_max_outbox_messages_per_level: MAX_OUTBOX_MESSAGES_PER_LEVEL,
    smart_rollup_number_of_sections_in_dissection: 32,
    smart_rollup_timeout_period_in_blocks: 781,
    smart_rollup_max_number_of_cemented_commitments: MAX_CEMENTED_COMMITMENTS,
    smart_rollup_max_number_of_parallel_games: 32,
    smart_rollup_reveal_activation_level: {
      raw_data: { Blake2B: 0 },
      metadata: 0,
      dal_page: 2147483646,
      dal_parameters: 2147483646,
      dal_attested_slots_validity_lag: 2147483646,
    },
    smart_rollup_private_enable: true,
    smart_rollup_riscv_pvm_enable: true,
    zk_rollup_enable: false,
    zk_rollup_origination_size: 4000,
    zk_rollup_min_pending_to_process: 10,
    zk_rollup_max_ticket_payload_size: 2048,
    global_limit_of_staking_over_baking: 9,
    edge_of_staking_over_delegation: 3,
    adaptive_rewards_params: {
      issuance_ratio_final_min: ratio("1", "400"),
      issuance_ratio_final_max: ratio("1", "10"),
      issuance_ratio_initial_min: ratio("9", "200"),
      issuance_ratio_initial_max: ratio("11", "200"),
      initial_period: 10,
      transition_period: 50,
      max_bonus: "50000000000000",
      growth_rate: ratio("1", "100"),
      center_dz: ratio("1", "2"),
      radius_dz: ratio("1", "50"),
    },
    direct_ticket_spending_enable: false,
    aggregate_attestation: false,
    allow_tz4_delegate_enable: true,
    ...(name === "seoul"
      ? { all_bakers_attest_activation_level: null }
      : { all_bakers_attest_activation_threshold: { numerator: 1, denominator: 2 } }),
    ...(isUshuaia && {
      native_contracts_enable: false,
      swrr_new_baker_lottery_enable: false,
      tz5_account_enable: false,
    }),
  };
}
