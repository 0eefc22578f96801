// `functez bridge fa-withdraw`: sends the tickets of a token back through an FA bridge, in exchange for the tokens on
// layer 1.
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import { currentUser } from "../config/account-lookup.ts";
import { resolveNetwork } from "../config/network.ts";
import { resolveAnyAddress } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";
import { naturalOf, readBridge, readTicket, resolveContract, tokenBalance } from "../fa-bridge.ts";
import { sendWithdrawal, untilArrived } from "./bridge-withdrawal.ts";

export interface FaWithdrawOptions {
  readonly to: string;
  readonly amount: string;
  readonly bridge: string;
  /** Alias of the account that signs; by default the one in use. */
  readonly account?: string;
  readonly network?: string;
  readonly yesPublicKey?: boolean;
  /** false: return once the runtime has queued the withdrawal. */
  readonly wait: boolean;
}

/** The runtime counts tickets with 64 bits. */
const MOST_TICKETS = 2n ** 64n - 1n;

export async function faWithdraw(context: CliContext, options: FaWithdrawOptions): Promise<void> {
  const { terminal, signal } = context;
  const amount = naturalOf("--amount", options.amount, { least: 1n, most: MOST_TICKETS });
  const config = await context.config.read();
  const user = currentUser(config, options.account);
  const receiver = await resolveAnyAddress({ context, config, network: options.network }, options.to);
  const address = resolveContract(config, options.bridge);
  const network = await resolveNetwork(context, config, options.network, "change");
  const layer1 = createLayer1Client(network.layer1, signal);
  await terminal.withStep("Reading the bridge", async (step) => {
    const { token, ticketer, proxy } = await readBridge(layer1, address);
    const ticket = await readTicket(layer1, ticketer);
    const read = () => tokenBalance(layer1, token, receiver);
    const before = options.wait ? await read() : undefined;
    step.update("Sending the withdrawal");
    const ticketInfo = `{"ticketer":"${ticketer}","id":${ticket.id},"content":${JSON.stringify(ticket.content)}}`;
    const hash = await sendWithdrawal(context, {
      user,
      network,
      host: "fa-withdraw",
      yesPublicKey: options.yesPublicKey,
      body: `{"amount":${amount},"routingInfo":{"receiver":"${receiver}","proxyL1Contract":"${address}"},"ticketInfo":${ticketInfo}}`,
      advice:
        proxy === undefined
          ? `Only an account with tickets of this bridge can send them back: \`functez bridge fa-deposit --bridge ${options.bridge}\` gets some.`
          : `The smart function ${proxy} holds the tickets of this bridge: call it to have them sent back.`,
    });
    let after: bigint | undefined;
    if (before !== undefined) {
      step.update("Waiting for layer 1 to execute it");
      after = await untilArrived(signal, before + amount, read);
    }
    step.done(`Operation ${hash}`);
    terminal.print(`Withdrew ${amount} tokens from ${user.alias} to ${options.to}`);
    if (after !== undefined) terminal.note(`  ${options.to}: ${after} tokens on layer 1`);
    terminal.data({
      operation: hash,
      amount: amount.toString(),
      receiver,
      token: token.address,
      tokenId: token.id?.toString() ?? null,
      arrived: after !== undefined,
      ...(after === undefined ? {} : { layer1Tokens: after.toString() }),
    });
  });
}
