// `functez repl`: each input runs inside a smart function of the user, with its Kv, Ledger, fetch and console. The
// function is deployed once per session; every input is one signed operation, so an input that throws changes nothing,
// neither in the store nor in the kept values.
import { createInterface } from "node:readline/promises";
import { DEFAULT_GAS_LIMIT } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { RunReceipt } from "../../daemon/protocol/runtime-receipt.ts";
import { currentUser, type Signer } from "../config/account-lookup.ts";
import { openRuntime } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { type SendTarget, sendOperation, sendTarget } from "../send-operation.ts";
import { type Evaluation, type EvaluationRequest, EVALUATOR } from "./repl-evaluator.ts";
import { scanSource } from "./repl-source.ts";

/** @returns the exit code: 1 when a piped input failed */
export async function repl(
  context: CliContext,
  options: { readonly account?: string; readonly network?: string; readonly yesPublicKey?: boolean },
): Promise<number> {
  const config = await context.config.read();
  const user = currentUser(config, options.account);
  const opened = await openRuntime(context, config, options.network, "change");
  const target = sendTarget(opened, context, options);
  const address = await context.terminal.withStep("Deploying the prompt's smart function", () =>
    deployEvaluator(target, user),
  );
  context.terminal.note(`Signing as ${user.alias}; running inside ${address}. Ctrl-D or "exit" ends.`);
  context.terminal.note(
    "Declarations are kept for the next lines if their values can be serialized; `.kept` shows them.",
  );

  const lines = createInterface({
    input: process.stdin,
    output: context.terminal.interactive ? process.stderr : undefined,
    prompt: ">> ",
  } as never);
  context.signal.addEventListener("abort", () => lines.close(), { once: true });
  const { terminal } = context;
  // On a terminal the prompt handles Ctrl-C itself: it interrupts the running input, otherwise the command.
  let underWay: AbortController | undefined;
  let isInterrupted = false;
  lines.on("SIGINT", () => {
    isInterrupted = underWay === undefined;
    if (underWay) underWay.abort();
    else lines.close();
  });
  const session: Session = { kept: {} };
  let isFailed = false;
  const perform = async (source: string): Promise<void> => {
    underWay = new AbortController();
    const signal = AbortSignal.any([context.signal, underWay.signal]);
    const isDone = await evaluate(context, { ...target, signal }, user, address, source, session).catch(
      (error: unknown) => {
        if (!underWay?.signal.aborted) throw error;
        terminal.failure(error);
        return false;
      },
    );
    isFailed ||= !isDone;
    underWay = undefined;
  };
  const prompt = (text: string): void => {
    lines.setPrompt(text);
    if (terminal.interactive) lines.prompt();
  };
  prompt(FIRST);
  /** Lines of an incomplete input. */
  let pending = "";
  for await (const line of lines) {
    const source = `${pending}${line}`;
    if (pending === "" && (source.trim() === "exit" || source.trim() === ".exit")) break;
    if (pending === "" && source.trim() === ".kept") showKept(context, session);
    else if (line.trim() !== "" && scanSource(source).isOpen) {
      pending = `${source}\n`;
      prompt(FURTHER);
      continue;
    } else if (pending !== "" && line.trim() === "" && scanSource(source).isOpen && terminal.interactive) {
      terminal.note("The input was incomplete and is discarded.");
    } else if (source.trim() !== "") await perform(source.trim());
    pending = "";
    prompt(FIRST);
  }
  if (pending.trim() !== "" && !isInterrupted) await perform(pending.trim()); // the engine reports what is missing
  lines.close();
  if (isInterrupted) terminal.note("");
  return isFailed && !terminal.interactive ? 1 : 0;
}

const FIRST = ">> ";
const FURTHER = ".. ";

interface Session {
  /** Values of earlier inputs by name, as expressions. */
  kept: Readonly<Record<string, string>>;
}

function showKept({ terminal }: CliContext, { kept }: Session): void {
  const entries = Object.entries(kept);
  terminal.print(
    entries.length === 0 ? "Nothing is kept." : entries.map(([name, text]) => `${name} = ${text}`).join("\n"),
  );
  terminal.data({ kept });
}

async function deployEvaluator(target: SendTarget, user: Signer): Promise<string> {
  // The same code from the same creator gets the same address only for the same nonce, so each session has its own.
  const content = { _type: "DeployFunction", functionCode: EVALUATOR, accountCredit: 0n } as const;
  const { receipt } = await sendOperation(target, user.key, content);
  if (receipt.result._type === "Failed")
    throw new SandboxError("DEPLOY_FAILED", { reason: receipt.result.inner });
  return receipt.result.inner.address;
}

/** @returns whether it succeeded */
async function evaluate(
  context: CliContext,
  target: SendTarget,
  user: Signer,
  address: string,
  source: string,
  session: Session,
): Promise<boolean> {
  const { terminal } = context;
  const { identifiers, asVariables, isBody } = scanSource(source);
  const request: EvaluationRequest = { kept: session.kept, source, asVariables, identifiers, isBody };
  const content = {
    _type: "RunFunction",
    uri: `jstz://${address}/`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(request)).toString("base64"),
    gasLimit: BigInt(DEFAULT_GAS_LIMIT),
  } as const;
  const { receipt } = await sendOperation(target, user.key, content);
  const evaluation: Evaluation =
    receipt.result._type === "Failed"
      ? { failure: receipt.result.inner, lines: [] }
      : evaluationOf(receipt.result.inner);
  const { value = "undefined", lines, changed = [], lost = [], failure } = evaluation;
  for (const line of lines) terminal.note(line);
  if (failure !== undefined) {
    terminal.note(terminal.colors.red(failure));
    terminal.data({ source, lines, failure });
    return false;
  }
  session.kept = evaluation.kept ?? session.kept;
  if (changed.length > 0) terminal.note(terminal.colors.dim(`kept: ${changed.join(", ")}`));
  for (const [name, kind] of lost)
    terminal.note(terminal.colors.dim(`not kept: ${name} (${kind}), which cannot be serialized`));
  // A declaration has no value of its own: say what it kept.
  if (value !== "undefined" || changed.length + lost.length === 0) terminal.print(value);
  terminal.data({ source, value, lines, changed, lost: lost.map(([name]) => name) });
  return true;
}

/** The evaluator's answer, or the runtime's error instead. */
function evaluationOf(response: RunReceipt): Evaluation {
  const text = Buffer.from(response.body ?? "", "base64").toString("utf8");
  try {
    const answer = JSON.parse(text) as Partial<Evaluation> & { readonly message?: string };
    if (answer.lines !== undefined) return answer as Evaluation;
    return { failure: answer.message ?? text, lines: [] };
  } catch {
    return { failure: text, lines: [] }; // not one of the runtime's error bodies
  }
}
