// `functez debug [operation]`: the debug adapter on standard input and output, or where an operation failed.
import { type AdapterHost, openRemoteSession } from "../../daemon/debug-adapter/adapter-host.ts";
import { DebugAdapter } from "../../daemon/debug-adapter/adapter.ts";
import { frame, messageReader } from "../../daemon/debug-adapter/messages.ts";
import type { CliContext } from "../context.ts";
import { failureView } from "../render/failure-view.ts";
import { debugHost } from "./debug-host.ts";

export async function debug(
  context: CliContext,
  operation: string,
  { dap }: { readonly dap?: boolean },
): Promise<void> {
  const host = await debugHost(context);
  if (dap === true) return serveAdapter(context, host, operation);
  await showFailure(context, host, await host.operationOf(operation));
}

/** Speaks the protocol until the editor disconnects or closes the pipe. */
function serveAdapter({ stdin, signal }: CliContext, host: AdapterHost, operation: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Without an operation in its `launch` an editor means the one of the command.
    const named: AdapterHost = {
      ...host,
      operationOf: (wanted) => host.operationOf(wanted === "last" ? operation : wanted),
    };
    const end = (): void => {
      stdin.destroy(); // an open pipe would keep the process alive
      resolve();
    };
    const adapter = new DebugAdapter(named, (message) => process.stdout.write(frame(message)), end);
    const close = (): void => void adapter.close().then(end);
    const read = messageReader((message) => void adapter.receive(message));
    stdin.on("data", (bytes: Buffer) => {
      try {
        read(bytes);
      } catch (error) {
        void adapter.close().then(() => reject(error as Error));
        stdin.destroy();
      }
    });
    for (const event of ["end", "close", "error"] as const) stdin.once(event, close);
    signal.addEventListener("abort", close, { once: true });
  });
}

/** Shows where it failed, or its last line, with stack and variables. */
async function showFailure(context: CliContext, host: AdapterHost, hash: string): Promise<void> {
  const { terminal } = context;
  const session = await terminal.withStep("Running the operation again", async (step) => {
    const made = await openRemoteSession(host, hash);
    step.done();
    return made;
  });
  try {
    const { lines, ...found } = await failureView(session, hash);
    terminal.print(lines.join("\n"));
    terminal.note(
      "To step through it in an editor: `functez debug --dap` is a debug adapter (docs/debugging.md).",
    );
    terminal.data({ ...session.opened, session: undefined, ...found });
  } finally {
    await session.close();
  }
}
