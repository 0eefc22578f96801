// Deploy and call smart functions.
import { dirname } from "node:path";
import * as vscode from "vscode";
import { aliasOfFile } from "../../daemon/protocol/alias.ts";
import { FUNCTION_LANGUAGES, handlerOffset } from "../editor/code-lens.ts";
import { showError, showInformation, showWarning } from "../messages.ts";
import { CliError, withBody } from "../session/cli.ts";
import { createAccount } from "./accounts.ts";
import { chooseFunction, targetOf } from "./choose.ts";
import { type CommandDependencies, ensureRunning } from "./dependencies.ts";
import { showFailure } from "./failures.ts";

interface DeployResult {
  readonly address: string;
  readonly alias: string | null;
}

interface CallResult {
  readonly operation: string;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/**
 * @param uri file to deploy (default: the active editor's)
 * @param name alias (default: from the file name)
 * @param isChecked false: whatever `functez check` says, for networks other than the sandbox
 */
export async function deployFunction(
  dependencies: CommandDependencies,
  uri?: vscode.Uri,
  name?: string,
  isChecked = true,
): Promise<DeployResult | undefined> {
  const title = vscode.l10n.t("Deploy Smart Function");
  const document = await documentOf(uri);
  if (!document) return undefined;
  if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return undefined;
  if (document.isDirty && !(await document.save())) {
    await offerSaveAs(document);
    return undefined;
  }
  const alias = name ?? aliasOfFile(document.uri.fsPath);
  dependencies.diagnostics.delete(document.uri);
  try {
    const result = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Deploying {0}", alias) },
      (progress) =>
        dependencies.cli.run<DeployResult>(
          [
            ...["deploy", document.uri.fsPath, "--name", alias, "--force"],
            ...(isChecked ? [] : ["--no-check"]),
            ...dependencies.networkArguments(),
          ],
          {
            cwd: dirname(document.uri.fsPath),
            onProgress: (message) => progress.report({ message }),
          },
        ),
    );
    await dependencies.known.refresh();
    const call = vscode.l10n.t("Call");
    void showInformation(vscode.l10n.t("Deployed {0} at {1}.", alias, result.address), call).then((answer) =>
      answer === call ? callFunction(dependencies, alias) : undefined,
    );
    return result;
  } catch (error) {
    showDiagnostic(dependencies, document, error);
    if (error instanceof CliError && error.code === "CHECK_FAILED") {
      const isWanted = await deployAnyway(error);
      return isWanted ? deployFunction(dependencies, document.uri, alias, false) : undefined;
    }
    await showFailure(dependencies.log, title, error);
    return undefined;
  }
}

/** The function does not work on the chosen network: asks whether to deploy it nevertheless. */
async function deployAnyway(error: CliError): Promise<boolean> {
  const anyway = vscode.l10n.t("Deploy Anyway");
  const problems = vscode.l10n.t("Show Problems");
  const answer = await showWarning(error.message, anyway, problems);
  if (answer === problems) await vscode.commands.executeCommand("workbench.actions.view.problems");
  return answer === anyway;
}

/** The saved file is deployed: unsaved changes of a read-only file would be silently left out. */
async function offerSaveAs(document: vscode.TextDocument): Promise<void> {
  const saveAs = vscode.l10n.t("Save As…");
  const answer = await showError(
    vscode.l10n.t("{0} has changes that cannot be saved.", vscode.workspace.asRelativePath(document.uri)),
    saveAs,
  );
  if (answer !== saveAs) return;
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("workbench.action.files.saveAs");
}

async function documentOf(uri: vscode.Uri | undefined): Promise<vscode.TextDocument | undefined> {
  if (uri instanceof vscode.Uri) return vscode.workspace.openTextDocument(uri);
  const active = vscode.window.activeTextEditor?.document;
  if (active && vscode.languages.match(FUNCTION_LANGUAGES, active) > 0) return active;
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Deploy Smart Function"),
      filters: { "JavaScript, TypeScript": ["ts", "js", "mts", "mjs"] },
    })) ?? [];
  return chosen && vscode.workspace.openTextDocument(chosen);
}

/** The sandbox must be running, unless the user has chosen another network. */
function ensureTarget(dependencies: CommandDependencies): Promise<boolean> {
  return dependencies.networkArguments().length > 0 ? Promise.resolve(true) : ensureRunning(dependencies);
}

/** An operation needs an account to sign it: offers to create one if there is none. */
async function ensureAccount(dependencies: CommandDependencies): Promise<boolean> {
  await dependencies.known.refresh();
  if (dependencies.known.current !== undefined) return true;
  const create = vscode.l10n.t("Create Account");
  const answer = await showInformation(
    vscode.l10n.t("Deploying and calling need an account to sign with."),
    create,
  );
  if (answer !== create) return false;
  await createAccount(dependencies);
  return dependencies.known.current !== undefined;
}

/** Shows a deploy failure at its line: `file:line:column: text` of the bundler, or a position in the runtime's text. */
function showDiagnostic(
  { diagnostics }: CommandDependencies,
  document: vscode.TextDocument,
  error: unknown,
): void {
  if (!(error instanceof CliError)) return;
  const place = placeOf(error.message);
  const fallback = document.positionAt(handlerOffset(document.uri.path, document.getText()) ?? 0);
  const start = place ? new vscode.Position(place.line - 1, place.column - 1) : fallback;
  const line = document.lineAt(Math.min(start.line, document.lineCount - 1)).range;
  const range =
    document.getWordRangeAtPosition(start) ??
    (start.isBefore(line.end) ? new vscode.Range(start, line.end) : line);
  const diagnostic = new vscode.Diagnostic(
    range,
    place?.text ?? error.message,
    vscode.DiagnosticSeverity.Error,
  );
  diagnostic.source = "functez";
  diagnostic.code = error.code;
  diagnostics.set(document.uri, [diagnostic]);
}

/** The first position in a message, lines and columns from 1. */
export function placeOf(message: string): { line: number; column: number; text: string } | undefined {
  const match = /[^\s:]+\.[cm]?[jt]sx?:(\d+):(\d+): (.*)/.exec(message.slice(0, 10_000));
  if (!match) return undefined;
  return { line: Number(match[1]), column: Number(match[2]), text: match[3] ?? message };
}

/** @param argument a function's alias, tree node or file; missing arguments are prompted for */
export async function callFunction(
  dependencies: CommandDependencies,
  argument?: unknown,
  path?: string,
  method?: string,
  body?: string,
): Promise<CallResult | undefined> {
  const title = vscode.l10n.t("Call Smart Function");
  if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return undefined;
  const target =
    (argument instanceof vscode.Uri ? aliasOfFile(argument.fsPath) : targetOf(argument)) ??
    (await chooseFunction(dependencies, title));
  if (target === undefined) return undefined;
  const request =
    path === undefined
      ? await askRequest(title, target)
      : { path, method: method ?? "GET", body, amount: "" };
  if (!request) return undefined;
  const { amount } = request;
  const { args: bodyArguments, ...input } = withBody(request.body);
  const args = [
    "run",
    `jstz://${target}${request.path.startsWith("/") ? "" : "/"}${request.path}`,
    "-m",
    request.method,
    ...bodyArguments,
    ...(amount === "" ? [] : ["-a", amount]),
    ...dependencies.networkArguments(),
  ];
  try {
    const result = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Calling {0}", target) },
      () => dependencies.cli.run<CallResult>(args, input),
    );
    if (path === undefined)
      await showResponse(dependencies, `${request.method} ${target}${request.path}`, result);
    return result;
  } catch (error) {
    await showFailure(dependencies.log, title, error);
    return undefined;
  }
}

interface AskedRequest {
  readonly path: string;
  readonly method: string;
  readonly body: string | undefined;
  /** tez, or empty */
  readonly amount: string;
}

async function askRequest(title: string, target: string): Promise<AskedRequest | undefined> {
  const common = { title: `${title}: ${target}`, ignoreFocusOut: true };
  const method = await vscode.window.showQuickPick(["GET", "POST", "PUT", "PATCH", "DELETE"], {
    ...common,
    placeHolder: vscode.l10n.t("Method (1 of 4)"),
  });
  if (method === undefined) return undefined;
  const path = await vscode.window.showInputBox({
    ...common,
    prompt: vscode.l10n.t("Path and query (2 of 4)"),
    value: "/",
    validateInput: (text) =>
      /\s/.test(text) ? vscode.l10n.t("A path has no spaces; write %20.") : undefined,
  });
  if (path === undefined) return undefined;
  const hasBody = method !== "GET";
  const body = hasBody
    ? await vscode.window.showInputBox({
        ...common,
        prompt: vscode.l10n.t("Body, empty for none (3 of 4)"),
        placeHolder: "{}",
      })
    : "";
  if (body === undefined) return undefined;
  const amount = await vscode.window.showInputBox({
    ...common,
    prompt: vscode.l10n.t("Tez to attach, empty for none (4 of 4)"),
    placeHolder: "0",
  });
  if (amount === undefined) return undefined;
  return { path, method, body, amount: amount.trim() === "0" ? "" : amount.trim() };
}

async function showResponse(
  { documents }: CommandDependencies,
  title: string,
  result: CallResult,
): Promise<void> {
  const headers = Object.entries(result.headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const isText = typeof result.body === "string" || result.body === null;
  const body =
    result.body === null ? "" : isText ? String(result.body) : JSON.stringify(result.body, null, 2);
  const head = [`// ${title}`, `// ${result.statusCode}`, ...headers.map((line) => `// ${line}`), ""];
  await documents.show(isText ? "response.txt" : "response.jsonc", [...head, body, ""].join("\n"));
}
