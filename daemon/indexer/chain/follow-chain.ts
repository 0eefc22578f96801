// Follows a layer 1 over its public RPC: catches up from the blocks that it keeps, then applies each new one. Scripts of
// unknown contracts that a block names are fetched before the block is applied.
import { decodeAnswer } from "../../client/decode-answer.ts";
import { httpRequestText, linesOf, openHttp } from "../../client/http-json.ts";
import type { Log } from "../../parts/log.ts";
import { isError, reasonOf, SandboxError } from "../../protocol/errors.ts";
import { pause } from "../../protocol/wait.ts";
import { isOriginated } from "../../tezos/address.ts";
import {
  fieldsOf,
  integerField,
  levelField,
  MalformedJson,
  michelineField,
  textField,
} from "../../tezos/json-fields.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { applyBlock } from "./apply-block.ts";
import { ChainIndex } from "./chain-index.ts";
import type { BlockRow } from "./index-rows.ts";
import type { RpcBlock, RpcContent } from "./rpc-block.ts";
import { holdsAt, type Restored } from "./timeline.ts";

/** Blocks in flight while it catches up, unless they are large. */
const AHEAD = 8;
/** Bytes of a block; one with more is skipped, for the thread has no room for its parsed form. */
const MAX_BLOCK_BYTES = 24 * 1024 * 1024;
/** Bytes of any other answer. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Characters of a large block. */
const LARGE = 1024 * 1024;
const RETRY_MS = 500;
/** Statuses of a busy layer 1. */
const BUSY = new Set([429, 502, 503, 504]);
const what = "The layer 1 node";
/** At most this many contracts from before the oldest kept block are loaded. */
const MAX_FOUND = 500;

export interface FollowChainOptions {
  readonly endpoint: string;
  /** Blocks to keep, and to catch up with at most. */
  readonly maxBlocks: number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Snapshots restored before. */
  readonly restored: readonly Restored[];
  /** Levels of blocks whose operations are skipped. */
  readonly skipped: readonly number[];
  /** Level of the block being read, which may exceed the heap; undefined when done. */
  readonly onReading: (level: number | undefined) => void;
  /** A new head, after catching up. */
  readonly onHead: (block: BlockRow) => void;
  /** Reported blocks above a level are undone. The valid ones follow. */
  readonly onReorganisation: (level: number) => void;
}

export interface FollowedChain {
  /** A snapshot was restored: rebuilds the index from the valid blocks. */
  readonly restore: (restored: Restored) => void;
  readonly index: () => ChainIndex;
  /** Resolves when the index has caught up with the head at the time of the call. @throws SandboxError NETWORK_UNREACHABLE */
  readonly upToDate: () => Promise<ChainIndex>;
  /** Reads JSON from layer 1; undefined for status 404. @throws SandboxError NETWORK_UNREACHABLE, ANSWER_MALFORMED */
  readonly ask: (path: string) => Promise<unknown>;
}

export function followChain(options: FollowChainOptions): FollowedChain {
  const { endpoint, signal, log } = options;
  let index = new ChainIndex(options.maxBlocks);
  const skipped = new Set(options.skipped);
  /** Blocks above this level are reported. */
  let reportAfter = Infinity;
  /** The level of a reorganisation that is not reported yet. */
  let pendingReport: number | undefined;
  let catching: Promise<void> | undefined;
  const restored = [...options.restored];
  let holds = holdsAt(restored);
  /** The level after which blocks were undone: rebuild the index before anything else. */
  let undoneAfter: number | undefined;

  async function text(path: string, maxBytes = MAX_BYTES): Promise<string | undefined> {
    const { status, body } = await httpRequestText(`${endpoint}${path}`, { what, signal, maxBytes });
    // A busy node is not an empty answer: no block may be skipped because of it.
    if (BUSY.has(status))
      throw new SandboxError("NETWORK_UNREACHABLE", { what, endpoint, reason: `it answers ${status}` });
    return status === 200 ? body : undefined;
  }
  /** An answer as `read` decodes it; undefined for status 404. @throws SandboxError NETWORK_UNREACHABLE, ANSWER_MALFORMED */
  async function read<T>(path: string, decode: (json: unknown) => T): Promise<T | undefined> {
    const body = await text(path);
    return body === undefined ? undefined : decodeAnswer({ what, url: `${endpoint}${path}` }, body, decode);
  }
  const ask = (path: string): Promise<unknown> => read(path, (json) => json);

  const blockText = (level: number): Promise<string | undefined> =>
    holds(level) && !skipped.has(level) ? text(pathOf(level), MAX_BLOCK_BYTES) : Promise.resolve(undefined);

  function skip(level: number, error: unknown): void {
    log.error({ level, reason: reasonOf(error) }, "this block cannot be read: its operations are skipped");
    skipped.add(level);
  }

  /** Skips a block whose answer cannot be read. @throws any other error */
  function skipMalformed(level: number, error: unknown): undefined {
    if (!isError(error, "ANSWER_MALFORMED")) throw error;
    skip(level, error);
  }

  /** @param got its text, undefined for a skipped block */
  async function readBlock(level: number, got: string | undefined): Promise<RpcBlock | undefined> {
    const url = `${endpoint}${pathOf(level)}`;
    if (got !== undefined)
      try {
        return decodeAnswer({ what, url }, got, blockOf);
      } catch (error) {
        skipMalformed(level, error);
      }
    if (!skipped.has(level) || !holds(level)) return undefined;
    index.skipped.add(level);
    return headerOf(level);
  }

  const scriptAt = (address: string, level: number | "head"): Promise<Script | undefined> =>
    read(`${pathOf(level)}/context/contracts/${address}/script`, scriptOf);

  function add(
    address: string,
    script: Script | undefined,
    { header }: RpcBlock,
    creator: string | undefined,
  ): void {
    if (script === undefined) return;
    index.addContract(address, script, {
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

  /** Reads a block without its operations. */
  async function headerOf(level: number): Promise<RpcBlock | undefined> {
    return read(`${pathOf(level)}/header`, (json) =>
      blockOf({ ...fieldsOf(json, "body"), header: json, operations: [] }),
    );
  }

  function reportPending(): void {
    if (pendingReport === undefined) return;
    options.onReorganisation(pendingReport);
    pendingReport = undefined;
  }

  /** Loads the contracts from before the kept blocks, genesis included. Real nodes do not list theirs. */
  async function loadExisting(first: RpcBlock): Promise<void> {
    const listed = await ask("/chains/main/blocks/head/context/contracts").catch(() => undefined);
    if (!Array.isArray(listed)) return;
    const contracts = listed.filter((each): each is string => typeof each === "string" && isOriginated(each));
    // Contracts originated in later blocks have no script yet at this level, and are skipped.
    for (const address of contracts.slice(0, MAX_FOUND))
      add(address, await scriptAt(address, first.header.level), first, undefined);
  }

  async function catchUp(): Promise<void> {
    const header = await read(`${pathOf("head")}/header`, headOf);
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
        asked.catch(() => undefined); // a failure is thrown when its turn comes
        waiting.push(asked);
        next++;
      }
      options.onReading(level);
      try {
        const got = await waiting.shift()!.catch((error: unknown) => skipMalformed(level, error));
        ahead = got !== undefined && got.length > LARGE ? 1 : Math.min(AHEAD, 2 * ahead);
        const block = await readBlock(level, got);
        if (block === undefined) continue; // undone, or no longer kept
        const before = index.head;
        if (before !== undefined && block.header.predecessor !== before.hash && before.level === level - 1)
          return await reorganise(level - 2);
        if (before === undefined) await loadExisting(block);
        const hadForgotten = index.hasForgotten;
        const row = await apply(block);
        if (index.hasForgotten && !hadForgotten)
          log.warn({ level }, "big maps and contracts take too much memory: keys of some are forgotten");
        if (level <= reportAfter) continue;
        reportPending();
        options.onHead(row);
      } catch (error) {
        if (error instanceof SandboxError || skipped.has(level)) throw error;
        skip(level, error);
        return await reorganise(level - 1);
      } finally {
        options.onReading(undefined);
      }
    }
    if (reportAfter !== Infinity) reportPending();
    reportAfter = top;
  }

  /** The lowest level to index, bounded by the blocks that layer 1 keeps. */
  async function firstLevel(top: number): Promise<number> {
    const savepoint = await read("/chains/main/levels/savepoint", (json) =>
      levelField(fieldsOf(json, "body")["level"], "level"),
    );
    return Math.max(savepoint ?? 0, top - options.maxBlocks + 1, 0);
  }

  async function reorganise(level: number): Promise<void> {
    log.info({ level }, "the chain has changed: rebuilding the index");
    index = new ChainIndex(options.maxBlocks);
    if (reportAfter !== Infinity) {
      reportAfter = Math.min(reportAfter, level);
      pendingReport = reportAfter;
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
        log.debug({ reason: reasonOf(error) }, "the stream of heads broke off, retrying");
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
      // A read in flight may end with an older head.
      await catching?.catch(() => undefined);
      await catchUpOnce();
      return index;
    },
  };
}

const pathOf = (level: number | "head"): string => `/chains/main/blocks/${level}`;

interface Script {
  readonly code: Micheline;
  readonly storage: Micheline;
}

/** @throws MalformedJson */
function scriptOf(json: unknown): Script {
  const { code, storage } = fieldsOf(json, "body");
  if (typeof storage !== "object" || storage === null)
    throw new MalformedJson("storage", "a Micheline expression", storage);
  return { code: michelineField(code, "code"), storage: storage as Micheline };
}

/** @throws MalformedJson */
function headOf(json: unknown): { readonly level: number; readonly hash: string } {
  const { level, hash } = fieldsOf(json, "body");
  return { level: levelField(level, "level"), hash: textField(hash, "hash") };
}

/**
 * Checks what every block needs. Its operations are read as they are: one of another shape fails, and its block is skipped.
 * @throws MalformedJson
 */
function blockOf(json: unknown): RpcBlock {
  const block = fieldsOf(json, "body");
  const header = fieldsOf(block["header"], "header");
  levelField(header["level"], "header.level");
  integerField(header["proto"], "header.proto", { least: 0, most: 255 });
  for (const name of ["predecessor", "timestamp"]) textField(header[name], `header.${name}`);
  for (const name of ["protocol", "chain_id", "hash"]) textField(block[name], name);
  return block as unknown as RpcBlock;
}

/** Contracts that a block names, and whether it originates them. */
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
