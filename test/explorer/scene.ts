// A sandbox in which everything has happened that the explorer shows: nested calls, a failure with its source position,
// stored values, logs, deposits, a withdrawal, a contract with a big map, and texts that would like to be markup.
import { readFileSync } from "node:fs";
import { buildSync } from "esbuild";
import { createRuntimeClient, type RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import {
  type OperationContent,
  operationHashHex,
  signOperation,
} from "../../daemon/protocol/runtime-operation.ts";
import type { Receipt } from "../../daemon/protocol/runtime-receipt.ts";
import { parseSecretKey } from "../../daemon/protocol/secret-key.ts";
import { parseMichelineText, parseScriptText } from "../../daemon/tezos/micheline-text.ts";
import type { BuiltCli, ReadyLine } from "../support/built-cli.ts";
import { ownerOf, until } from "../support/processes.ts";

/** Texts of an attacker: markup, a link that is a program, marks that turn the direction. */
const HOSTILE =
  '</script><img src=x onerror=alert(1)><a href="javascript:alert(2)">x</a> \u202Etxet desrever\u202C';

const BANK = `
export default async function handler(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const total = Kv.get<number>("total") ?? 0;
  console.log("the bank has", total);
  if (pathname === "/pay") {
    Kv.set("total", total + 5);
    Kv.set("ledger/latest", { amount: 5, from: request.headers.get("referer") });
    return Response.json({ total: total + 5 });
  }
  return new Response("unknown", { status: 404 });
}
`;

const shop = (bank: string): string => `
interface Order { readonly item: string; readonly count: number }

function priceOf(order: Order): number {
  if (order.count > 10) throw new RangeError(\`only 10 of \${order.item} are left\`);
  return order.count * 5;
}

export default async function handler(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const orders = Kv.get<number>("orders") ?? 0;
  if (pathname === "/order") {
    const order = (await request.json()) as Order;
    console.info("order", order);
    const price = priceOf(order);
    Kv.set("orders", orders + 1);
    Kv.set(\`items/\${order.item}\`, order);
    const paid = await fetch(new Request("jstz://${bank}/pay", { method: "POST" }));
    const refused = await fetch(new Request("jstz://${bank}/nothing"));
    console.warn("the bank answered", paid.status, refused.status);
    return Response.json({ item: order.item, price, orders: orders + 1 }, { headers: { "x-shop": "open" } });
  }
  if (pathname === "/hostile") {
    const text = ${JSON.stringify(HOSTILE)};
    console.error(text);
    Kv.set("hostile", text);
    return new Response(text, { headers: { "content-type": "text/html", "x-text": "</script>" } });
  }
  if (pathname === "/image") {
    const png = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (c) => c.charCodeAt(0));
    return new Response(png, { headers: { "content-type": "image/png" } });
  }
  return Response.json({ orders });
}
`;

/** A function whose code is its own source, as the sandbox is told beside the deploy. */
const THROWER = `// Throws.
export default () => {
  const error = new Error("logged");
  console.log(error);
  throw new TypeError("thrown");
};
`;

export interface Scene {
  readonly shop: string;
  readonly bank: string;
  /** Hashes of operations. */
  readonly order: string;
  readonly failure: string;
  readonly hostile: string;
  readonly image: string;
  /** A call of a function whose source is known by its path only. */
  readonly deployedHere: string;
  /** Layer 1: a contract with a big map, and the operation that made it. */
  readonly token: string;
  readonly origination: string;
  /** Sends many calls at once, signed beforehand. */
  readonly burst: (count: number) => Promise<void>;
  /** Hash of the last call of a burst. */
  readonly last: () => string;
}

const [SIGNER, OTHER] = BOOTSTRAP_ACCOUNTS;

export async function playScene(cli: Pick<BuiltCli, "env" | "functez">, ready: ReadyLine): Promise<Scene> {
  const runtime = createRuntimeClient(ready.runtime);
  const key = parseSecretKey(SIGNER.secretKey);
  const send = async (content: OperationContent): Promise<{ hash: string; receipt: Receipt }> => {
    const nonce = await runtime.nonce(SIGNER.address);
    const signed = signOperation({ publicKey: key.publicKey.text, nonce, content }, key);
    await runtime.inject(signed);
    const hash = operationHashHex(signed.inner);
    return { hash, receipt: await runtime.waitForReceipt(hash) };
  };
  const deploy = async (functionCode: string): Promise<string> => {
    const content = {
      _type: "DeployFunction",
      functionCode,
      accountCredit: 3_000_000n,
    } as const;
    const { result } = (await send(content)).receipt;
    return (result.inner as { address: string }).address;
  };
  const run = async (url: string, method = "GET", body?: unknown): Promise<string> =>
    (await send(runOf(url, method, body))).hash;

  const ownerHeaders = ownerOf(cli, ready);
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", ...ownerHeaders },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${ready.sandboxd}${path}`, init);
    if (!answer.ok) throw new Error(await answer.text());
    const text = await answer.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  await deposit(post, runtime, SIGNER.address);
  const [origination] = await Promise.all([
    originate(post),
    run(`jstz://jstz/withdraw`, "POST", { amount: 2_500_000, receiver: OTHER.address }),
  ]);
  await moveTokens(cli, run);
  const bank = await deploy(compile("bank\u202E.ts", BANK)); // a name of a file is a text of the attacker, too
  const shopAddress = await deploy(compile("shop.ts", shop(bank)));
  const at = (path: string): string => `jstz://${shopAddress}${path}`;
  const order = await run(at("/order"), "POST", { item: "tulips", count: 3 });
  const failure = await run(at("/order"), "POST", { item: "roses", count: 11 });
  const hostile = await run(at("/hostile"));
  await run(at(`/${"long".repeat(60)}`)); // a word that is wider than any window
  const image = await run(at("/image"));
  const thrower = await deploy(THROWER);
  await post("/debug/source-map", {
    address: thrower,
    sources: ["/home/somebody/project/src/thrower\u202E.ts"],
  });
  const deployedHere = await run(`jstz://${thrower}/`);
  let last = "";
  const burst = async (count: number): Promise<void> => {
    const nonce = await runtime.nonce(SIGNER.address);
    const content = runOf(`jstz://${SIGNER.address}/`);
    const signed = Array.from({ length: count }, (_, i) =>
      signOperation({ publicKey: key.publicKey.text, nonce: nonce + BigInt(i), content }, key),
    );
    await Promise.all(signed.map((each) => runtime.inject(each)));
    last = operationHashHex(signed.at(-1)!.inner);
    await runtime.waitForReceipt(last);
  };
  return {
    burst,
    last: () => last,
    shop: shopAddress,
    bank,
    order,
    failure,
    hostile,
    image,
    deployedHere,
    token: origination.contracts[0]!,
    origination: origination.hash,
  };
}

function runOf(uri: string, method = "GET", body?: unknown): OperationContent {
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const base64 = body === undefined ? null : Buffer.from(JSON.stringify(body)).toString("base64");
  return { _type: "RunFunction", uri, method, headers, body: base64, gasLimit: 550_000n };
}

/** As bundlers do for debugging: with the source in a map at the end. */
function compile(name: string, source: string): string {
  const { outputFiles } = buildSync({
    stdin: { contents: source, sourcefile: name, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    sourcemap: "inline",
  });
  return outputFiles[0]!.text;
}

type Post = <T>(path: string, body: unknown) => Promise<T>;

async function deposit(post: Post, runtime: RuntimeClient, receiver: string): Promise<void> {
  const call = {
    from: "bootstrap1",
    contract: BRIDGE_ADDRESS,
    amount: 250,
    entrypoint: "deposit",
    arg: JSON.stringify(receiver),
  };
  await post("/contract_call", call);
  await until("the deposit is credited", 10_000, async () => (await runtime.balance(receiver)) > 0n);
}

/** Tokens over an FA bridge, and some of them back. */
async function moveTokens(
  cli: Pick<BuiltCli, "functez">,
  run: (url: string, method: string, body: unknown) => Promise<string>,
): Promise<void> {
  const bridge = async <T>(...args: string[]): Promise<T> =>
    JSON.parse((await cli.functez(["bridge", ...args, "--json"])).stdout) as T;
  const { bridge: proxyL1Contract, ticketer } = await bridge<{ bridge: string; ticketer: string }>(
    ...["fa-deploy", "--source", "bootstrap1", "--total-ticket-supply", "1000"],
  );
  await bridge(
    ...["fa-deposit", "--from", "bootstrap1", "--to", SIGNER.address],
    ...["--amount", "30", "--bridge", proxyL1Contract],
  );
  await run("jstz://jstz/fa-withdraw", "POST", {
    amount: 12,
    routingInfo: { receiver: OTHER.address, proxyL1Contract },
    ticketInfo: { ticketer, id: 0, content: null },
  });
}

async function originate(post: Post): Promise<{ hash: string; contracts: string[] }> {
  const code = parseScriptText(
    readFileSync(new URL("../clients/contracts/token-fa12.tz", import.meta.url), "utf8"),
  );
  const storage = parseMichelineText(`Pair { Elt "${SIGNER.address}" 1025 } {} 1025`);
  return post("/layer1/operations", {
    from: "bootstrap3",
    contents: [{ kind: "origination", script: { code, storage } }],
  });
}
