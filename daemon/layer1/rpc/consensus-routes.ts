// RPCs for features that this chain lacks: bakers, votes, issuance. Clients that display a chain call them; the answers are
// those of a chain on which nobody bakes or votes. Delegates and stakes are in delegate-routes.ts.
import { BLOCKS_PER_CYCLE } from "../../tezos/parameters.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { totalListedPower } from "../operations/voting-power.ts";
import { type ContextReader, existingAccount } from "../state/context.ts";
import { metadataJson } from "./block-json.ts";
import { blockRoute } from "./block-routes.ts";
import type { Rpc } from "./rpc-server.ts";

interface VotingPeriodInfo {
  readonly voting_period: { readonly index: number; readonly kind: string; readonly start_position: number };
  readonly position: number;
  readonly remaining: number;
}
interface LevelInfo {
  readonly cycle: number;
}

const FIXED: Readonly<Record<string, unknown>> = {
  "/helpers/attestation_rights": [],
  "/helpers/baking_rights": [],
  "/helpers/round": 0,
  "/helpers/validators": [],
  "/votes/ballot_list": [],
  "/votes/ballots": { yay: "0", nay: "0", pass: "0" },
  "/votes/current_proposal": null,
  "/votes/current_quorum": 2000,
  "/votes/proposals": [],
  "/context/adaptive_issuance_launch_cycle": 0,
  "/context/issuance/current_yearly_rate": "0",
  "/context/issuance/expected_issuance": [],
  "/context/issuance/issuance_per_minute": "0",
};

export function addConsensusRoutes(rpc: Rpc, chain: Chain): void {
  for (const [path, answer] of Object.entries(FIXED)) blockRoute(rpc, chain, path, () => answer);

  blockRoute(rpc, chain, "/helpers/levels_in_current_cycle", (block) => {
    const { cycle } = (metadataJson(block) as { level_info: LevelInfo }).level_info;
    return { first: cycle * BLOCKS_PER_CYCLE + 1, last: (cycle + 1) * BLOCKS_PER_CYCLE };
  });
  blockRoute(
    rpc,
    chain,
    "/votes/current_period",
    (block) => (metadataJson(block) as { voting_period_info: VotingPeriodInfo }).voting_period_info,
  );
  blockRoute(rpc, chain, "/votes/successor_period", (block) => {
    const { voting_period, position, remaining } = (
      metadataJson(block) as { voting_period_info: VotingPeriodInfo }
    ).voting_period_info;
    if (remaining > 0) return { voting_period, position: position + 1, remaining: remaining - 1 };
    const { index, kind, start_position: start } = voting_period;
    return {
      voting_period: { index: index + 1, kind, start_position: start + BLOCKS_PER_CYCLE },
      position: 0,
      remaining: BLOCKS_PER_CYCLE - 1,
    };
  });
  blockRoute(rpc, chain, "/votes/total_voting_power", (block) =>
    totalListedPower(chain.contextAt(block)).toString(),
  );
  blockRoute(rpc, chain, "/context/total_supply", (block, call) =>
    chain.trials.tryOut(() => totalSupply(chain.contextAt(block)), call),
  );
}

function* totalSupply(context: ContextReader): Job<string> {
  let supply = 0n;
  for (const address of context.contracts().keys()) {
    const { balance, stake = 0n, unstaked } = existingAccount(context, address);
    supply += balance + stake;
    for (const { amount } of unstaked?.requests ?? []) supply += amount;
    yield;
  }
  return supply.toString();
}
