// Follows a layer 1 by its public interface: catches up from the blocks that it keeps, then takes each new one. Scripts of
// contracts that a block is the first to name are asked for before the block is applied.
import { httpRequestText, linesOf, openHttp } from "../../client/http-json.ts";
import type { Log } from "../../parts/log.ts";
import { reasonOf, SandboxError } from "../../protocol/errors.ts";
import { pause } from "../../protocol/wait.ts";
import { isOriginated } from "../../tezos/address.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { applyBlock } from "./apply-block.ts";
import { ChainIndex } from "./chain-index.ts";
import type { BlockRow } from "./index-rows.ts";
import type { RpcBlock, RpcContent } from "./rpc-block.ts";
import { holdsAt, type Restored } from "./timeline.ts";

/** Blocks that are asked for at once while it catches up, unless they are large. */
const AHEAD = 8;
/** Characters of a large one. */
const LARGE = 1024 * 1024;
const RETRY_MS = 500;
/** Statuses of a layer 1 that is busy. */
const BUSY = new Set([429, 502, 503, 504]);
const what = "The layer 1 node";
/** Contracts that are there from before the oldest kept block, of which at most so many are looked at. */
const MAX_FOUND = 500;

export interface FollowChainOptions {
  readonly endpoint: string;
  /** Blocks that are kept, and that it catches up with at most. */
  readonly maxBlocks: number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Snapshots that were restored before. */
  readonly restored: readonly Restored[];
  /** Levels of blocks whose operations are left out. */
  readonly skipped: readonly number[];
  /** A block is being read, which may be more than there is room for; undefined: none any more. */
  readonly onReading: (level: number | undefined) => void;
  /** A block has become the head, after the catching up. */
  readonly onHead: (block: BlockRow) => void;
  /** What was told of blocks above a level is void. Those that hold follow. */
  readonly onReorganisation: (level: number) => void;
}

export interface FollowedChain {
  /** A snapshot was restored: the index is made anew, of the blocks that hold. */
  readonly restore: (restored: Restored) => void;
  readonly index: () => ChainIndex;
  /** Resolves when the index has a head that layer 1 had after the call. @throws SandboxError NETWORK_UNREACHABLE */
  readonly upToDate: () => Promise<ChainIndex>;
  /** Asks layer 1 for JSON; undefined when there is no such thing. @throws SandboxError NETWORK_UNREACHABLE */
  readonly ask: (path: string) => Promise<unknown>;
}

export function followChain(options: FollowChainOptions): FollowedChain {
  const { endpoint, signal, log } = options;
  let index = new ChainIndex(options.maxBlocks);
  const skipped = new Set(options.skipped);
  /** Blocks above this level are told of. */
  let toldUpTo = Infinity;
  /** The level of a reorganisation that has still to be told of. */
  let owed: number | undefined;
  let catching: Promise<void> | undefined;
  const restored = [...options.restored];
  let holds = holdsAt(restored);
  /** The level up to which the index has to be made anew before anything else. */
  let undoneAfter: number | undefined;

  async function text(path: string): Promise<string | undefined> {
    const { status, body } = await httpRequestText(`${endpoint}${path}`, { what, signal });
    // What it does not tell now it may tell soon: a block must not be missing because of that.
    if (BUSY.has(status))
      throw new SandboxError("NETWORK_UNREACHABLE", { what, endpoint, reason: `it answers ${status}` });
    return status === 200 ? body : undefined;
  }
  const ask = async (path: string): Promise<unknown> => {
    const body = await text(path);
    return body === undefined ? undefined : (JSON.parse(body) as unknown);
  };

  const blockText = (level: number): Promise<string | undefined> =>
    holds(level) && !skipped.has(level) ? text(`/chains/main/blocks/${level}`) : Promise.resolve(undefined);

  /** @param got its text, unless it is left out */
  async function readBlock(level: number, got: string | undefined): Promise<RpcBlock | undefined> {
    if (got !== undefined) return JSON.parse(got) as RpcBlock;
    if (!skipped.has(level) || !holds(level)) return undefined;
    index.skipped.add(level);
    return headerOf(level);
  }

  const scriptAt = (address: string, level: number | "head"): Promise<unknown> =>
    ask(`/chains/main/blocks/${level}/context/contracts/${address}/script`);

  function add(address: string, script: unknown, { header }: RpcBlock, creator: string | undefined): void {
    if (script === undefined) return;
    index.addContract(address, script as { code: Micheline; storage: Micheline }, {
      level: header.level,
      time: header.timestamp,
      creator: creator === undefined ? null : { address: creator },
    });
  }

  async function learn(address: string, block: RpcBlock, isNew: boolean): Promise<void> {
    const script = (await scriptAt(address, block.header.level)) ?? (await scriptAt(address, "head"));
    add(address, script, block, isNew ? creatorOf(block, address) : undefined);
  }

  async function apply(block: RpcBlock): Promise<BlockRow> {
    const named = namedContracts(block);
    const unknown = [...named].filter(([address]) => !index.contracts.has(address));
    await Promise.all(unknown.map(([address, isNew]) => learn(address, block, isNew)));
    return applyBlock(index, block);
  }

  /** A block without its operations. */
  async function headerOf(level: number): Promise<RpcBlock | undefined> {
    const header = (await ask(`/chains/main/blocks/${level}/header`)) as
      (RpcBlock["header"] & Pick<RpcBlock, "protocol" | "chain_id" | "hash">) | undefined;
    if (header === undefined) return undefined;
    const { protocol, chain_id, hash } = header;
    return { protocol, chain_id, hash, header, operations: [] };
  }

  function tellOwed(): void {
    if (owed === undefined) return;
    options.onReorganisation(owed);
    owed = undefined;
  }

  /** Contracts of the genesis and those from before the kept blocks. Real nodes do not list theirs. */
  async function learnFound(first: RpcBlock): Promise<void> {
    const listed = await ask("/chains/main/blocks/head/context/contracts").catch(() => undefined);
    if (!Array.isArray(listed)) return;
    const contracts = listed.filter((each): each is string => typeof each === "string" && isOriginated(each));
    // Those that are made in a block still to come are not there yet at the first one.
    for (const address of contracts.slice(0, MAX_FOUND))
      add(address, await scriptAt(address, first.header.level), first, undefined);
  }

  async function catchUp(): Promise<void> {
    const header = (await ask("/chains/main/blocks/head/header")) as
      { level: number; hash: string } | undefined;
    if (header === undefined)
      throw new SandboxError("NETWORK_UNREACHABLE", { what, endpoint, reason: "it has no head" });
    const known = index.head;
    const top = header.level;
    if (undoneAfter !== undefined) {
      const level = undoneAfter;
      undoneAfter = undefined;
      return reorganise(level);
    }
    if (known?.hash === header.hash) return;
    if (known !== undefined && top <= known.level) return reorganise(top - 1);
    let level = known === undefined ? await firstLevel(top) : known.level + 1;
    const waiting: ReturnType<typeof blockText>[] = [];
    let next = level;
    let ahead = 1;
    for (; level <= top; level++) {
      while (next <= top && next < level + ahead) {
        const asked = blockText(next);
        asked.catch(() => undefined); // one that fails ends all, when its turn comes
        waiting.push(asked);
        next++;
      }
      const got = await waiting.shift()!;
      ahead = got !== undefined && got.length > LARGE ? 1 : Math.min(AHEAD, 2 * ahead);
      options.onReading(level);
      try {
        const block = await readBlock(level, got);
        if (block === undefined) continue; // it is undone, or has fallen out meanwhile
        const before = index.head;
        if (before !== undefined && block.header.predecessor !== before.hash && before.level === level - 1)
          return await reorganise(level - 2);
        if (before === undefined) await learnFound(block);
        const hadForgotten = index.hasForgotten;
        const row = await apply(block);
        if (index.hasForgotten && !hadForgotten)
          log.warn({ level }, "big maps and contracts take too much memory: keys of some are forgotten");
        if (level <= toldUpTo) continue;
        tellOwed();
        options.onHead(row);
      } catch (error) {
        if (error instanceof SandboxError || skipped.has(level)) throw error;
        log.error(
          { level, reason: reasonOf(error) },
          "this block cannot be read, its operations are left out",
        );
        skipped.add(level);
        return await reorganise(level - 1);
      } finally {
        options.onReading(undefined);
      }
    }
    if (toldUpTo !== Infinity) tellOwed();
    toldUpTo = top;
  }

  /** The lowest level of those that are kept, as far as it keeps that many itself. */
  async function firstLevel(top: number): Promise<number> {
    const savepoint = (await ask("/chains/main/levels/savepoint")) as { level?: number } | undefined;
    return Math.max(savepoint?.level ?? 0, top - options.maxBlocks + 1, 0);
  }

  async function reorganise(level: number): Promise<void> {
    log.info({ level }, "the chain is another one, the index begins anew");
    index = new ChainIndex(options.maxBlocks);
    if (toldUpTo !== Infinity) {
      toldUpTo = Math.min(toldUpTo, level);
      owed = toldUpTo;
    }
    await catchUp();
  }

  function catchUpOnce(): Promise<void> {
    catching ??= catchUp().finally(() => (catching = undefined));
    return catching;
  }

  async function followHeads(): Promise<void> {
    const heads = await openHttp(`${endpoint}/monitor/heads/main`, { signal, timeoutMs: 3_600_000 });
    for await (const line of linesOf(heads)) if (line.trim() !== "") await catchUpOnce();
  }

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      try {
        await followHeads();
      } catch (error) {
        if (signal.aborted) return;
        log.debug({ reason: reasonOf(error) }, "following broke off, trying again");
      }
      await pause(RETRY_MS, signal);
    }
  }
  void keep();

  return {
    index: () => index,
    ask,
    restore(snapshot) {
      restored.push(snapshot);
      holds = holdsAt(restored);
      undoneAfter = Math.min(undoneAfter ?? Infinity, snapshot.level);
    },
    async upToDate() {
      // What was asked for before this call may have ended with an older head.
      await catching?.catch(() => undefined);
      await catchUpOnce();
      return index;
    },
  };
}

/** Contracts that a block names, and whether it makes them. */
function namedContracts(block: RpcBlock): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  const look = (content: RpcContent): void => {
    const result = content.metadata?.operation_result ?? content.result;
    for (const address of [content.destination, content.source])
      if (address !== undefined && isOriginated(address) && !found.has(address)) found.set(address, false);
    if (result?.status === "applied")
      for (const made of result.originated_contracts ?? []) found.set(made, true);
    content.metadata?.internal_operation_results?.forEach(look);
  };
  for (const operations of block.operations) for (const { contents } of operations) contents.forEach(look);
  return found;
}

function creatorOf(block: RpcBlock, address: string): string | undefined {
  const from = (content: RpcContent): string | undefined => {
    const result = content.metadata?.operation_result ?? content.result;
    if (result?.originated_contracts?.includes(address) === true) return content.source;
    return content.metadata?.internal_operation_results?.map(from).find((found) => found !== undefined);
  };
  for (const operations of block.operations)
    for (const { contents } of operations)
      for (const content of contents) {
        const found = from(content);
        if (found !== undefined) return found;
      }
  return undefined;
}
