// `functez repl`: each line runs inside a smart function of the user, with its Kv, Ledger, fetch and console.
// The function is deployed once for the session; every input is one signed operation, so a line that throws
// changes nothing.
import { createInterface } from "node:readline/promises";
import { createRuntimeClient, type RunReceipt } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { currentUser, type Signer } from "../config/account-lookup.ts";
import { resolveNetwork } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { sendOperation } from "../send-operation.ts";

/** Evaluates the body of each request; values come back as text. */
const EVALUATOR = `
const show = (value) => {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return value + "n";
  if (typeof value === "function" || value === undefined || typeof value === "symbol") return String(value);
  try { return JSON.stringify(value, null, 2) ?? String(value); } catch { return String(value); }
};
export default async (request) => {
  const source = await request.text();
  const lines = [];
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const own = console[level].bind(console);
    console[level] = (...values) => { lines.push(values.map((v) => typeof v === "string" ? v : show(v)).join(" ")); own(...values); };
  }
  const evaluate = (text) => (0, eval)(text);
  const asAsync = (text) => "(async () => { " + text + " })()";
  let value;
  try { value = await evaluate("(async () => (" + source + "\\n))()"); }
  catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    value = await evaluate(asAsync(source));
  }
  return Response.json({ value: show(value), lines });
};
`;

const GAS_LIMIT = 550_000n;

export async function repl(
  context: CliContext,
  options: { readonly account?: string; readonly network?: string },
): Promise<void> {
  const config = await context.config.read();
  const user = currentUser(
    options.account === undefined ? config : { ...config, current_alias: options.account },
  );
  const network = await resolveNetwork(context, config, options.network, "change");
  const runtime = createRuntimeClient(network.runtime, context.signal);
  const step = context.terminal.step("Deploying the prompt's smart function");
  const address = await deployEvaluator(context, runtime, user).finally(() => step.done());
  context.terminal.note(`Signing as ${user.alias}; running inside ${address}. Ctrl-D or "exit" ends.`);

  const lines = createInterface({
    input: process.stdin,
    output: context.terminal.interactive ? process.stderr : undefined,
    prompt: ">> ",
  } as never);
  context.signal.addEventListener("abort", () => lines.close(), { once: true });
  const { terminal } = context;
  // On a terminal the prompt takes Ctrl-C itself: it ends the line under way, else the command.
  let underWay: AbortController | undefined;
  let isInterrupted = false;
  lines.on("SIGINT", () => {
    isInterrupted = underWay === undefined;
    if (underWay) underWay.abort();
    else lines.close();
  });
  if (terminal.interactive) lines.prompt();
  for await (const line of lines) {
    const source = line.trim();
    if (source === "exit" || source === ".exit") break;
    if (source !== "") {
      underWay = new AbortController();
      const signal = AbortSignal.any([context.signal, underWay.signal]);
      await evaluate({ ...context, signal }, runtime, user, address, source).catch((error: unknown) => {
        if (!underWay?.signal.aborted) throw error;
        terminal.failure(error);
      });
      underWay = undefined;
    }
    if (terminal.interactive) lines.prompt();
  }
  lines.close();
  if (isInterrupted) terminal.note("");
}

type Runtime = ReturnType<typeof createRuntimeClient>;

async function deployEvaluator(context: CliContext, runtime: Runtime, user: Signer): Promise<string> {
  // The same code by the same creator would have the same address only with the same nonce: each session has its own.
  const content = { _type: "DeployFunction", functionCode: EVALUATOR, accountCredit: 0n } as const;
  const { receipt } = await sendOperation(runtime, user.key, content, context.signal);
  if (receipt.result._type === "Failed")
    throw new SandboxError("DEPLOY_FAILED", { reason: receipt.result.inner });
  return (receipt.result.inner as { address: string }).address;
}

async function evaluate(
  context: CliContext,
  runtime: Runtime,
  user: Signer,
  address: string,
  source: string,
): Promise<void> {
  const content = {
    _type: "RunFunction",
    uri: `jstz://${address}/`,
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: Buffer.from(source).toString("base64"),
    gasLimit: GAS_LIMIT,
  } as const;
  const { receipt } = await sendOperation(runtime, user.key, content, context.signal);
  const { colors } = context.terminal;
  if (receipt.result._type === "Failed") {
    context.terminal.note(colors.red(receipt.result.inner));
    return;
  }
  const response = receipt.result.inner as RunReceipt;
  const text = Buffer.from(response.body ?? "", "base64").toString("utf8");
  if (response.statusCode !== 200) {
    context.terminal.note(colors.red(messageOf(text)));
    return;
  }
  const { value, lines } = JSON.parse(text) as { value: string; lines: string[] };
  for (const line of lines) context.terminal.note(line);
  context.terminal.print(value);
  context.terminal.data({ source, value, lines });
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text; // not one of the runtime's error bodies
  }
}
