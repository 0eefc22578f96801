// A core with its executor in the same thread, for tests of what the journal keeps: operations end at once.
import { silentLog } from "../../parts/log.ts";
import { EXCHANGER_ADDRESS, INJECTOR } from "../../protocol/constants.ts";
import { type OperationContent, operationHashHex, signOperation } from "../../protocol/runtime-operation.ts";
import { type SecretKey, secretKeyFromBytes } from "../../tezos/keys.ts";
import { mutez } from "../../tezos/mutez.ts";
import { adaptEngine } from "../call/engine-adapter.ts";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import type { Engine } from "../engine/engine.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { decodeSignedOperation } from "../operations/decode.ts";
import { Executor } from "../operations/executor.ts";
import type { Outcome } from "../operations/jobs.ts";
import { checkSigned } from "../operations/read-operation.ts";
import { RuntimeCore } from "../runtime-core.ts";
import { CommittedStore } from "../store/committed-store.ts";
import { TEST_HISTORY } from "../test-node.ts";
import { replay, type Replaying, type ReplaySettings } from "./replay.ts";

export interface RecordedOptions {
  readonly realTime?: boolean;
  readonly history?: number;
}

export class RecordedRuntime {
  readonly core: RuntimeCore;
  readonly store: CommittedStore;
  readonly replaySettings: ReplaySettings;
  /** By hash, the first of each. */
  readonly outcomes = new Map<string, Outcome>();
  readonly asked: { readonly request: CallRequest; answer(response: CallResponse): void }[] = [];
  readonly #nonces = new Map<string, bigint>();
  #deposits = 0;

  constructor(engine: Engine, { realTime = false, history = TEST_HISTORY.traces }: RecordedOptions = {}) {
    this.store = new CommittedStore({ ...TEST_HISTORY, traces: history });
    this.replaySettings = {
      realTime,
      settings: {
        strict: false,
        maxLiveCalls: 5,
        exchangerAddress: EXCHANGER_ADDRESS,
        injectorAddress: INJECTOR.address,
        oracleAddress: undefined,
        gasScale: 40_000n,
        gasCeiling: 500_000_000n,
        maxUntaken: 65_535,
        maxCharacters: 1_000_000,
      },
    };
    let queued = 0;
    let round = 0;
    const hashes = new Map<number, string>();
    this.core = new RuntimeCore({
      store: this.store,
      log: silentLog,
      queueCapacity: 10_000,
      maxCharacters: this.replaySettings.settings.maxCharacters,
      oracleAddress: undefined,
      askOutside: (request) =>
        new Promise<CallResponse>((resolve) => {
          this.asked.push({ request, answer: resolve });
        }),
      sendToLayer1: () => undefined,
      link: (onOutput) => {
        const guests = adaptEngine(engine, { realTime });
        const executor = new Executor(guests, this.replaySettings.settings, (output) => {
          if (output.kind === "slow") round++;
          if (output.kind === "finished") {
            queued--;
            const hash = hashes.get(output.outcome.seq)!;
            if (!this.outcomes.has(hash)) this.outcomes.set(hash, output.outcome);
          }
          if (output.kind !== "ready" && output.kind !== "slow" && output.kind !== "returned")
            onOutput(output as Parameters<typeof onOutput>[0]);
        });
        return {
          get queued() {
            return queued;
          },
          failure: undefined,
          submit: (job) => {
            queued++;
            hashes.set(job.seq, job.hash);
            executor.accept({ kind: "jobs", round, jobs: [job] });
          },
          amend: (difference) => executor.accept({ kind: "amend", difference }),
          answerOracle: (requestId, response) => executor.accept({ kind: "oracle", requestId, response }),
        };
      },
    });
  }

  /** What a debugger of this runtime needs, besides the folder of its threads. */
  get debuggerOptions(): ReplaySettings & Pick<RuntimeCore, "store" | "putGate"> {
    return { ...this.replaySettings, store: this.store, putGate: (make) => this.core.putGate(make) };
  }

  key(name: string): SecretKey {
    return secretKeyFromBytes("ed25519", new Uint8Array(32).fill(name.charCodeAt(0)));
  }

  /** Sends an operation; returns its hash. */
  send(name: string, content: OperationContent): string {
    const nonce = this.#nonces.get(name) ?? 0n;
    this.#nonces.set(name, nonce + 1n);
    return this.#inject(name, nonce, content);
  }

  /** Sends an operation whose nonce is used up. */
  sendStale(name: string, content: OperationContent): string {
    return this.#inject(name, 0n, content);
  }

  #inject(name: string, nonce: bigint, content: OperationContent): string {
    const key = this.key(name);
    const operation = { publicKey: key.publicKey.text, nonce, content };
    this.core.inject(checkSigned(decodeSignedOperation(signOperation(operation, key))), 500);
    return operationHashHex(operation);
  }

  deploy(name: string, functionCode: string, accountCredit = 0n): string {
    const hash = this.send(name, { _type: "DeployFunction", functionCode, accountCredit });
    const { deployed, failure } = this.outcomes.get(hash)!;
    if (deployed === null) throw new Error(failure ?? "not deployed");
    return deployed;
  }

  deposit(name: string, amount: bigint): void {
    const receiver = this.key(name).publicKey.address;
    const deposit = { kind: "tez", receiver, amount: mutez(amount), source: INJECTOR.address } as const;
    this.core.deposit(deposit, { level: ++this.#deposits, index: 0 });
  }

  /** Nonces of the state that a snapshot brought back. */
  readNonces(): void {
    for (const name of this.#nonces.keys())
      this.#nonces.set(name, this.store.ledger.account(this.key(name).publicKey.address)?.nonce ?? 0n);
  }

  /** The ledger before an operation; undefined when the journal no longer leads there. */
  before(hash: string): Ledger | undefined {
    const entry = this.store.journal.find(hash);
    const since = entry && this.store.journal.since(entry.number);
    if (since === undefined) return undefined;
    const ledger = this.store.ledger.copy();
    for (const { undo } of since) ledger.amend(undo);
    return ledger;
  }

  replay(hash: string, with_: Pick<Replaying, "engine" | "observe">): Outcome | undefined {
    const { run } = this.store.journal.find(hash)!;
    return replay(this.before(hash)!, run!, { ...this.replaySettings, ...with_ });
  }
}

/** What two runs of an operation have in common, whenever and wherever they ran. */
export function essenceOf({ seq: _, circumstances: __, trace, ...rest }: Outcome): unknown {
  const timeless = (key: string, value: unknown): unknown => (key === "durationMs" ? 0 : value);
  return { ...rest, trace: trace === null ? null : (JSON.parse(trace, timeless) as unknown) };
}
