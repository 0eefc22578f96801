// Tools for language models: they read the sandbox, and change it after the user's confirmation. Failures tell the
// model what to do next. Names, descriptions and parameters are those of the table that `functez mcp` serves too.
import * as vscode from "vscode";
import { callTreeText } from "../../daemon/client/call-tree.ts";
import { sourceInFolders } from "../../daemon/local/source-in-folders.ts";
import { type AgentInput, agentInput, missingInput } from "../../daemon/protocol/agent-input.ts";
import { agentOutput, shorten } from "../../daemon/protocol/agent-output.ts";
import {
  type AgentTool,
  type EditorToolName,
  editorTools,
  GUEST_NOTICE,
  noticeOf,
} from "../../daemon/protocol/agent-tools.ts";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { hasFailed } from "../../daemon/protocol/operation-outcome.ts";
import { visible, visibleJson } from "../../daemon/text/visible-text.ts";
import { nameOf } from "../session/account-names.ts";
import { withBody } from "../session/cli.ts";
import type { SessionDependencies } from "../session/dependencies.ts";
import { codeOf } from "../session/error-data.ts";

type Result = Readonly<Record<string, unknown>>;

interface Tool {
  readonly run: (input: AgentInput, signal: AbortSignal) => Promise<Result>;
  /** The confirmation question; undefined for read-only tools. */
  readonly confirm?: (input: AgentInput) => string;
}

export function registerLanguageModelTools(
  context: vscode.ExtensionContext,
  dependencies: SessionDependencies,
): void {
  if (!("lm" in vscode) || typeof vscode.lm?.registerTool !== "function") return; // an editor without tools
  for (const [name, tool] of Object.entries(languageModelTools(dependencies))) {
    context.subscriptions.push(vscode.lm.registerTool<object>(name, tool));
  }
}

/** The tools, by the names that the editor uses. */
export function languageModelTools(
  dependencies: SessionDependencies,
): Readonly<Record<EditorToolName, vscode.LanguageModelTool<object>>> {
  const tools = toolsOf(dependencies);
  return Object.fromEntries(
    editorTools().map(([name, description]) => [name, adapter(name, description, tools[name], dependencies)]),
  ) as Record<EditorToolName, vscode.LanguageModelTool<object>>;
}

function adapter(
  name: EditorToolName,
  tool: AgentTool,
  { run, confirm }: Tool,
  { session }: SessionDependencies,
): vscode.LanguageModelTool<object> {
  return {
    prepareInvocation({ input }) {
      // Do not ask about a call that cannot work.
      const checked = confirm && checkedOrNothing(name, tool, input);
      if (!confirm || !checked) return undefined;
      // As text, not Markdown: the values come from the model.
      const message = new vscode.MarkdownString().appendText(visible(confirm(checked)));
      return { confirmationMessages: { title: "functez", message } };
    },
    async invoke({ input }, token) {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const missing = missingInput(tool, input);
      if (missing.length > 0)
        throw new Error(`Call this tool again with ${missing.map((each) => `"${each}"`).join(" and ")}.`);
      let result: Result;
      try {
        const checked = agentInput(name, tool, input);
        if (confirm && !session.sandbox && !(await session.attachIfRunning()))
          throw new Error(
            'The sandbox is not running. Ask the user to start it with the command "functez: Start Sandbox", then call this tool again.',
          );
        result = await run(checked, abort.signal);
      } catch (error) {
        const code = codeOf(error);
        const next = error instanceof SandboxError ? ` ${error.next}` : "";
        const message = error instanceof Error ? error.message : String(error);
        const notice = noticeOf(code);
        const prefix = `${notice === undefined ? "" : `${notice} `}${code === undefined ? "" : `${code}: `}`;
        throw new Error(`${prefix}${message}${next}`, { cause: error });
      }
      const shown = agentOutput(result);
      const whole = tool.hasGuestText ? { notice: GUEST_NOTICE, ...shown } : shown;
      // Functions may write characters that the user does not see and a model obeys.
      const text = visibleJson(JSON.stringify(whole, null, 2));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

function checkedOrNothing(name: string, tool: AgentTool, input: object): AgentInput | undefined {
  try {
    return agentInput(name, tool, input);
  } catch {
    return undefined; // the call itself tells the model why
  }
}

/** A text among the arguments, or an empty one. */
const textOf = (input: AgentInput, name: string): string => String(input[name] ?? "");

/** Characters of a body shown in a confirmation. */
const SHOWN_BODY = 200;

function toolsOf({ session, cli, known }: SessionDependencies): Record<EditorToolName, Tool> {
  return {
    functez_status: {
      run: async () => ({
        state: session.state.kind,
        ...(session.state.kind === "failed" ? { reason: session.state.message } : {}),
        ...(session.state.kind === "stopped"
          ? { next: 'The user starts it with the command "functez: Start Sandbox".' }
          : {}),
        sandbox: session.sandbox ?? null,
        level: session.level ?? null,
        parts: session.sandbox ? session.parts : [],
      }),
    },
    functez_accounts: {
      run: async () => {
        await known.refresh();
        return { bootstrap: session.accounts, own: known.list, signsWith: known.current ?? null };
      },
    },
    functez_deposit: {
      confirm: (input) =>
        vscode.l10n.t(
          "Deposit {0} tez from {1} to {2} in the sandbox?",
          textOf(input, "amount"),
          textOf(input, "from"),
          textOf(input, "to"),
        ),
      run: (input, signal) => {
        const accounts = ["--from", textOf(input, "from"), "--to", textOf(input, "to")];
        const moved = [`--amount=${textOf(input, "amount")}`, "--network", SANDBOX_NETWORK];
        return cli.run<Result>(["bridge", "deposit", ...accounts, ...moved], { signal });
      },
    },
    functez_deploy: {
      confirm: (input) =>
        vscode.l10n.t("Deploy {0} as {1} to the sandbox?", textOf(input, "file"), textOf(input, "alias")),
      run: async (input, signal) => {
        const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
        const file = await sourceInFolders(textOf(input, "file"), folders);
        const name = ["--name", textOf(input, "alias"), "--force"];
        const within = folders.flatMap((folder) => ["--within", folder]);
        const result = await cli.run<Result>(
          ["deploy", ...name, ...within, "--network", SANDBOX_NETWORK, "--", file],
          { signal },
        );
        await known.refresh();
        return result;
      },
    },
    functez_call: {
      confirm: (input) => {
        const method = textOf(input, "method") || "GET";
        const body = textOf(input, "body");
        const amount = textOf(input, "amount");
        const called = `${textOf(input, "url")}${amount === "" ? "" : ` (${amount} tez)`}`;
        return body === ""
          ? vscode.l10n.t("Call {0} {1} in the sandbox?", method, called)
          : vscode.l10n.t(
              "Call {0} {1} in the sandbox with {2}?",
              method,
              called,
              body.length > SHOWN_BODY ? `${body.slice(0, SHOWN_BODY)}…` : body,
            );
      },
      run: (input, signal) => {
        const { args, ...body } = withBody(textOf(input, "body"));
        const more = (["account", "amount"] as const)
          .filter((name) => textOf(input, name) !== "")
          .map((name) => `--${name}=${textOf(input, name)}`);
        const method = textOf(input, "method") || "GET";
        const request = ["-m", method, ...args, ...more, "--network", SANDBOX_NETWORK];
        return cli.run<Result>(["run", ...request, "--", textOf(input, "url")], { signal, ...body });
      },
    },
    functez_explain_failure: {
      run: async () => {
        const failed = session.operations.find(({ data }) => hasFailed(data));
        if (!failed) return { message: "No operation has failed since this window attached." };
        const trace = await session.runtime()?.trace(failed.data.hash);
        const tree = trace && callTreeText(trace, (address) => nameOf(address, session, known));
        return { operation: failed.data, ...(tree !== undefined && { tree: shorten(visible(tree)) }) };
      },
    },
  };
}
