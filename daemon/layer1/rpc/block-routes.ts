// RPCs about the chain and its blocks.
import { OPERATION_TTL } from "../../tezos/parameters.ts";
import { type Block, contextHashOf, headerHex, protocolDataHex } from "../chain/block.ts";
import { type Chain } from "../chain/chain.ts";
import type { Producer } from "../chain/producer.ts";
import type { Job } from "../job.ts";
import { findBlock } from "./block-id.ts";
import {
  blockHead,
  headerJson,
  metadataJson,
  operationText,
  protocolHeader,
  protocolsOf,
  shellHeader,
  timestampText,
} from "./block-json.ts";
import { AnswerText, listText } from "./list-answer.ts";
import { naturalOf, throwNotFound } from "./path-values.ts";
import { type Call, NotFound, type Rpc } from "./rpc-server.ts";

/** Bytes of operations that are written in one go. */
const SMALL_BLOCK = 131_072;

/** Chain of a path: `main` or our chain id. @throws NotFound */
export function checkChain(chain: Chain, { params }: Call): void {
  if (params["chain"] !== "main" && params["chain"] !== chain.chainId) throw new NotFound();
}

/** Block of a path. @throws NotFound */
export function blockOf(chain: Chain, call: Call): Block {
  checkChain(chain, call);
  const block = findBlock(chain.history, call.params["block"]!);
  if (!block) throw new NotFound();
  return block;
}

/** Adds `GET /chains/:chain/blocks/:block<path>`. */
export function blockRoute(
  rpc: Rpc,
  chain: Chain,
  path: string,
  answer: (block: Block, call: Call) => unknown,
): void {
  rpc.get(`/chains/:chain/blocks/:block${path}`, (call) => answer(blockOf(chain, call), call));
}

/** Answers at once what is short; a longer answer is made in turns with other work. */
export function inTurns<T>(chain: Chain, make: () => Job<T>, call: Call): T | Promise<T> {
  const first = make().next();
  return first.done ? first.value : chain.trials.tryOut(make, call);
}

/** Adds `GET /chains/:chain/blocks/:block<path>` that answers a list of any length; see `listText`. */
export function listRoute(
  rpc: Rpc,
  chain: Chain,
  path: string,
  items: (block: Block, call: Call) => Iterable<unknown>,
): void {
  blockRoute(rpc, chain, path, (block, call) =>
    chain.trials.tryOut(() => listText(items(block, call)), call),
  );
}

export function addBlockRoutes(rpc: Rpc, chain: Chain, producer: Producer): void {
  const { history, chainId } = chain;
  const onChain = (path: string, answer: (call: Call) => unknown): void =>
    rpc.get(`/chains/:chain${path}`, (call) => {
      checkChain(chain, call);
      return answer(call);
    });

  onChain("/chain_id", () => chainId);
  onChain("/is_bootstrapped", () => ({ bootstrapped: true, sync_state: "synced" }));
  onChain("/invalid_blocks", () => []);
  onChain("/levels/checkpoint", () => levelJson(history.at(history.oldest) ?? history.genesis));
  onChain("/levels/savepoint", () => levelJson(history.at(history.oldest) ?? history.genesis));
  onChain("/levels/caboose", () => levelJson(history.genesis));
  onChain("/blocks", ({ query }) => {
    const length = Math.min(Math.max(1, Number(query["length"]) || 1), 10_000);
    const start = query["head"] === undefined ? chain.head : findBlock(history, query["head"]);
    const hashes: string[] = [];
    for (
      let block = start;
      block && hashes.length < length;
      block = block.level === 0 ? undefined : history.at(block.level - 1)
    )
      hashes.push(block.hash);
    return start ? [hashes] : [];
  });

  const route = (path: string, answer: (block: Block, call: Call) => unknown): void =>
    blockRoute(rpc, chain, path, answer);
  /**
   * Reading the head's operations shows the client its own; reading hashes does not count, for clients do that first, nor does
   * reading the whole block of a level, as those do who follow the chain, our indexer among them, and not an operation.
   */
  const noteHead = (block: Block): Block => {
    if (block === chain.head) producer.headSeen();
    return block;
  };
  /** An answer with all operations of a block; those of a large one are written in pieces. */
  const withOperations = (block: Block, call: Call, text: (operations: string) => string): unknown =>
    block.operationBytes <= SMALL_BLOCK
      ? new AnswerText(text(`[${[...operationsOf(block, chainId)].map((each) => each.text).join(",")}]`))
      : chain.trials.tryOut(function* () {
          return new AnswerText(text((yield* listText(operationsOf(block, chainId))).text));
        }, call);
  route("", (block, call) => {
    const head = blockHead(block, chainId);
    const isOfLevel = /^\d+$/.test(call.params["block"]!);
    return withOperations(
      isOfLevel ? block : noteHead(block),
      call,
      (operations) => `${JSON.stringify(head).slice(0, -1)},"operations":${passes(block, operations)}}`,
    );
  });
  route("/hash", (block) => block.hash);
  route("/header", (block) => headerJson(block, chainId));
  route("/header/raw", (block) => headerHex(block));
  route("/context_hash", (block) => contextHashOf(block));
  route("/minimal_valid_time", (block) =>
    timestampText(block.timestamp + chain.nextBlock.frame.minBlockTime),
  );
  route("/header/shell", (block) => shellHeader(block));
  route("/header/protocol_data", (block) => ({
    protocol: protocolsOf(block).protocol,
    ...protocolHeader(block),
  }));
  route("/header/protocol_data/raw", (block) => protocolDataHex(block));
  route("/metadata", (block) => metadataJson(block));
  route("/protocols", (block) => protocolsOf(block));
  route("/operations", (block, call) =>
    withOperations(noteHead(block), call, (operations) => passes(block, operations)),
  );
  route("/operations/:pass", (block, call) => {
    const pass = naturalOf(call.params["pass"]);
    if (pass > 3 || block.level === 0) return throwNotFound();
    if (pass < 3) return [];
    return withOperations(noteHead(block), call, (operations) => operations);
  });
  route("/operation_hashes", (block) =>
    block.level === 0 ? [] : [[], [], [], block.operations.map((operation) => operation.hash)],
  );
  route("/operation_hashes/:pass", (block, { params }) => {
    const pass = naturalOf(params["pass"]);
    if (pass > 3) return throwNotFound();
    return pass === 3 ? block.operations.map((operation) => operation.hash) : [];
  });
  route(
    "/operations/:pass/:index",
    (block, { params }) =>
      new AnswerText(operationText(operationAt(noteHead(block), params), block, chainId)),
  );
  route("/operation_hashes/:pass/:index", (block, { params }) => operationAt(block, params).hash);
  route("/live_blocks", (block) => {
    const hashes: string[] = [];
    for (let level = Math.max(0, block.level - OPERATION_TTL); level <= block.level; level++) {
      const live = history.at(level);
      if (live) hashes.push(live.hash);
    }
    return hashes.sort();
  });
  // Every block is of round zero.
  route("/helpers/consecutive_round_zero", (block) => block.level);
  route("/helpers/current_level", (block) => (metadataJson(block) as { level_info: object }).level_info);
}

function* operationsOf(block: Block, chainId: string): Iterable<AnswerText> {
  for (const operation of block.operations) yield new AnswerText(operationText(operation, block, chainId));
}

/** The four validation passes: consensus, votes, anonymous, manager operations. Genesis has none. */
const passes = (block: Block, operations: string): string =>
  block.level === 0 ? "[]" : `[[],[],[],${operations}]`;

const levelJson = (block: Block): object => ({ block_hash: block.hash, level: block.level });

function operationAt(block: Block, params: Call["params"]): Block["operations"][number] {
  const operation =
    naturalOf(params["pass"]) === 3 ? block.operations[naturalOf(params["index"])] : undefined;
  return operation ?? throwNotFound();
}
