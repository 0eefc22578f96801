// `functez bridge fa-deposit`: moves layer 1 tokens through an FA bridge to an account of the runtime.
import type { IncludedOperation, OperationDraft } from "../../daemon/client/layer1-operation.ts";
import { type RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { ROLLUP_ADDRESS } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { type Address, addressKind } from "../../daemon/tezos/address.ts";
import type { Micheline } from "../../daemon/tezos/micheline.ts";
import type { CliContext } from "../context.ts";
import { callOf, type FaBridge, naturalOf, readBridge, resolveContract } from "../fa-bridge.ts";
import {
  type BridgeOptions,
  depositAsJson,
  inclusionText,
  openDeposit,
  reportSteps,
  untilCredited,
} from "./bridge-deposit.ts";

export interface FaDepositOptions extends BridgeOptions {
  /** Tokens, a natural number. */
  readonly amount: string;
  readonly bridge: string;
  readonly rollup?: string;
}

export async function faDeposit(context: CliContext, options: FaDepositOptions): Promise<void> {
  const { terminal } = context;
  const amount = naturalOf("--amount", options.amount, { least: 1n });
  const rollup = rollupOf(options.rollup);
  const { config, sender, receiver, runtime, layer1 } = await openDeposit(context, options);
  requireFaReceiver(options.to, receiver);
  const address = resolveContract(config, options.bridge);
  await terminal.withStep("Reading the bridge", async (step) => {
    const bridge = await readBridge(layer1, address);
    step.update("Simulating the deposit on layer 1");
    const drafts = depositOf(bridge, { bridge: address, owner: sender.address, rollup, receiver, amount });
    const included = await sender.send(layer1, drafts, {
      signal: context.signal,
      onStep: reportSteps(step),
    });
    let owner: string | undefined;
    if (options.wait) {
      step.update(`Included at level ${included.level}: waiting for the runtime to credit it`);
      owner = await awaitCredit(runtime, { receiver, amount, included, context });
    }
    step.done(inclusionText(included));
    terminal.print(`Deposited ${amount} tokens from ${options.from} to ${options.to}`);
    if (owner !== undefined) terminal.note(ownership(owner, receiver, bridge.proxy));
    terminal.data({
      ...depositAsJson(included, amount, receiver),
      credited: options.wait,
      ticketOwner: owner ?? null,
    });
  });
}

interface Deposit {
  readonly bridge: Address;
  readonly owner: string;
  readonly rollup: string;
  readonly receiver: string;
  readonly amount: bigint;
}

const pair = (...args: Micheline[]): Micheline => ({ prim: "Pair", args });

/** Approval, deposit and, for FA2 operators (which stay until removed), the removal. */
function depositOf(
  { token }: FaBridge,
  { bridge, owner, rollup, receiver, amount }: Deposit,
): OperationDraft[] {
  const value = { int: amount.toString() };
  const deposit = callOf(bridge, "deposit", pair({ string: rollup }, { string: receiver }, value));
  if (token.id === undefined) {
    return [callOf(token.address, "approve", pair({ string: bridge }, value)), deposit];
  }
  const operator = pair({ string: owner }, { string: bridge }, { int: token.id.toString() });
  const change = (prim: "Left" | "Right") =>
    callOf(token.address, "update_operators", [{ prim, args: [operator] }]);
  return [change("Left"), deposit, change("Right")];
}

/** The runtime's rule: tokens for other kinds of accounts would be lost. @throws SandboxError BAD_ADDRESS */
function requireFaReceiver(found: string, address: string): void {
  const kind = addressKind(address);
  if (kind === "tz1" || kind === "KT1") return;
  throw new SandboxError("BAD_ADDRESS", {
    found,
    expected: "a receiver of tokens",
    reason: "the runtime credits tokens to tz1 and KT1 addresses only",
    next: "Use the address of a tz1 account or of a smart function.",
  });
}

/** @throws SandboxError BAD_OPTION */
function rollupOf(text: string = ROLLUP_ADDRESS): string {
  if (addressKind(text) === "sr1") return text;
  throw new SandboxError("BAD_OPTION", { option: "--rollup", found: text, expected: "an sr1 address" });
}

/** Waits until the runtime has the tickets; returns their owner. @throws SandboxError */
async function awaitCredit(
  runtime: RuntimeClient,
  expected: {
    readonly receiver: string;
    readonly amount: bigint;
    readonly included: IncludedOperation;
    readonly context: Pick<CliContext, "signal" | "terminal">;
  },
): Promise<string | undefined> {
  const { receiver, amount, included, context } = expected;
  const { signal } = context;
  const credit = await untilCredited(included.hash, { runtime, context }, async () => {
    const deposits = await runtime.deposits();
    if (!deposits) return { receiver: undefined }; // a node without a list of deposits cannot show it
    const record = deposits.find(
      (one) => one.level === included.level && one.receiver === receiver && one.amount === amount.toString(),
    );
    if (!record) return undefined;
    const receipt = await runtime.waitForReceipt(record.hash, { signal });
    if (receipt.result._type === "Failed")
      throw new SandboxError("OPERATION_FAILED", { what: "The deposit", reason: receipt.result.inner });
    const { inner } = receipt.result;
    return { receiver: inner._type === "FaDeposit" ? inner.receiver : undefined };
  });
  return credit.receiver;
}

function ownership(owner: string, receiver: string, proxy: string | undefined): string {
  if (owner !== receiver) return `  The smart function ${owner} holds the tickets.`;
  return proxy === undefined
    ? `  ${receiver} holds the tickets.`
    : `  ${receiver} holds the tickets: the smart function ${proxy} did not accept them.`;
}
