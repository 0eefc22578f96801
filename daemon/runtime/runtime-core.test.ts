import { beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../parts/log.ts";
import { type OperationContent, signOperation } from "../protocol/runtime-operation.ts";
import { secretKeyFromBytes } from "../tezos/keys.ts";
import { mutez } from "../tezos/mutez.ts";
import { ENTRY_CHARACTERS } from "./ledger/ledger.ts";
import { decodeSignedOperation } from "./operations/decode.ts";
import type { Job, JobOutput } from "./operations/jobs.ts";
import { checkSigned } from "./operations/read-operation.ts";
import { MAX_PENDING_DEPOSITS, MAX_QUEUED_BYTES, RuntimeCore } from "./runtime-core.ts";
import { CommittedStore } from "./store/committed-store.ts";
import { runContent, TEST_HISTORY } from "./test-node.ts";

const MIB = 1024 * 1024;
const KEY = secretKeyFromBytes("ed25519", new Uint8Array(32).fill(1));
const ADDRESS = "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ";
let jobs: Job[];
let core: RuntimeCore;
let report: (output: JobOutput) => void;

beforeEach(() => {
  jobs = [];
  core = new RuntimeCore({
    store: new CommittedStore(TEST_HISTORY),
    log: silentLog,
    queueCapacity: 10_000,
    maxCharacters: 5 * ENTRY_CHARACTERS,
    link: (onOutput) => {
      report = onOutput;
      return {
        get queued() {
          return jobs.length;
        },
        failure: undefined,
        submit: (job) => void jobs.push(job),
        amend: () => undefined,
        answerOracle: () => undefined,
      };
    },
    askOutside: () => new Promise(() => undefined),
    sendToLayer1: () => undefined,
    oracleAddress: undefined,
  });
});

function sign(content: OperationContent, spoil = false) {
  const operation = signOperation({ publicKey: KEY.publicKey.text, nonce: 0n, content }, KEY);
  const inner = spoil ? { ...operation.inner, nonce: 1n } : operation.inner;
  return checkSigned(decodeSignedOperation({ ...operation, inner }));
}
function finish(job: Job): void {
  jobs = jobs.filter((other) => other !== job);
  report({
    kind: "finished",
    outcome: {
      seq: job.seq,
      receipt: "{}",
      success: true,
      failure: null,
      statusCode: 200,
      deployed: null,
      writes: [],
      logs: [],
      trace: null,
      outbox: [],
    },
  });
}

describe("the queue", () => {
  const large = runContent(`jstz://${ADDRESS}/`, { method: "POST", body: "x" });

  it("limits queued operations by their bytes, and accepts more when some are done", () => {
    const bytes = MAX_QUEUED_BYTES / 4;
    const results = Array.from({ length: 5 }, () => core.inject(sign(large), bytes));
    expect(results.map((result) => "hash" in result)).toEqual([true, true, true, true, false]);
    expect(results[4]).toEqual({ refused: "queue is full" });
    finish(jobs[0]!);
    expect(core.inject(sign(large), bytes)).toHaveProperty("hash");
    // One is always accepted, however large: the server's limit applies to it.
    while (jobs.length > 0) finish(jobs[0]!);
    expect(core.inject(sign(large), 2 * MAX_QUEUED_BYTES)).toHaveProperty("hash");
  });

  it("rejects operations of new accounts when the ledger is full", () => {
    for (let i = 0; i < 5; i++) core.store.ledger.apply(["account", `tz1${i}`, "0:0"]);
    expect(core.inject(sign(large), MIB)).toEqual({ refused: "storage is full" });
    core.store.ledger.apply(["account", KEY.publicKey.address, "0:0"]);
    expect(core.inject(sign(large), MIB)).toHaveProperty("hash");
  });

  it("counts held jobs as well", () => {
    core.hold();
    for (let i = 0; i < 4; i++) core.inject(sign(large), MAX_QUEUED_BYTES / 4);
    expect(core.inject(sign(large), MAX_QUEUED_BYTES / 4)).toEqual({ refused: "queue is full" });
    core.release();
    for (const job of [...jobs]) finish(job);
    expect(core.inject(sign(large), MAX_QUEUED_BYTES)).toHaveProperty("hash");
  });

  it("strips operations with a wrong signature and unauthorised answers to what the receipt and the list need", () => {
    const body = "x".repeat(MIB / 16);
    const code = "y".repeat(MIB / 16);
    const contents: OperationContent[] = [
      runContent(`jstz://${ADDRESS}/${"p".repeat(MIB / 16)}`, {
        method: "POST",
        body,
        headers: { "x-a": body },
      }),
      { _type: "DeployFunction", functionCode: code, accountCredit: 0n },
    ];
    const answer = {
      status: 200,
      statusText: "",
      headers: [],
      body: Array.from({ length: 10_000 }, () => 1),
    };
    const vain: OperationContent = { _type: "OracleResponse", requestId: 1n, response: answer };
    const good = sign(large);
    const ofNobody = { ...good, operation: { ...good.operation, content: vain } };
    for (const operation of [...contents.map((content) => sign(content, true)), ofNobody]) {
      for (let i = 0; i < 50; i++) expect(core.inject(operation, MIB)).toHaveProperty("hash");
    }
    expect(jobs.filter((job) => job.kind === "operation" && job.refusal !== null)).toHaveLength(100);
    const text = JSON.stringify(jobs, (_key, value: unknown) =>
      typeof value === "bigint" ? Number(value) : value,
    );
    expect(text.length / jobs.length).toBeLessThan(500);
    expect(text).toContain(ADDRESS);
  });
});

it("reads from layer 1 only while there is room for deposits, and rejects none", async () => {
  const deposit = {
    kind: "tez",
    receiver: KEY.publicKey.address,
    amount: mutez(1n),
    source: KEY.publicKey.address,
  } as const;
  const { signal } = new AbortController();
  await core.roomForDeposits(signal);
  for (let index = 0; index < MAX_PENDING_DEPOSITS; index++) core.deposit(deposit, { level: 1, index });
  expect(jobs).toHaveLength(MAX_PENDING_DEPOSITS);
  let isRoom = false;
  const room = core.roomForDeposits(signal).then(() => (isRoom = true));
  await Promise.resolve();
  expect(isRoom).toBe(false);
  finish(jobs[0]!);
  await room;
});
