// Tools for language models: they see the sandbox, and act on it after the user confirmed.
import * as vscode from "vscode";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import type { CommandDependencies } from "../commands/dependencies.ts";
import { LANGUAGE_MODEL_TOOLS } from "../ids.ts";

type Input = Readonly<Record<string, string | undefined>>;

interface Tool {
  readonly run: (input: Input, signal: AbortSignal) => Promise<unknown>;
  /** Sentence that the user confirms; undefined for tools that only read. */
  readonly confirm?: (input: Input) => string;
}

export function registerLanguageModelTools(
  context: vscode.ExtensionContext,
  dependencies: CommandDependencies,
): void {
  if (!("lm" in vscode) || typeof vscode.lm?.registerTool !== "function") return; // an editor without them
  for (const [name, tool] of Object.entries(toolsOf(dependencies))) {
    context.subscriptions.push(vscode.lm.registerTool<Input>(name, adapter(tool)));
  }
}

function adapter({ run, confirm }: Tool): vscode.LanguageModelTool<Input> {
  return {
    prepareInvocation: ({ input }) =>
      confirm
        ? { confirmationMessages: { title: "functez", message: new vscode.MarkdownString(confirm(input)) } }
        : undefined,
    async invoke({ input }, token) {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      let text: string;
      try {
        text = stringifyExact(await run(input, abort.signal), 2);
      } catch (error) {
        text = `error: ${error instanceof Error ? error.message : String(error)}`;
      }
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

function toolsOf({ session, cli, known }: CommandDependencies): Record<string, Tool> {
  const need = (input: Input, key: string): string => {
    const value = input[key];
    if (value === undefined || value === "") throw new Error(`the parameter ${key} is missing`);
    return value;
  };
  return {
    [LANGUAGE_MODEL_TOOLS.status]: {
      run: async () => ({
        state: session.state.kind,
        sandbox: session.sandbox ?? null,
        level: session.level ?? null,
        parts: session.parts,
      }),
    },
    [LANGUAGE_MODEL_TOOLS.accounts]: {
      run: async () => ({ bootstrap: session.accounts, own: known.list, signsWith: known.current ?? null }),
    },
    [LANGUAGE_MODEL_TOOLS.deposit]: {
      confirm: (input) =>
        vscode.l10n.t(
          "Deposit {0} tez from {1} to {2} in the sandbox?",
          input["amount"] ?? "?",
          input["from"] ?? "?",
          input["to"] ?? "?",
        ),
      run: (input, signal) =>
        cli.run(
          [
            "bridge",
            "deposit",
            "--from",
            need(input, "from"),
            "--to",
            need(input, "to"),
            `--amount=${need(input, "amount")}`,
          ],
          { signal },
        ),
    },
    [LANGUAGE_MODEL_TOOLS.deploy]: {
      confirm: (input) =>
        vscode.l10n.t("Deploy {0} as {1} to the sandbox?", input["file"] ?? "?", input["alias"] ?? "?"),
      run: (input, signal) =>
        cli.run(["deploy", need(input, "file"), "--name", need(input, "alias"), "--force"], { signal }),
    },
    [LANGUAGE_MODEL_TOOLS.call]: {
      confirm: (input) =>
        vscode.l10n.t("Call {0} {1} in the sandbox?", input["method"] ?? "GET", input["url"] ?? "?"),
      run: (input, signal) =>
        cli.run(
          [
            "run",
            need(input, "url"),
            "-m",
            input["method"] ?? "GET",
            ...(input["body"] ? ["-d", input["body"]] : []),
          ],
          { signal },
        ),
    },
    [LANGUAGE_MODEL_TOOLS.explainFailure]: {
      run: async () => {
        const failed = session.operations.find(
          ({ data }) => data["success"] !== true || Number(data["statusCode"] ?? 200) >= 400,
        );
        if (!failed) return { message: "No operation has failed since this window attached." };
        return { operation: failed.data, trace: await session.runtime()?.trace(failed.hash) };
      },
    },
  };
}
