// What the debug adapter needs of the command line: the sandbox, its operations, and the files of this machine.
import { existsSync } from "node:fs";
import { sandboxEventOf } from "../../daemon/client/sandbox-events.ts";
import type { AdapterHost } from "../../daemon/debug-adapter/adapter-host.ts";
import { runningSandbox } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { debugClient } from "../shelve-source.ts";
import { nameOf } from "./call-trace.ts";
import { operationOf } from "./which-operation.ts";

export async function debugHost(context: CliContext): Promise<AdapterHost> {
  const client = debugClient(context);
  const config = await context.config.read();
  return {
    ask: (body) => client.session(body),
    operationOf: (operation) => operationOf(context, operation),
    async hold({ seconds, onOpen, onHeld, onReleased, signal }) {
      const either = AbortSignal.any([signal, context.signal]);
      for await (const { event, data } of client.hold(seconds, either))
        if (event === "open") onOpen(data.hold);
        else if (event === "held") onHeld(data.hash);
        else onReleased(data.hash, data.by);
    },
    fileExists: existsSync,
    nameOf: (address) => nameOf(config, address),
    async follow({ onOperation, onOpen, signal }) {
      const { client: sandbox } = await runningSandbox(context, "look");
      for await (const event of sandbox.events({ lifeline: false, signal, onOpen })) {
        const known = sandboxEventOf(event);
        if (known?.event === "operation" && known.data.operation === "RunFunction")
          onOperation(known.data.hash);
      }
    },
  };
}
