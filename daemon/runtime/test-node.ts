// Starts a runtime_node for tests, and a fake layer 1.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inject } from "vitest";
import { createRuntimeClient, type RuntimeClient } from "../client/runtime-client.ts";
import { silentLog } from "../parts/log.ts";
import { type Part } from "../parts/part.ts";
import { DEFAULT_GAS_LIMIT } from "../protocol/constants.ts";
import {
  type Operation,
  type OperationContent,
  operationHashHex,
  type SignedOperation,
  signOperation,
} from "../protocol/runtime-operation.ts";
import type { Receipt } from "../protocol/runtime-receipt.ts";
import { randomSecretKey, type SecretKey } from "../tezos/keys.ts";
import { createRuntimeNode, type RuntimeOptions } from "./runtime-node.ts";
import type { HistoryLimits } from "./store/committed-store.ts";

/** Folder with the engine's files and the worker bundles. */
export const engineDirectory = (): string => inject("engineDirectory");

export interface StartedNode {
  readonly part: Part;
  readonly endpoint: string;
  readonly client: RuntimeClient;
  stop(): Promise<void>;
}

/** More than tests make. */
export const TEST_HISTORY: HistoryLimits = {
  receipts: 50_000,
  traces: 1_000,
  deposits: 1_000,
  logRecords: 20_000,
};

/** The owner's secret of a started node. */
export const TEST_SECRET = "a-secret-of-the-owner";

export async function startNode(options: Partial<RuntimeOptions> = {}): Promise<StartedNode> {
  const part = createRuntimeNode({
    host: "127.0.0.1",
    port: 0,
    allowedHosts: [],
    adminSecret: TEST_SECRET,
    rollupEndpoint: undefined,
    engineDirectory: engineDirectory(),
    gasCeiling: 1_000_000_000,
    maxLiveCalls: 5,
    realTime: false,
    history: 10_000,
    oracle: { enabled: true, allowPrivate: false, allowedHosts: [], timeoutLevels: 20 },
    log: silentLog,
    ...options,
  });
  await part.start(new AbortController().signal);
  const client = createRuntimeClient(part.endpoint());
  return { part, endpoint: part.endpoint(), client, stop: () => part.stop(1000) };
}

/** Signs operations with a key and increments the nonce. */
export class Signer {
  readonly key: SecretKey;
  readonly #client: RuntimeClient;
  nonce = 0n;

  constructor(client: RuntimeClient, key: SecretKey = randomSecretKey()) {
    this.#client = client;
    this.key = key;
  }

  get address(): string {
    return this.key.publicKey.address;
  }

  operation(content: OperationContent): Operation {
    return { publicKey: this.key.publicKey.text, nonce: this.nonce++, content };
  }

  sign(content: OperationContent): { signed: SignedOperation; hash: string } {
    const operation = this.operation(content);
    return { signed: signOperation(operation, this.key), hash: operationHashHex(operation) };
  }

  async send(content: OperationContent): Promise<Receipt> {
    const { signed, hash } = this.sign(content);
    await this.#client.inject(signed);
    return this.#client.waitForReceipt(hash);
  }

  /** Deploys a function; returns its address. */
  async deploy(functionCode: string, accountCredit = 0n): Promise<string> {
    const { result } = await this.send({ _type: "DeployFunction", functionCode, accountCredit });
    if (result._type === "Failed") throw new Error(result.inner);
    return (result.inner as { address: string }).address;
  }

  /** Runs a function; the body comes back as text. */
  async run(uri: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const { result } = await this.send(runContent(uri, options));
    if (result._type === "Failed") throw new Error(result.inner);
    const inner = result.inner as {
      statusCode: number;
      body: string | null;
      headers: Record<string, string>;
    };
    return {
      ...inner,
      body: inner.body === null ? null : Buffer.from(inner.body, "base64").toString("utf8"),
    };
  }
}

export function runContent(
  uri: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): OperationContent {
  return {
    _type: "RunFunction",
    uri,
    method: options.method ?? "GET",
    headers: options.headers ?? {},
    body: options.body === undefined ? null : Buffer.from(options.body).toString("base64"),
    gasLimit: BigInt(DEFAULT_GAS_LIMIT),
  };
}

/** The rollup side of layer 1, as the runtime uses it. */
export class FakeRollup {
  #server: Server;
  readonly #levels: string[][] = [[]];
  readonly #streams = new Set<ServerResponse>();
  readonly outbox: { level: number; messages: { id: string; hex: string }[] }[] = [];
  /** Statuses for the next posts to the outbox instead of success. */
  readonly outboxFailures: number[] = [];
  #onOutbox: (() => void) | undefined;

  constructor() {
    this.#server = this.#createServer();
  }

  #createServer(): Server {
    return createServer((request, response) => {
      const block = /^\/global\/block\/(\d+)$/.exec(request.url ?? "");
      if (request.url === "/global/monitor_blocks") {
        this.#streams.add(response);
        response.once("close", () => this.#streams.delete(response));
        response.write(`{"level":${this.#levels.length - 1}}\n`);
      } else if (block) {
        response.end(JSON.stringify({ messages: this.#levels[Number(block[1])] ?? [] }));
      } else if (request.url === "/local/outbox") {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          const failure = this.outboxFailures.shift();
          if (failure === undefined) this.outbox.push(JSON.parse(Buffer.concat(chunks).toString()) as never);
          response.writeHead(failure ?? 200).end("[]");
          if (failure === undefined) this.#onOutbox?.();
        });
      } else {
        response.writeHead(404).end();
      }
    });
  }

  /** Comes back on its old port with its levels. */
  async restart(port: number): Promise<void> {
    this.#server = this.#createServer();
    await this.start(port);
  }

  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Bakes a block with these user messages (hex); returns its level. */
  bake(...messages: string[]): number {
    const level = this.#levels.length;
    this.#levels.push(["0001", `0003${"00".repeat(40)}`, ...messages, "0002"]);
    for (const stream of this.#streams) stream.write(`{"level":${level}}\n`);
    return level;
  }

  outboxPost(): Promise<void> {
    return new Promise((resolve) => {
      this.#onOutbox = resolve;
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
