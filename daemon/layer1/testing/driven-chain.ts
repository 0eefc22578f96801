// A chain without HTTP and timers, for tests that drive it operation by operation.
import {
  BOOTSTRAP_ACCOUNTS,
  BOOTSTRAP_BALANCE,
  type DevelopmentAccount,
  ROLLUP_ADDRESS,
} from "../../protocol/constants.ts";
import { parseSecretKey } from "../../protocol/secret-key.ts";
import type { Address } from "../../tezos/address.ts";
import { type Content, type Contents, isContents } from "../../tezos/content.ts";
import { signBytes } from "../../tezos/keys.ts";
import { forgeOperation, signedBytes } from "../../tezos/operation-codec.ts";
import { DEFAULT_PROTOCOL, protocolOf } from "../../tezos/protocols.ts";
import { rollupParameter } from "../chain/bridge-scripts.ts";
import { Chain, type ChainOptions } from "../chain/chain.ts";
import type { BootstrapAccount } from "../chain/genesis.ts";
import { parseType } from "../michelson/parse-type.ts";
import type { Metadata, Result } from "../operations/receipt.ts";
import { Outbox } from "../rollup/outbox.ts";
import { Turns } from "../turns.ts";

/** With addresses as plain texts, which may be invalid. */
type Unbranded<T> = T extends unknown ? { [K in keyof T]: AsText<T[K]> } : never;
type AsText<T> = T extends Address ? string : T extends readonly Address[] ? readonly string[] : T;

type WithoutManager<T> = T extends Content
  ? Omit<T, "source" | "fee" | "counter" | "gas_limit" | "storage_limit"> &
      Partial<Pick<T, "source" | "fee" | "counter" | "gas_limit" | "storage_limit">>
  : never;
/** A content without the fields that the driver fills in, and with addresses as plain texts. */
export type Draft = Unbranded<WithoutManager<Content>>;

export interface DrivenChain {
  readonly chain: Chain;
  readonly outbox: Outbox;
  /** Seconds of the chain's clock. */
  now: bigint;
  /** Unexpected exceptions that were contained. */
  readonly faults: unknown[];
  fill(drafts: readonly Draft[], account?: DevelopmentAccount): Contents;
  sign(contents: readonly Content[], account?: DevelopmentAccount, branch?: string): Uint8Array;
  /** Signs, injects and bakes; returns the receipts. */
  apply(drafts: Draft | readonly Draft[], account?: DevelopmentAccount): Promise<readonly Metadata[]>;
  balance(address: string): bigint;
}

/** As in a fresh sandbox. */
export const ROLLUP_TIMES = { commitmentPeriodBlocks: 8, challengeWindowBlocks: 16 };

/** The six bootstrap accounts, as a sandbox without configured ones has them. */
export const GENESIS_ACCOUNTS: readonly BootstrapAccount[] = BOOTSTRAP_ACCOUNTS.map(
  ({ address, publicKey }) => ({ address, publicKey, balance: BOOTSTRAP_BALANCE.toString() }),
);

export const ALICE = BOOTSTRAP_ACCOUNTS[1];
export const BOB = BOOTSTRAP_ACCOUNTS[2];

export function driveChain(
  options: Partial<ChainOptions> & {
    readonly commitmentPeriodBlocks?: number;
    readonly challengeWindowBlocks?: number;
  } = {},
): DrivenChain {
  const outbox = new Outbox({
    rollup: ROLLUP_ADDRESS,
    commitmentPeriodBlocks: options.commitmentPeriodBlocks ?? ROLLUP_TIMES.commitmentPeriodBlocks,
    challengeWindowBlocks: options.challengeWindowBlocks ?? ROLLUP_TIMES.challengeWindowBlocks,
  });
  const clock = { now: 1_700_000_000n };
  const driven: DrivenChain = {
    get now() {
      return clock.now;
    },
    set now(seconds) {
      clock.now = seconds;
    },
    outbox,
    faults: [],
    chain: new Chain({
      protocol: protocolOf(DEFAULT_PROTOCOL),
      accounts: GENESIS_ACCOUNTS,
      historyBlocks: 100,
      maxStateBytes: 1_000_000_000,
      strict: false,
      minBlockTime: 1n,
      now: () => clock.now,
      turns: new Turns({ now: () => performance.now(), nextTurn: setImmediate }),
      onFault: (error) => void driven.faults.push(error),
      rollup: {
        address: ROLLUP_ADDRESS,
        parameter: () => parseType(rollupParameter()),
        outboxMessage: (level, commitment, proof) => outbox.verify(level, commitment, proof),
      },
      ...options,
    }),
    fill(drafts, account = ALICE) {
      const first = driven.chain.nextBlock.context.account(account.address)?.counter ?? 0n;
      const contents = drafts.map((draft, i) => ({
        source: account.address,
        fee: "20000",
        counter: (first + 1n + BigInt(i)).toString(),
        gas_limit: "100000",
        storage_limit: "30000",
        ...(draft as WithoutManager<Content>),
      }));
      if (!isContents(contents)) throw new TypeError("no drafts");
      return contents;
    },
    sign(contents, account = ALICE, branch = driven.chain.head.hash) {
      const unsigned = forgeOperation(branch, contents);
      return signedBytes(
        unsigned,
        signBytes(parseSecretKey(account.secretKey), Buffer.concat([Uint8Array.of(3), unsigned])),
      );
    },
    async apply(drafts, account = ALICE) {
      const contents = driven.fill("kind" in drafts ? [drafts] : drafts, account);
      const hash = await driven.chain.inject(driven.sign(contents, account));
      const block = driven.chain.bake();
      return block.operations
        .find((operation) => operation.hash === hash)!
        .contents.map(({ metadata }) => metadata);
    },
    balance: (address) => driven.chain.contextAt(driven.chain.head).account(address)?.balance ?? 0n,
  };
  return driven;
}

/** Ids of the errors in a result, without the protocol's prefix. */
export function errorIds(result: Result): readonly string[] {
  const errors = "errors" in result ? (result.errors ?? []) : [];
  return errors.map((error) =>
    (error as { id: string }).id.replace(protocolOf(DEFAULT_PROTOCOL).errorPrefix, ""),
  );
}
