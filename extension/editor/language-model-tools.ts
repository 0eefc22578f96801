// Tools for language models: they read the sandbox, and change it after the user's confirmation. Failures tell the
// model what to do next.
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import * as vscode from "vscode";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import type { CommandDependencies } from "../commands/dependencies.ts";
import { LANGUAGE_MODEL_TOOLS } from "../ids.ts";
import { CliError, withBody } from "../session/cli.ts";
import { hasFailed } from "../session/operation-history.ts";
import { codeOf } from "../session/sandbox-session.ts";

/** Input from a model: should be text, but may be anything. */
type Input = Readonly<Record<string, unknown>>;

interface Tool {
  readonly run: (input: Input, signal: AbortSignal) => Promise<unknown>;
  /** Required parameters. */
  readonly required?: readonly string[];
  /** The confirmation question; undefined for read-only tools. */
  readonly confirm?: (input: Input) => string;
}

export function registerLanguageModelTools(
  context: vscode.ExtensionContext,
  dependencies: CommandDependencies,
): void {
  if (!("lm" in vscode) || typeof vscode.lm?.registerTool !== "function") return; // an editor without tools
  for (const [name, tool] of Object.entries(languageModelTools(dependencies))) {
    context.subscriptions.push(vscode.lm.registerTool<Input>(name, tool));
  }
}

/** The tools, by the names that the editor uses. */
export function languageModelTools(
  dependencies: CommandDependencies,
): Readonly<Record<string, vscode.LanguageModelTool<Input>>> {
  return Object.fromEntries(
    Object.entries(toolsOf(dependencies)).map(([name, tool]) => [name, adapter(tool, dependencies)]),
  );
}

function adapter(
  { run, required = [], confirm }: Tool,
  { session }: CommandDependencies,
): vscode.LanguageModelTool<Input> {
  return {
    prepareInvocation({ input }) {
      // Do not ask about a call that cannot work.
      if (!confirm || missingOf(required, input).length > 0) return undefined;
      // As text, not Markdown: the values come from the model.
      const message = new vscode.MarkdownString().appendText(confirm(input));
      return { confirmationMessages: { title: "functez", message } };
    },
    async invoke({ input }, token) {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const missing = missingOf(required, input);
      if (missing.length > 0)
        throw new Error(`Call this tool again with ${missing.map((name) => `"${name}"`).join(" and ")}.`);
      if (confirm && !session.sandbox && !(await session.attachIfRunning()))
        throw new Error(
          'The sandbox is not running. Ask the user to start it with the command "functez: Start Sandbox", then call this tool again.',
        );
      let result: unknown;
      try {
        result = await run(input, abort.signal);
      } catch (error) {
        const code = codeOf(error);
        const next = error instanceof CliError ? ` ${error.next}` : "";
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`${code === undefined ? "" : `${code}: `}${message}${next}`, { cause: error });
      }
      return new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart(stringifyExact(result, 2)),
      ]);
    },
  };
}

const missingOf = (required: readonly string[], input: Input): string[] =>
  required.filter((name) => textOf(input, name) === "");

/** A parameter as text; a model may send an amount as a number. */
function textOf(input: Input | undefined, name: string): string {
  const value = input?.[name];
  return typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
}

/** Characters of a body shown in a confirmation. */
const SHOWN_BODY = 200;

function toolsOf({ session, cli, known }: CommandDependencies): Record<string, Tool> {
  return {
    [LANGUAGE_MODEL_TOOLS.status]: {
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
    [LANGUAGE_MODEL_TOOLS.accounts]: {
      run: async () => {
        await known.refresh();
        return { bootstrap: session.accounts, own: known.list, signsWith: known.current ?? null };
      },
    },
    [LANGUAGE_MODEL_TOOLS.deposit]: {
      required: ["from", "to", "amount"],
      confirm: (input) =>
        vscode.l10n.t(
          "Deposit {0} tez from {1} to {2} in the sandbox?",
          textOf(input, "amount"),
          textOf(input, "from"),
          textOf(input, "to"),
        ),
      run: (input, signal) => {
        const accounts = ["--from", textOf(input, "from"), "--to", textOf(input, "to")];
        return cli.run(["bridge", "deposit", ...accounts, `--amount=${textOf(input, "amount")}`], { signal });
      },
    },
    [LANGUAGE_MODEL_TOOLS.deploy]: {
      required: ["file", "alias"],
      confirm: (input) =>
        vscode.l10n.t("Deploy {0} as {1} to the sandbox?", textOf(input, "file"), textOf(input, "alias")),
      run: async (input, signal) => {
        const file = await sourceInWorkspace(textOf(input, "file"));
        const name = ["--name", textOf(input, "alias"), "--force", "--network", SANDBOX_NETWORK];
        const result = await cli.run(["deploy", ...name, "--", file], { signal });
        await known.refresh();
        return result;
      },
    },
    [LANGUAGE_MODEL_TOOLS.call]: {
      required: ["url"],
      confirm: (input) => {
        const method = textOf(input, "method") || "GET";
        const body = textOf(input, "body");
        return body === ""
          ? vscode.l10n.t("Call {0} {1} in the sandbox?", method, textOf(input, "url"))
          : vscode.l10n.t(
              "Call {0} {1} in the sandbox with {2}?",
              method,
              textOf(input, "url"),
              body.length > SHOWN_BODY ? `${body.slice(0, SHOWN_BODY)}…` : body,
            );
      },
      run: (input, signal) => {
        const { args, ...body } = withBody(textOf(input, "body"));
        const request = ["-m", textOf(input, "method") || "GET", ...args, "--network", SANDBOX_NETWORK];
        return cli.run(["run", ...request, "--", textOf(input, "url")], { signal, ...body });
      },
    },
    [LANGUAGE_MODEL_TOOLS.explainFailure]: {
      run: async () => {
        const failed = session.operations.find(hasFailed);
        if (!failed) return { message: "No operation has failed since this window attached." };
        return { operation: failed.data, trace: await session.runtime()?.trace(failed.data.hash) };
      },
    },
  };
}

/** File names of smart function sources. */
const SOURCE = /\.[cm]?[jt]sx?$/i;

/**
 * The path of a source file in an open folder; relative paths start at the first folder. A manipulated model must not
 * publish other files of the user, not even through a link: deployed code is public, and errors quote it.
 * @throws CliError FILE_UNREADABLE
 */
async function sourceInWorkspace(file: string): Promise<string> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const refused = (reason: string) =>
    new CliError(
      "FILE_UNREADABLE",
      `${file} ${reason}.`,
      "Name a JavaScript or TypeScript file of the workspace.",
    );
  if (folders[0] === undefined) throw refused("is not in an open folder");
  if (!SOURCE.test(file)) throw refused("is not a JavaScript or TypeScript file");
  try {
    const path = await realpath(resolve(folders[0], file));
    for (const folder of folders) {
      const inside = relative(await realpath(folder), path);
      if (SOURCE.test(path) && !inside.startsWith("..") && !isAbsolute(inside)) return path;
    }
  } catch {
    throw refused("does not exist");
  }
  throw refused("is not in an open folder");
}
