// Runs a tool call: checks its arguments, creates its context, and converts result or error to the protocol's form.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { agentInput } from "../../daemon/protocol/agent-input.ts";
import { agentOutput } from "../../daemon/protocol/agent-output.ts";
import {
  AGENT_TOOLS,
  type AgentTool,
  type AgentToolName,
  GUEST_NOTICE,
  noticeOf,
} from "../../daemon/protocol/agent-tools.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { visibleJson } from "../../daemon/text/visible-text.ts";
import type { CliContext } from "../context.ts";
import { CHANGE_TOOLS } from "./change-tools.ts";
import { noInput, quietTerminal } from "./quiet-terminal.ts";
import { READ_TOOLS } from "./read-tools.ts";
import { type ToolRun } from "./tool-call.ts";
import type { Workspace } from "./workspace.ts";

export interface ToolRunner {
  /** @param onStep called with the text of each step of a long call */
  run(
    name: AgentToolName,
    input: unknown,
    signal: AbortSignal,
    onStep: (text: string) => void,
  ): Promise<CallToolResult>;
}

const RUNS: Readonly<Record<AgentToolName, ToolRun>> = { ...READ_TOOLS, ...CHANGE_TOOLS };

/** @param context of the server, whose signal cancels all calls */
export function createToolRunner(
  context: CliContext,
  workspace: Pick<Workspace, "folders">,
  { readOnly = false, config }: { readonly readOnly?: boolean; readonly config?: string },
): ToolRunner {
  // One change at a time: two operations of one account would use the same nonce. Reads do not wait.
  let changes: Promise<unknown> = Promise.resolve();

  async function run(...[name, given, callSignal, onStep]: Parameters<ToolRunner["run"]>) {
    const tool: AgentTool = AGENT_TOOLS[name];
    if (readOnly && tool.effect !== "read") throw new SandboxError("TOOL_REFUSED", { tool: name });
    const input = agentInput(name, tool, given);
    const signal = AbortSignal.any([context.signal, callSignal]);
    const call = async () => {
      if (signal.aborted) throw new SandboxError("CANCELLED", { what: name, next: "Nothing was changed." });
      const own = { ...context, signal, terminal: quietTerminal(onStep), stdin: noInput() };
      return RUNS[name]({ input, context: own, config, folders: () => workspace.folders() });
    };
    if (tool.effect === "read") return call();
    const mine = changes.then(call);
    changes = mine.catch(() => undefined);
    return mine;
  }

  return {
    async run(...call) {
      const tool: AgentTool = AGENT_TOOLS[call[0]];
      try {
        const result = agentOutput(await run(...call));
        const structuredContent = tool.hasGuestText ? { notice: GUEST_NOTICE, ...result } : result;
        return { structuredContent, content: [{ type: "text", text: textOf(structuredContent) }] };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/** Texts of functions may have characters that the user does not see and a model obeys: they are there by their codes. */
const textOf = (result: object): string => visibleJson(JSON.stringify(result));

/** Code, reason and next step, as in all our interfaces. */
function failure(error: unknown): CallToolResult {
  const known =
    error instanceof SandboxError ? error : new SandboxError("INTERNAL", { reason: reasonOf(error) });
  const notice = noticeOf(known.code);
  const body = { ...(notice !== undefined && { notice }), ...known.toBody() };
  return { isError: true, content: [{ type: "text", text: textOf(agentOutput(body)) }] };
}
