// layer1_node as a part of the sandbox: assembles the chain, its producer, the rollup's outbox and the HTTP interface,
// and starts and stops them.
import type { FastifyInstance } from "fastify";
import { closeServer, listen } from "../http/listen.ts";
import { createServer } from "../http/server.ts";
import { timeOfDay } from "../local/time-of-day.ts";
import { afterABreath } from "../parts/breath.ts";
import type { Log } from "../parts/log.ts";
import type { Part, PartHealth } from "../parts/part.ts";
import { ROLLUP_ADDRESS } from "../protocol/constants.ts";
import { reasonOf } from "../protocol/errors.ts";
import { type ProtocolName, protocolOf } from "../tezos/protocols.ts";
import { rollupParameter } from "./chain/bridge-scripts.ts";
import { ChainClock, type Clock } from "./chain/chain-clock.ts";
import { Chain } from "./chain/chain.ts";
import type { BootstrapAccount } from "./chain/genesis.ts";
import { Producer, type Timing } from "./chain/producer.ts";
import { createLayer1Snapshots } from "./chain/snapshots.ts";
import { parseType } from "./michelson/parse-type.ts";
import { type Type } from "./michelson/type.ts";
import { Operator } from "./rollup/operator.ts";
import { Outbox } from "./rollup/outbox.ts";
import { addAdminRoutes } from "./rpc/admin-routes.ts";
import { addBigMapRoutes } from "./rpc/big-map-routes.ts";
import { addBlockRoutes } from "./rpc/block-routes.ts";
import { addConsensusRoutes } from "./rpc/consensus-routes.ts";
import { protocolConstants } from "./rpc/constants.ts";
import { addContextRoutes } from "./rpc/context-routes.ts";
import { addDelegateRoutes } from "./rpc/delegate-routes.ts";
import { addMonitorRoutes } from "./rpc/monitor-routes.ts";
import { addOperationRoutes } from "./rpc/operation-routes.ts";
import { addRollupRoutes } from "./rpc/rollup-routes.ts";
import { accessOf, prepareRpc, takesTurns } from "./rpc/rpc-server.ts";
import { addScriptDataRoutes } from "./rpc/script-data-routes.ts";
import { addScriptRoutes } from "./rpc/script-routes.ts";
import { Turns } from "./turns.ts";
import { workClock } from "./work-clock.ts";

export interface Layer1Options {
  readonly host: string;
  /** 0 picks any free port. */
  readonly port: number;
  readonly log: Log;
  /** Protocol that the chain follows. */
  readonly protocol: ProtocolName;
  /** Further host names that requests may be addressed to. */
  readonly allowedHosts?: readonly string[];
  /** The owner's secret, required to control time and state and to send withdrawals. Undefined closes those routes. */
  readonly adminSecret?: string | undefined;
  /** Seconds between blocks while idle; fractions are allowed. */
  readonly blockTimeSeconds: number;
  /** "instant": a block when an operation arrives, and one each block time. "interval" and "real": the latter only. */
  readonly timing: Timing;
  /** One operation per source and block, branches as short-lived as on a real chain. Always on with timing "real". */
  readonly strict: boolean;
  /** Levels below the head whose blocks and states stay readable. */
  readonly historyBlocks: number;
  /** Approximate bytes of memory that accounts, contracts, big maps and tickets may occupy. */
  readonly maxStateBytes?: number;
  /** Blocks that one commitment covers. */
  readonly commitmentPeriodBlocks: number;
  /** Blocks until a commitment is cemented. */
  readonly challengeWindowBlocks: number;
  /** Execute withdrawals automatically once they may be. */
  readonly autoExecuteWithdrawals: boolean;
  /** Blocks to wait after a withdrawal becomes executable. */
  readonly withdrawalDelayBlocks: number;
  /** All accounts at genesis. */
  readonly bootstrapAccounts: readonly BootstrapAccount[];
  readonly clock?: Clock;
}

/** A prune scans the whole outbox; once in 64 blocks is often enough. */
const PRUNE_EVERY_BLOCKS = 64;
/** Some hundred contracts of the usual size, and some ten thousand accounts and entries of big maps. */
const MAX_STATE_BYTES = 128 * 1024 * 1024;

interface Running {
  readonly server: FastifyInstance;
  readonly producer: Producer;
  readonly chain: Chain;
  readonly endpoint: string;
}

/** The built-in layer 1. It serves the Tezos RPC, the rollup node's interface and `/admin` on one port. */
export function createLayer1Node(options: Layer1Options): Part {
  let running: Running | undefined;
  let failure: string | undefined;

  return {
    name: "layer1_node",
    needs: [],
    async start(signal) {
      signal.throwIfAborted();
      failure = undefined;
      running = await startNode(options, (error) => {
        failure = reasonOf(error);
      });
      // A new block shows that the failure is over.
      running.chain.onBlock(() => {
        failure = undefined;
      });
    },
    endpoint() {
      if (!running) throw new Error("layer1_node is not started");
      return running.endpoint;
    },
    health(): PartHealth {
      if (failure !== undefined) return { healthy: false, detail: `no blocks can be made: ${failure}` };
      if (!running) return { healthy: false, detail: "not started" };
      const paused = running.producer.isPaused ? ", paused" : "";
      return { healthy: true, detail: `level ${running.chain.head.level}${paused}` };
    },
    async stop(deadlineMs) {
      const stopping = running;
      running = undefined;
      if (!stopping) return;
      stopping.producer.stop();
      await closeServer(stopping.server, deadlineMs);
    },
  };
}

async function startNode(options: Layer1Options, onError: (error: unknown) => void): Promise<Running> {
  const { log, host, port, timing, blockTimeSeconds, commitmentPeriodBlocks, challengeWindowBlocks } =
    options;
  const strict = timing === "real" || options.strict;
  const clock = new ChainClock(options.clock ?? { now: timeOfDay });
  const outbox = new Outbox({ rollup: ROLLUP_ADDRESS, commitmentPeriodBlocks, challengeWindowBlocks });
  let parameter: Type | undefined;
  const turns = new Turns({ now: workClock(), nextTurn: (run) => afterABreath(run, 8) });
  const protocol = protocolOf(options.protocol);
  const chain = new Chain({
    protocol,
    accounts: options.bootstrapAccounts,
    historyBlocks: options.historyBlocks,
    maxStateBytes: options.maxStateBytes ?? MAX_STATE_BYTES,
    strict,
    minBlockTime: BigInt(Math.max(1, Math.round(blockTimeSeconds))),
    now: () => clock.seconds(),
    turns,
    onFault: (error) =>
      log.error(
        { reason: reasonOf(error), stack: (error as Error).stack },
        "unexpected failure caught; the chain continues",
      ),
    rollup: {
      address: ROLLUP_ADDRESS,
      parameter: () => (parameter ??= parseType(rollupParameter())),
      outboxMessage: (level, commitment, proof) => outbox.verify(level, commitment, proof),
    },
  });
  const producer = new Producer(chain, {
    timing,
    blockTimeMs: blockTimeSeconds * 1000,
    onError: (error) => {
      log.error({ reason: reasonOf(error) }, "no block could be made");
      onError(error);
    },
  });
  const operator = new Operator(chain, outbox, {
    rollup: ROLLUP_ADDRESS,
    autoExecute: options.autoExecuteWithdrawals,
    delayBlocks: options.withdrawalDelayBlocks,
    strict,
    log,
    onInjected: (hash) => producer.acceptedOwn(hash),
  });
  chain.onBlock((block) => {
    operator.included(block.operations);
    void operator.run();
    if (block.level % PRUNE_EVERY_BLOCKS === 0)
      outbox.prune(block.level, chain.history.oldest, chain.contextAt(block));
  });
  const snapshots = createLayer1Snapshots(chain, producer, outbox, operator);

  const server = createServer({
    name: "layer1_node",
    log,
    access: accessOf,
    isRead: takesTurns,
    adminSecret: options.adminSecret,
    ...(options.allowedHosts && { allowedHosts: options.allowedHosts }),
  });
  const constants = protocolConstants({
    protocol,
    blockTimeSeconds,
    commitmentPeriodBlocks,
    challengeWindowBlocks,
  });
  // In a scope of its own, because RPC errors have a form of their own.
  await server.register((scope, _options, done) => {
    const rpc = prepareRpc(scope, log, turns, protocol);
    addBlockRoutes(rpc, chain, producer);
    addContextRoutes(rpc, chain, constants);
    addDelegateRoutes(rpc, chain);
    addBigMapRoutes(rpc, chain);
    addConsensusRoutes(rpc, chain);
    addOperationRoutes(rpc, chain, producer);
    addScriptRoutes(rpc, chain);
    addScriptDataRoutes(rpc, chain);
    addAdminRoutes(rpc, { chain, producer, clock, snapshots });
    addMonitorRoutes(rpc, chain);
    addRollupRoutes(rpc, chain, { rollup: ROLLUP_ADDRESS, outbox, operator });
    done();
  });
  const endpoint = await listen(server, {
    host,
    port,
    purpose: "layer1_node",
    configKey: "layer1_node.rpc_endpoint",
  });
  producer.start();
  return {
    server,
    producer,
    chain,
    endpoint,
  };
}
