// A layer 1 node of the operator that answers rubbish: the sandbox stays small and fast, and says what is wrong.
import { readFileSync } from "node:fs";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltCli, type ReadyLine, startedSandbox } from "../support/built-cli.ts";
import { amount } from "../support/long-run.ts";

/** Limit of the daemon's growth over its idle memory, in MiB. */
const MAX_GROWTH = 300;
/** Milliseconds within which `/health` answers. */
const SOON = 1_000;
const LASTING_MS = amount(1_000, 4_000);

type Rubbish = (response: ServerResponse) => void;

let real: { readonly cli: BuiltCli; readonly ready: ReadyLine };
let sandbox: { readonly cli: BuiltCli; readonly ready: ReadyLine };
let node: Server;
/** How the node answers; undefined while it passes everything on to a real one. */
let rubbish: Rubbish | undefined;

beforeAll(async () => {
  real = await startedSandbox();
  node = createServer((asked, answer) => {
    answer.on("error", () => undefined);
    if (rubbish !== undefined) {
      answer.writeHead(200, { "content-type": "application/json" });
      return rubbish(answer);
    }
    const { host } = new URL(real.ready.layer1);
    const passed = request(
      `${real.ready.layer1}${asked.url}`,
      { method: asked.method, headers: { ...asked.headers, host } },
      (response) => {
        answer.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(answer);
      },
    ).on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const { port } = node.address() as AddressInfo;
  sandbox = await startedSandbox({
    layer1_node: { skipped: true, rpc_endpoint: `127.0.0.1:${port}` },
    runtime_node: { endpoint: "127.0.0.1:0" },
  });
  expect((await fetch(`${sandbox.ready.sandboxd}/tzkt/v1/head`)).status).toBe(200);
}, 60_000);
afterAll(async () => {
  await sandbox.cli.dispose();
  node.closeAllConnections();
  node.close();
  await real.cli.dispose();
});

/** Resident memory of the daemon in MiB, on systems with /proc. */
function resident(): number {
  if (process.platform !== "linux") return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${sandbox.ready.pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Writes a piece again and again until the reader leaves. */
const endless =
  (piece: Buffer): Rubbish =>
  (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  };

const RUBBISH: readonly (readonly [string, Rubbish])[] = [
  ["brackets without end", endless(Buffer.alloc(64 * 1024, "["))],
  ["lines without end", endless(Buffer.from('{"a":1}\n'.repeat(8_000)))],
  ["one line without end", endless(Buffer.alloc(64 * 1024, " "))],
  ["JSON five million deep", (response) => response.end("[".repeat(5_000_000))],
  [
    "fields of other types",
    (response) => response.end('{"level":"__proto__","hash":{"a":1},"timestamp":-1e999}'),
  ],
  ["no JSON", (response) => response.end(Buffer.alloc(1_000))],
];

it.each(RUBBISH)("%s", { timeout: 60_000 }, async (_name, answer) => {
  const { sandboxd } = sandbox.ready;
  const idle = resident();
  rubbish = answer;
  node.closeAllConnections();
  let [waited, highest] = [0, 0];
  const codes = new Map<string, unknown>();
  const ask = async (path: string): Promise<void> => {
    const response = await fetch(`${sandboxd}${path}`);
    const body = await response.text();
    if (response.status !== 200)
      codes.set(path, (JSON.parse(body) as { error: { code: string } }).error.code);
  };
  const until = performance.now() + LASTING_MS;
  const asking = ["/tzkt/v1/head", "/accounts", "/explorer/api/layer1/chains/main/blocks/head"].map(
    async (path) => {
      while (performance.now() < until) await Promise.all([ask(path), ask(path), ask(path)]);
    },
  );
  while (performance.now() < until) {
    const asked = performance.now();
    await (await fetch(`${sandboxd}/health`)).text();
    waited = Math.max(waited, performance.now() - asked);
    highest = Math.max(highest, resident());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Promise.all(asking);
  rubbish = undefined;
  node.closeAllConnections();
  process.stderr.write(
    `figures: hostile node: /health within ${Math.round(waited)} ms, memory +${Math.round(highest - idle)} MB\n`,
  );
  expect(codes.get("/tzkt/v1/head")).toBe("ANSWER_MALFORMED");
  expect(codes.get("/accounts")).toBe("ANSWER_MALFORMED");
  expect(waited).toBeLessThan(SOON);
  expect(highest - idle).toBeLessThan(MAX_GROWTH);
  await expect
    .poll(async () => (await fetch(`${sandboxd}/tzkt/v1/head`)).status, { timeout: 20_000 })
    .toBe(200);
});
