// The operation that a command means: a hash, or `last`.
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { runningSandbox } from "../config/network.ts";
import type { CliContext } from "../context.ts";

/** Operations looked through for the last one that ran a smart function. */
const LOOKED_THROUGH = 100;

/** @throws SandboxError BAD_OPTION, NOT_FOUND, SANDBOX_NOT_RUNNING */
export async function operationOf(context: CliContext, operation: string): Promise<string> {
  if (/^[0-9a-f]{64}$/i.test(operation)) return operation.toLowerCase();
  if (operation !== "last") {
    throw new SandboxError("BAD_OPTION", {
      option: "<operation>",
      found: operation,
      expected: "an operation hash of 64 hex digits, or `last`",
    });
  }
  const { client } = await runningSandbox(context, "look");
  const { runtime } = await client.endpoints();
  const operations = (await createRuntimeClient(runtime, context.signal).operations(LOOKED_THROUGH)) ?? [];
  const last = operations.find((each) => each.operation === "RunFunction");
  if (last !== undefined) return last.hash;
  throw new SandboxError("NOT_FOUND", {
    what: "call of a smart function",
    next: "Call one: `functez run <alias>/`.",
  });
}
