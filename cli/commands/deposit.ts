// `functez bridge deposit`: a signed layer 1 call of the bridge contract, followed until the runtime credits it.
import type { IncludedOperation } from "../../daemon/client/layer1-operation.ts";
import { type DepositRecord, type RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { BRIDGE_ADDRESS } from "../../daemon/protocol/constants.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { parseTez } from "../../daemon/protocol/tez.ts";
import type { CliContext } from "../context.ts";
import {
  type BridgeOptions,
  depositAsJson,
  inclusionText,
  openDeposit,
  reportSteps,
  untilCredited,
} from "./bridge-deposit.ts";

export interface DepositOptions extends BridgeOptions {
  /** tez */
  readonly amount: string;
}

export async function deposit(context: CliContext, options: DepositOptions): Promise<void> {
  const { terminal } = context;
  const amount = parseTez(options.amount);
  const { sender, receiver, runtime, layer1 } = await openDeposit(context, options);

  await terminal.withStep(`Simulating the deposit on layer 1`, async (step) => {
    const before = await runtime.balance(receiver);
    const parameters = { entrypoint: "deposit", value: { string: receiver } };
    const included = await sender.send(
      layer1,
      [{ kind: "transaction", destination: BRIDGE_ADDRESS, amount, parameters }],
      {
        signal: context.signal,
        onStep: reportSteps(step),
      },
    );
    let after: bigint | undefined;
    if (options.wait) {
      step.update(`Included at level ${included.level}: waiting for the runtime to credit it`);
      after = await awaitCredit(runtime, { receiver, amount, before, included, context });
    }
    const left = await layer1.balance(sender.address);
    step.done(inclusionText(included));
    terminal.print(`Deposited ${formatTez(amount)} XTZ from ${options.from} to ${options.to}`);
    terminal.note(`  ${options.from}: ${formatTez(left)} tez on layer 1`);
    if (after !== undefined) terminal.note(`  ${options.to}: ${formatTez(after)} tez in the runtime`);
    terminal.data({
      ...depositAsJson(included, amount, receiver),
      credited: options.wait,
      layer1Balance: left.toString(),
      ...(after === undefined ? {} : { runtimeBalance: after.toString() }),
    });
  });
}

interface Expected {
  readonly receiver: string;
  readonly amount: bigint;
  /** Runtime balance before the deposit. */
  readonly before: bigint;
  readonly included: IncludedOperation;
  readonly context: Pick<CliContext, "signal" | "terminal">;
}

/** Waits until the runtime has credited the deposit and returns the new balance. @throws SandboxError */
async function awaitCredit(runtime: RuntimeClient, expected: Expected): Promise<bigint> {
  const { included, context, receiver } = expected;
  return untilCredited(included.hash, { runtime, context }, async () =>
    (await isCredited(runtime, expected)) ? runtime.balance(receiver) : undefined,
  );
}

async function isCredited(
  runtime: RuntimeClient,
  { receiver, amount, before, included }: Expected,
): Promise<boolean> {
  const deposits = await runtime.deposits();
  const isIt = (record: DepositRecord) =>
    record.level === included.level && record.receiver === receiver && record.amount === amount.toString();
  if (deposits) return deposits.some(isIt);
  // A node without a list of deposits: only the balance shows it.
  return (await runtime.balance(receiver)) >= before + amount;
}
