// RPCs about delegates and stakes. Nobody bakes here: delegates are always in good standing and never punished.
// Source of the shapes: Octez, `delegate_services.ml`, `contract_services.ml`.
import { hashOfKey, isImplicit, keyHashBytes } from "../../tezos/address.ts";
import { NO_TEZ } from "../../tezos/mutez.ts";
import type { Block } from "../chain/block.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { MichelsonError, temporary } from "../michelson/michelson-error.ts";
import { type Schedule, activeIn, cycleOf, pendingAfter } from "../operations/cycles.ts";
import { type Delegate, delegateOf, delegates, isDelegate, parametersIn } from "../operations/delegates.ts";
import { isFinalizable } from "../operations/staking.ts";
import { listedPower } from "../operations/voting-power.ts";
import { type Account, type ContextReader, existingAccount } from "../state/context.ts";
import { metadataJson } from "./block-json.ts";
import { blockOf, blockRoute, listRoute } from "./block-routes.ts";
import { AnswerText, listText } from "./list-answer.ts";
import { type Call, NotFound, type Rpc } from "./rpc-server.ts";

/** Mutez; `minimal_stake` in the constants. */
const MINIMAL_STAKE = 6_000_000_000n;
/** Cycles without a block of its own after which a real chain deactivates a delegate. */
const GRACE_CYCLES = 4;
const MOST_PROPOSALS = 20;

/** An account's unstaked tez, finalizable or not. */
const unstakedOf = ({ unstaked }: Account): bigint =>
  (unstaked?.requests ?? []).reduce((sum, { amount }) => sum + amount, 0n);

/** The part of them that was staked with a delegate: it counts as delegated to that one, whoever is delegate now. */
const unstakedFrom = (account: Account, delegate: string): bigint =>
  account.unstaked?.delegate === delegate ? unstakedOf(account) : 0n;

const stakedOf = ({ stake = NO_TEZ }: Account): bigint => stake;

interface View {
  readonly context: ContextReader;
  readonly block: Block;
  readonly cycle: number;
  readonly address: string;
  readonly account: Account;
  readonly delegate: Delegate;
  /** The accounts that delegate to this one, itself among them, and what those that did have on its way back. */
  readonly delegators: Delegators;
}

interface Delegators {
  /** Those that delegate now. */
  readonly addresses: readonly string[];
  readonly staked: bigint;
  /** Includes what is on its way back from this delegate. */
  readonly delegated: bigint;
  /** Mutez on their way back from this delegate, by cycle. */
  readonly unstaked: ReadonlyMap<number, bigint>;
}

/** Looks through all accounts. */
function* delegatorsOf(context: ContextReader, delegate: string): Job<Delegators> {
  const addresses: string[] = [];
  const unstaked = new Map<number, bigint>();
  let [staked, delegated] = [0n, 0n];
  for (const address of context.contracts().keys()) {
    yield;
    const account = existingAccount(context, address);
    delegated += unstakedFrom(account, delegate);
    if (account.unstaked?.delegate === delegate)
      for (const { cycle, amount } of account.unstaked.requests)
        unstaked.set(cycle, (unstaked.get(cycle) ?? 0n) + amount);
    if (account.delegate !== delegate) continue;
    addresses.push(address);
    staked += stakedOf(account);
    delegated += account.balance;
  }
  return { addresses, staked, delegated, unstaked };
}

function* viewOf(chain: Chain, call: Call): Job<View> {
  const address = call.params["address"]!;
  if (!keyHashBytes(address)) throw new NotFound();
  const block = blockOf(chain, call);
  const context = chain.contextAt(block);
  if (!isDelegate(context, address))
    throw new MichelsonError(temporary("delegate.not_registered", { pkh: address }));
  return {
    context,
    block,
    cycle: cycleOf(block.level),
    address,
    account: existingAccount(context, address),
    delegate: delegateOf(context, address),
    delegators: yield* delegatorsOf(context, address),
  };
}

const ownStaked = ({ account }: View): bigint => stakedOf(account);
const ownDelegated = ({ account, address }: View): bigint => account.balance + unstakedFrom(account, address);
const totalStaked = ({ delegators }: View): bigint => delegators.staked;
const totalDelegated = ({ delegators }: View): bigint => delegators.delegated;

/** Staked tez count in full up to the limit of the terms, delegated ones a third, up to nine times the own stake. */
function bakingPower(view: View): bigint {
  const own = ownStaked(view);
  const { limit_of_staking_over_baking_millionth: limit } = parametersIn(
    view.context,
    view.address,
    view.cycle,
  );
  const most = (own * BigInt(Math.min(limit, 9_000_000))) / 1_000_000n;
  const external = totalStaked(view) - own;
  const counted = external < most ? external : most;
  const delegated = totalDelegated(view) + external - counted;
  const cap = own * 9n;
  return own + counted + (delegated < cap ? delegated : cap) / 3n;
}

const keyJson = (pk: string): object => ({ pkh: hashOfKey(pk), pk });

function scheduleJson(schedule: Schedule<string>, cycle: number): object {
  const active = activeIn(schedule, cycle);
  const pending = pendingAfter(schedule, cycle).map((change) => ({
    cycle: change.cycle,
    ...keyJson(change.value),
  }));
  return {
    active: active === undefined ? null : keyJson(active),
    ...(pending.length > 0 && { pendings: pending }),
  };
}

const unstakedPerCycle = ({ delegators }: View): readonly object[] =>
  [...delegators.unstaked]
    .sort(([a], [b]) => a - b)
    .map(([cycle, amount]) => ({ cycle, deposit: amount.toString() }));

const votingInfo = (view: View): object => ({
  voting_power: listedPower(view.context, view.address).toString(),
  remaining_proposals: MOST_PROPOSALS,
});

const levelInfo = (block: Block): object => (metadataJson(block) as { level_info: object }).level_info;

type Field = (view: View) => unknown;
const amount =
  (part: (view: View) => bigint): Field =>
  (view) =>
    part(view).toString();

/** Each has a path of its own; most are also fields of the whole answer. */
const FIELDS = {
  deactivated: () => false,
  is_forbidden: () => false,
  participation: () => ({
    expected_cycle_activity: 0,
    minimal_cycle_activity: 0,
    missed_slots: 0,
    missed_levels: 0,
    remaining_allowed_missed_slots: 0,
    expected_attesting_rewards: "0",
  }),
  dal_participation: () => ({
    expected_assigned_shards_per_slot: 0,
    delegate_attested_dal_slots: 0,
    delegate_attestable_dal_slots: 0,
    expected_dal_rewards: "0",
    sufficient_dal_participation: true,
    denounced: false,
  }),
  grace_period: ({ cycle }) => cycle + GRACE_CYCLES,
  active_staking_parameters: ({ context, address, cycle }) => parametersIn(context, address, cycle),
  pending_staking_parameters: ({ delegate, cycle }) =>
    pendingAfter(delegate.parameters, cycle).map((change) => ({
      cycle: change.cycle,
      parameters: change.value,
    })),
  baking_power: amount(bakingPower),
  total_staked: amount(totalStaked),
  total_delegated: amount(totalDelegated),
  min_delegated_in_current_cycle: (view) => ({
    amount: totalDelegated(view).toString(),
    level: levelInfo(view.block),
  }),
  own_full_balance: amount(({ account }) => account.balance + stakedOf(account) + unstakedOf(account)),
  own_staked: amount(ownStaked),
  own_delegated: amount(ownDelegated),
  external_staked: amount((view) => totalStaked(view) - ownStaked(view)),
  external_delegated: amount((view) => totalDelegated(view) - ownDelegated(view)),
  total_unstaked_per_cycle: unstakedPerCycle,
  denunciations: () => [],
  estimated_shared_pending_slashed_amount: () => "0",
  staking_denominator: amount((view) => totalStaked(view) - ownStaked(view)),
  current_voting_power: amount((view) => totalStaked(view) + totalDelegated(view)),
  voting_power: amount((view) => listedPower(view.context, view.address)),
  voting_info: votingInfo,
  consensus_key: ({ delegate, cycle }) => scheduleJson(delegate.consensus, cycle),
  companion_key: ({ delegate, cycle }) => scheduleJson(delegate.companion, cycle),
} satisfies Readonly<Record<string, Field>>;

/** Fields of as many entries as there are delegators, in the order of the whole answer after all others. */
const LISTS: Readonly<Record<string, (view: View) => Iterable<unknown>>> = {
  *stakers({ context, delegators }) {
    for (const staker of delegators.addresses) {
      const staked = stakedOf(existingAccount(context, staker));
      yield staked > 0n ? { staker, frozen_deposits: staked.toString() } : undefined;
    }
  },
  delegators: ({ delegators }) => delegators.addresses,
};

/** Older paths for the same. */
const OLDER: Readonly<Record<string, Field>> = {
  full_balance: FIELDS.own_full_balance,
  current_frozen_deposits: FIELDS.total_staked,
  frozen_deposits: FIELDS.total_staked,
  frozen_deposits_limit: () => null,
  staking_balance: amount((view) => totalStaked(view) + totalDelegated(view)),
  total_delegated_stake: FIELDS.external_staked,
  delegated_balance: FIELDS.external_delegated,
  unstaked_frozen_deposits: unstakedPerCycle,
  current_baking_power: FIELDS.baking_power,
};

export function addDelegateRoutes(rpc: Rpc, chain: Chain): void {
  listRoute(rpc, chain, "/context/delegates", function* (block, { query }) {
    const context = chain.contextAt(block);
    if (query["inactive"] !== undefined && query["active"] === undefined) return;
    const wantsMinimal = query["with_minimal_stake"] !== undefined;
    const wantsAll = wantsMinimal === (query["without_minimal_stake"] !== undefined);
    for (const address of delegates(context)) {
      const isWanted = (pkh: string): boolean =>
        wantsAll || stakedOf(existingAccount(context, pkh)) >= MINIMAL_STAKE === wantsMinimal;
      yield address !== undefined && isWanted(address) ? address : undefined;
    }
  });
  const of = (path: string, answer: (view: View) => Job<unknown>): void =>
    rpc.get(`/chains/:chain/blocks/:block/context/delegates/:address${path}`, (call) =>
      chain.trials.tryOut(function* () {
        return yield* answer(yield* viewOf(chain, call));
      }, call),
    );
  of("", wholeText);
  for (const [name, field] of Object.entries({ ...FIELDS, ...OLDER }))
    of(`/${name}`, function* (view) {
      return field(view);
    });
  for (const [name, items] of Object.entries({ ...LISTS, delegated_contracts: LISTS["delegators"]! }))
    of(`/${name}`, (view) => listText(items(view)));

  blockRoute(rpc, chain, "/context/total_frozen_stake", (block, call) =>
    chain.trials.tryOut(() => totalStake(chain.contextAt(block)), call),
  );
  listRoute(rpc, chain, "/votes/listings", function* (block) {
    const context = chain.contextAt(block);
    for (const pkh of delegates(context)) {
      const power = pkh === undefined ? 0n : listedPower(context, pkh);
      yield power === 0n ? undefined : { pkh, voting_power: power.toString() };
    }
  });
  addStakeRoutes(rpc, chain);
}

/** All that is known of a delegate: the fields, then the lists. */
function* wholeText(view: View): Job<AnswerText> {
  const fields = Object.entries(FIELDS).map(([name, field]) => [name, field(view)]);
  const parts = [JSON.stringify(Object.fromEntries(fields)).slice(0, -1)];
  for (const [name, items] of Object.entries(LISTS))
    parts.push(`${JSON.stringify(name)}:${(yield* listText(items(view))).text}`);
  return new AnswerText(`${parts.join(",")}}`);
}

function* totalStake(context: ContextReader): Job<string> {
  let staked = 0n;
  for (const address of context.contracts().keys()) {
    staked += stakedOf(existingAccount(context, address));
    yield;
  }
  return staked.toString();
}

/** What an account has staked, and what is on its way back. */
function addStakeRoutes(rpc: Rpc, chain: Chain): void {
  const get = (path: string, answer: (account: Account | undefined, block: Block) => unknown): void =>
    rpc.get(`/chains/:chain/blocks/:block/context/contracts/:address${path}`, (call) => {
      const block = blockOf(chain, call);
      const address = call.params["address"]!;
      const account = chain.contextAt(block).account(address);
      if (!account && !(isImplicit(address) && keyHashBytes(address))) throw new NotFound();
      return answer(account, block);
    });
  const requests = (account: Account | undefined, block: Block, free: boolean) =>
    (account?.unstaked?.requests ?? []).filter((request) => isFinalizable(request, block.level) === free);
  const sum = (list: readonly { readonly amount: bigint }[]): string =>
    list.reduce((all, request) => all + request.amount, 0n).toString();

  get("/staked_balance", (account) => (account?.stake ?? 0n).toString());
  get("/unstaked_frozen_balance", (account, block) => sum(requests(account, block, false)));
  get("/unstaked_finalizable_balance", (account, block) => sum(requests(account, block, true)));
  get("/full_balance", (account) =>
    account ? (account.balance + stakedOf(account) + unstakedOf(account)).toString() : "0",
  );
  get("/unstake_requests", (account, block) => {
    if (!account?.unstaked) return null;
    const { delegate } = account.unstaked;
    const text = (request: { cycle: number; amount: bigint }): object => ({
      cycle: request.cycle,
      amount: request.amount.toString(),
    });
    return {
      finalizable: requests(account, block, true).map((request) => ({ delegate, ...text(request) })),
      unfinalizable: { delegate, requests: requests(account, block, false).map(text) },
    };
  });
}
