// The interface of a smart rollup node, and layer 1's RPCs about the rollup: the seam to the runtime.
import type { Address } from "../../tezos/address.ts";
import { MalformedBytes } from "../../tezos/byte-reader.ts";
import { fromHex } from "../../tezos/hex.ts";
import { levelMessages } from "../../tezos/inbox-message.ts";
import { fieldsOf, integerField, listField, textField } from "../../tezos/json-fields.ts";
import { MAX_MESSAGE_BYTES } from "../../tezos/parameters.ts";
import { type Block, hashBytesOf } from "../chain/block.ts";
import type { Chain } from "../chain/chain.ts";
import { type OriginatedRollup, originatedRollups } from "../operations/rollup-registry.ts";
import type { Operator } from "../rollup/operator.ts";
import type { Outbox, OutboxMessage } from "../rollup/outbox.ts";
import type { ContextReader } from "../state/context.ts";
import { isExecuted } from "../state/executed.ts";
import { findBlock } from "./block-id.ts";
import { timestampText } from "./block-json.ts";
import { blockRoute } from "./block-routes.ts";
import { openJsonStream } from "./json-stream.ts";
import { listText } from "./list-answer.ts";
import { naturalOf, throwNotFound } from "./path-values.ts";
import { type Answer, type Rpc } from "./rpc-server.ts";

export interface RollupRoutesOptions {
  readonly rollup: Address;
  readonly outbox: Outbox;
  readonly operator: Operator;
}

const ORIGINATION_LEVEL = 1;
/** Hex digits up to which the messages of a level are inlined in the line about its block. */
const MAX_INLINE_LENGTH = 16_384;

const messageJson = ({ index, level, transactions }: OutboxMessage): object => ({
  outbox_level: level,
  message_index: index.toString(),
  message: {
    kind: "untyped",
    transactions: transactions.map(({ parameters, destination, entrypoint }) => ({
      parameters,
      destination,
      entrypoint,
    })),
  },
});

function* messagesJson(messages: readonly OutboxMessage[]): Iterable<object> {
  for (const message of messages) yield messageJson(message);
}

/** Messages that were not executed, level by level; undefined for each message on the way, to rest at. */
function* pendingLevels(
  outbox: Outbox,
  context: ContextReader,
  isWanted: (message: OutboxMessage) => boolean,
): Iterable<object | undefined> {
  for (const [level, all] of outbox.levels()) {
    const messages: object[] = [];
    for (const message of all) {
      yield undefined;
      const { index: message_index, transactions } = message;
      if (!isExecuted(context, level, message_index) && isWanted(message))
        messages.push({ message_index, message: { kind: "untyped", transactions } });
    }
    if (messages.length > 0) yield { outbox_level: level, messages };
  }
}

export function addRollupRoutes(
  rpc: Rpc,
  chain: Chain,
  { rollup, outbox, operator }: RollupRoutesOptions,
): void {
  const { history } = chain;
  const blockOf = (id: string | undefined): Block => findBlock(history, id ?? "") ?? throwNotFound();
  const get = (path: string, answer: Answer): void => rpc.get(path, answer);

  get("/global/smart_rollup_address", () => rollup);
  get("/global/tezos_level", () => chain.head.level);
  get("/global/tezos_head", () => chain.head.hash);
  get("/global/block/:id/level", ({ params }) => blockOf(params["id"]).level);
  get("/global/block/:id/hash", ({ params }) => blockOf(params["id"]).hash);
  get("/global/block/:id/num_messages", ({ params }) => messagesOf(blockOf(params["id"])).length.toString());
  get("/global/block/:id", ({ params }) => {
    const block = blockOf(params["id"]);
    return {
      block_hash: block.hash,
      level: block.level,
      predecessor: block.predecessor,
      commitment_hash:
        block.level > 0 && outbox.lastPublished(block.level) === block.level
          ? outbox.commitmentHash(block.level)
          : null,
      previous_commitment_hash: outbox.commitmentHash(outbox.lastPublished(Math.max(0, block.level - 1))),
      initial_tick: "0",
      num_ticks: "0",
      messages: messagesOf(block),
    };
  });
  get("/global/last_cemented_commitment", () => ({
    hash: outbox.commitmentHash(outbox.lastCemented(chain.head.level)),
    level: outbox.lastCemented(chain.head.level),
  }));
  get("/local/last_published_commitment", () => ({
    hash: outbox.commitmentHash(outbox.lastPublished(chain.head.level)),
    level: outbox.lastPublished(chain.head.level),
  }));
  get("/local/synchronized", () => "synchronized");
  get("/health", () => ({
    healthy: true,
    degraded: false,
    l1: {
      connection: "connected",
      blocks_late: 0,
      last_seen_head: {
        hash: chain.head.hash,
        level: chain.head.level,
        timestamp: timestampText(chain.head.timestamp),
      },
    },
    active_workers: [],
  }));

  function messagesOf(block: Block): readonly string[] {
    const predecessor = history.byHash(block.predecessor) ?? history.genesis;
    return levelMessages(predecessor.timestamp, hashBytesOf(predecessor), block.messages);
  }

  rpc.stream("/global/monitor_blocks", (_call, reply) => {
    // Inlining is our extension: a follower that understands it need not request the level.
    const line = (block: Block): object => {
      const { level, hash, messages } = block;
      const length = messages.reduce((sum, message) => sum + message.length, 0);
      const isInline = messages.length > 0 && length <= MAX_INLINE_LENGTH;
      return {
        level,
        hash,
        inbox_messages: messages.length,
        ...(isInline ? { messages: messagesOf(block) } : {}),
      };
    };
    const stream = openJsonStream(reply);
    void stream.closed.then(chain.onBlock((block) => stream.send(line(block))));
    stream.send(line(chain.head));
  });

  rpc.post("/local/batcher/injection", async ({ body }) => {
    const isMessage = (text: string): boolean => (fromHex(text)?.length ?? Infinity) < MAX_MESSAGE_BYTES;
    const expected = `hex of at most ${MAX_MESSAGE_BYTES - 1} bytes`;
    const messages = listField(body, "body", "a list of hex texts", { least: 1, most: 1_000 }).map(
      (text, i) => textField(text, `[${i}]`, expected, isMessage).toLowerCase(),
    );
    const operation = await operator.inject((manager) => ({
      kind: "smart_rollup_add_messages",
      ...manager,
      gas_limit: "1000000",
      message: messages,
    }));
    return messages.map((_, i) => `${operation}:${i}`);
  });

  rpc.post("/local/outbox", ({ body }) => {
    const fields = fieldsOf(body, "body");
    const most = chain.head.level;
    const level = integerField(fields["level"], "level", { least: 0, most }, "a level of this chain");
    const messages = listField(fields["messages"], "messages", "a list of messages", { most: 1_000 });
    const parsed = messages.map((message, i) => {
      const { hex, id } =
        typeof message === "string" ? { hex: message, id: undefined } : fieldsOf(message, `messages[${i}]`);
      const bytes = typeof hex === "string" ? fromHex(hex) : undefined;
      if (!bytes || (id !== undefined && typeof id !== "string"))
        throw new MalformedBytes("expected hex, or {hex, id}");
      return { bytes, id };
    });
    return parsed.map(({ bytes, id }) => {
      const message = outbox.add(level, bytes, id);
      operator.watch(message);
      return { outbox_level: message.level, message_index: message.index };
    });
  });

  type IsWanted = (message: OutboxMessage) => boolean;
  const pending = (path: string, isWanted: IsWanted): void =>
    get(`/local/outbox/pending${path}`, (call) =>
      chain.trials.tryOut(() => listText(pendingLevels(outbox, chain.headContext, isWanted)), call),
    );
  const isExecutable = (message: OutboxMessage): boolean =>
    outbox.executableFrom(message.level) <= chain.head.level;
  pending("/executable", isExecutable);
  pending("/unexecutable", (message) => !isExecutable(message));
  pending("", () => true);
  get("/global/block/:id/outbox/:level/messages", (call) => {
    blockOf(call.params["id"]);
    const messages = outbox.at(naturalOf(call.params["level"]));
    return chain.trials.tryOut(() => listText(messagesJson(messages)), call);
  });
  get("/global/block/:id/helpers/proofs/outbox/:level/messages", ({ params, query }) => {
    const block = blockOf(params["id"]);
    return (
      outbox.proofOf(naturalOf(params["level"]), naturalOf(query["index"]), block.level) ?? throwNotFound()
    );
  });

  const others = (block: Block): ReturnType<typeof originatedRollups> =>
    originatedRollups(chain.contextAt(block));
  blockRoute(rpc, chain, "/context/smart_rollups/all", (block) => [
    rollup,
    ...others(block).map(({ address }) => address),
  ]);
  blockRoute(rpc, chain, "/context/smart_rollups/all/inbox", (block) => ({
    level: block.level,
    old_levels_messages: { index: block.level, content: block.hash, back_pointers: [] },
  }));
  const ofRollup = (
    path: string,
    answer: (block: Block) => unknown,
    ofAnother: (other: OriginatedRollup) => unknown,
  ): void =>
    blockRoute(rpc, chain, `/context/smart_rollups/smart_rollup/:rollup/${path}`, (block, { params }) => {
      if (params["rollup"] === rollup) return answer(block);
      const other = others(block).find(({ address }) => address === params["rollup"]);
      return other ? ofAnother(other) : throwNotFound();
    });
  ofRollup(
    "kind",
    () => "riscv",
    ({ kind }) => kind,
  );
  ofRollup(
    "genesis_info",
    () => ({ level: ORIGINATION_LEVEL, commitment_hash: outbox.commitmentHash(0) }),
    ({ level, genesisCommitment }) => ({ level, commitment_hash: genesisCommitment }),
  );
  ofRollup(
    "last_cemented_commitment_hash_with_level",
    (block) => ({
      hash: outbox.commitmentHash(outbox.lastCemented(block.level)),
      level: outbox.lastCemented(block.level),
    }),
    ({ level, genesisCommitment }) => ({ hash: genesisCommitment, level }),
  );
  ofRollup(
    "stakers",
    () => [],
    () => [],
  );
}
