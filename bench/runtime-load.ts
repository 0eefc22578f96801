// Client side of bench/runtime.mjs: signed counter calls over HTTP, each from injection to its receipt. Runs in
// a process of its own, so that its work is not counted as the server's.
import { Agent, request } from "node:http";
import { stringifyExact } from "../daemon/protocol/exact-json.ts";
import { randomSecretKey, type SecretKey } from "../daemon/protocol/keys.ts";
import {
  operationHashHex,
  type OperationContent,
  signOperation,
} from "../daemon/protocol/runtime-operation.ts";

const COUNTER = `export default () => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  return new Response(String(count));
};`;

const [endpoint = "", operations = "4000", loops = "32"] = process.argv.slice(2);
const base = new URL(endpoint);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function ask(method: string, path: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = request(
      { host: base.hostname, port: base.port, method, path, agent, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

interface Signed {
  readonly hash: string;
  readonly body: string;
}

function sign(key: SecretKey, nonce: bigint, content: OperationContent): Signed {
  const operation = { publicKey: key.publicKey.text, nonce, content };
  return { hash: operationHashHex(operation), body: stringifyExact(signOperation(operation, key)) };
}

/** Injects and waits for the receipt; answers the milliseconds it took. */
async function complete({ hash, body }: Signed): Promise<number> {
  const start = performance.now();
  await ask("POST", "/operations", body);
  const receipt = await ask("GET", `/operations/${hash}/receipt`);
  if (!receipt.includes('"Success"')) throw new Error(receipt);
  return performance.now() - start;
}

const keys = Array.from({ length: Number(loops) }, () => randomSecretKey());
const nonces = keys.map(() => 0n);
function next(sender: number, content: OperationContent): Signed {
  const nonce = nonces[sender]!;
  nonces[sender] = nonce + 1n;
  return sign(keys[sender]!, nonce, content);
}

const deploy = next(0, { _type: "DeployFunction", functionCode: COUNTER, accountCredit: 0n });
await complete(deploy);
const receipt = JSON.parse(await ask("GET", `/operations/${deploy.hash}/receipt`)) as {
  result: { inner: { address: string } };
};
const call: OperationContent = {
  _type: "RunFunction",
  uri: `jstz://${receipt.result.inner.address}/`,
  method: "POST",
  headers: {},
  body: null,
  gasLimit: 550_000n,
};

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

for (let i = 0; i < 200; i++) await complete(next(0, call));
const lone: number[] = [];
for (let i = 0; i < 500; i++) lone.push(await complete(next(0, call)));
lone.sort((a, b) => a - b);

const each = Math.floor(Number(operations) / keys.length);
const windows: { seconds: number; median: number }[] = [];
const windowSize = Math.max(1, Math.floor((each * keys.length) / 10));
let times: number[] = [];
const all: number[] = [];
let windowStart = performance.now();
const start = windowStart;
await Promise.all(
  keys.map(async (_key, sender) => {
    for (let i = 0; i < each; i++) {
      const time = await complete(next(sender, call));
      all.push(time);
      if (times.push(time) === windowSize) {
        times.sort((a, b) => a - b);
        const now = performance.now();
        windows.push({ seconds: (now - windowStart) / 1000, median: percentile(times, 0.5) });
        windowStart = now;
        times = [];
      }
    }
  }),
);
const seconds = (performance.now() - start) / 1000;
all.sort((a, b) => a - b);
agent.destroy();
process.stdout.write(
  `${JSON.stringify({
    operations: all.length,
    perSecond: all.length / seconds,
    median: percentile(all, 0.5),
    p99: percentile(all, 0.99),
    loneMedian: percentile(lone, 0.5),
    loneP99: percentile(lone, 0.99),
    windowSize,
    windows,
  })}\n`,
);
