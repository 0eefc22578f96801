// Deploy and call smart functions.
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { aliasOfFile } from "../../daemon/protocol/alias.ts";
import { isError, type SandboxError } from "../../daemon/protocol/errors.ts";
import { FUNCTION_LANGUAGES } from "../editor/code-lens.ts";
import { fileExists } from "../editor/file-exists.ts";
import { typeErrorsOf } from "../editor/type-errors.ts";
import { COMMANDS } from "../ids.ts";
import { showError, showInformation, showWarning } from "../messages.ts";
import type { RequestDocuments } from "../requests/request-documents.ts";
import { withBody } from "../session/cli.ts";
import { digestOf, placeOfDeploys } from "../session/deployed-files.ts";
import { showFailure } from "../session/failures.ts";
import { askText, chooseFunction, invalidAlias, targetOf } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { ensureAccount, ensureTarget } from "./signing.ts";

interface DeployResult {
  readonly address: string;
  readonly alias: string | null;
}

export interface DeployOptions {
  /** False: whatever `functez check` says, for networks other than the sandbox. */
  readonly isChecked?: boolean;
  /** No message about success, and no question about types: for deploys that nobody waits for. */
  readonly isQuiet?: boolean;
}

interface CallResult {
  readonly operation: string;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/**
 * @param uri file to deploy (default: the active editor's)
 * @param name alias (default: the one that the file was deployed as before, or else from its name)
 */
export async function deployFunction(
  dependencies: CommandDependencies,
  uri?: vscode.Uri,
  name?: string,
  options: DeployOptions = {},
): Promise<DeployResult | undefined> {
  const { isChecked = true, isQuiet = false } = options;
  const title = vscode.l10n.t("Deploy Smart Function");
  const opened = await documentOf(uri);
  if (!opened) return undefined;
  if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return undefined;
  const document = opened.isUntitled ? await savedDocument(opened) : opened;
  if (!document) return undefined;
  if (document.isDirty && !(await document.save())) {
    await offerSaveAs(document);
    return undefined;
  }
  const alias = name ?? (await ownAlias(dependencies, document.uri));
  if (alias === undefined) return undefined;
  if (!isQuiet && isChecked && !(await acceptsTypeErrors(document))) return undefined;
  dependencies.diagnostics.clear(document.uri);
  const digest = digestOf(document.getText()); // of what is deployed: the file may change meanwhile
  try {
    const result = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Deploying {0}", alias) },
      (progress) =>
        dependencies.cli.run<DeployResult>(
          [
            ...["deploy", "--name", alias, "--force"],
            ...(isChecked ? [] : ["--no-check"]),
            ...dependencies.networkArguments(),
            ...["--", basename(document.uri.fsPath)], // as errors name it
          ],
          {
            cwd: dirname(document.uri.fsPath),
            onProgress: (message) => progress.report({ message }),
          },
        ),
    );
    await dependencies.known.refresh();
    const { files, session, networkArguments } = dependencies;
    files.set(document.uri.toString(), {
      ...{ alias, address: result.address, digest },
      place: placeOfDeploys(session.sandbox?.pid, networkArguments()),
    });
    if (isQuiet) {
      vscode.window.setStatusBarMessage(vscode.l10n.t("Deployed {0} at {1}.", alias, result.address), 5000);
      return result;
    }
    const call = vscode.l10n.t("Call");
    void showInformation(vscode.l10n.t("Deployed {0} at {1}.", alias, result.address), call).then((answer) =>
      answer === call ? vscode.commands.executeCommand(COMMANDS.call, alias) : undefined,
    );
    return result;
  } catch (error) {
    dependencies.diagnostics.show(document, error);
    if (isError(error, "CHECK_FAILED")) {
      const isWanted = await deployAnyway(error);
      return isWanted
        ? deployFunction(dependencies, document.uri, alias, { ...options, isChecked: false })
        : undefined;
    }
    await showFailure(dependencies.log, title, error);
    return undefined;
  }
}

/** Deploys under a name that the user types. */
export async function deployAs(dependencies: CommandDependencies, uri?: vscode.Uri): Promise<void> {
  const document = await documentOf(uri);
  if (!document) return;
  const name = await askAlias(dependencies, aliasOfFile(document.uri.fsPath));
  if (name !== undefined) await deployFunction(dependencies, document.uri, name);
}

/** @param proposed selected, so that typing replaces it */
function askAlias({ known }: CommandDependencies, proposed: string): Promise<string | undefined> {
  return askText({
    title: vscode.l10n.t("Deploy As"),
    prompt: vscode.l10n.t("Alias of the smart function"),
    value: proposed,
    check: (text) => {
      if (known.list.some(({ alias, kind }) => kind === "user" && alias === text))
        return vscode.l10n.t("This is the alias of an account.");
      return invalidAlias(text);
    },
  });
}

/** The alias of a file; asks when it belongs to another file or to an account. Undefined: the user cancelled. */
async function ownAlias(dependencies: CommandDependencies, uri: vscode.Uri): Promise<string | undefined> {
  const { files, known } = dependencies;
  const mine = files.of(uri.toString())?.alias;
  if (mine !== undefined) return mine;
  const alias = aliasOfFile(uri.fsPath);
  const owner = files.ownerOf(alias);
  const isAccount = known.list.some((account) => account.kind === "user" && account.alias === alias);
  const isTaken = owner !== undefined && (await fileExists(vscode.Uri.parse(owner)));
  if (!isAccount && !isTaken) return alias;
  const take = vscode.l10n.t("Take the Alias");
  const other = vscode.l10n.t("Deploy As…");
  const text = isAccount
    ? vscode.l10n.t("{0} is the alias of an account.", alias)
    : vscode.l10n.t(
        "{0} is the alias of {1}.",
        alias,
        vscode.workspace.asRelativePath(vscode.Uri.parse(owner!)),
      );
  const answer = await showWarning(text, ...(isAccount ? [other] : [other, take]));
  if (answer === take) return alias;
  return answer === other ? askAlias(dependencies, alias) : undefined;
}

/** Whether the file has no type errors, or the user deploys it nevertheless. */
async function acceptsTypeErrors(document: vscode.TextDocument): Promise<boolean> {
  const errors = typeErrorsOf(document.uri);
  const [first] = errors;
  if (!first) return true;
  const anyway = vscode.l10n.t("Deploy Anyway");
  const problem = vscode.l10n.t("Go to Problem");
  const where = vscode.l10n.t(
    "line {0}: {1}",
    first.range.start.line + 1,
    first.message.split("\n")[0] ?? "",
  );
  const name = vscode.workspace.asRelativePath(document.uri);
  const answer = await showWarning(
    errors.length === 1
      ? vscode.l10n.t("{0} has a type error, {1}", name, where)
      : vscode.l10n.t("{0} has {1} type errors, {2}", name, errors.length, where),
    anyway,
    problem,
  );
  if (answer === problem) await vscode.window.showTextDocument(document, { selection: first.range });
  return answer === anyway;
}

/** The function does not work on the chosen network: asks whether to deploy it nevertheless. */
async function deployAnyway(error: SandboxError): Promise<boolean> {
  const anyway = vscode.l10n.t("Deploy Anyway");
  const problems = vscode.l10n.t("Show Problems");
  const answer = await showWarning(error.message, anyway, problems);
  if (answer === problems) await vscode.commands.executeCommand("workbench.actions.view.problems");
  return answer === anyway;
}

/** A new document gets a file first: its name is the alias. Undefined: the user cancelled. */
async function savedDocument(document: vscode.TextDocument): Promise<vscode.TextDocument | undefined> {
  await vscode.window.showTextDocument(document); // the editor saves only what is open
  const saved = await vscode.workspace.save(document.uri);
  return saved && vscode.workspace.openTextDocument(saved);
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

/**
 * Calls a function with the given request; without one, opens its request document.
 * @param argument a function's alias, tree node or file; prompted for when missing
 */
export async function callFunction(
  dependencies: CommandDependencies,
  documents: RequestDocuments,
  argument?: unknown,
  path?: string,
  method = "GET",
  body?: string,
): Promise<CallResult | undefined> {
  const title = vscode.l10n.t("Call Smart Function");
  if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return undefined;
  const target =
    argument instanceof vscode.Uri
      ? await deployedAlias(dependencies, argument)
      : (targetOf(argument) ?? (await chooseFunction(dependencies, title)));
  if (target === undefined) return undefined;
  if (path === undefined) {
    await documents.open(target);
    return undefined;
  }
  const { args: bodyArguments, ...input } = withBody(body);
  const url = `jstz://${target}${path.startsWith("/") ? "" : "/"}${path}`;
  const args = ["run", url, "-m", method, ...bodyArguments, ...dependencies.networkArguments()];
  try {
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Calling {0}", target) },
      () => dependencies.cli.run<CallResult>(args, input),
    );
  } catch (error) {
    await showFailure(dependencies.log, title, error);
    return undefined;
  }
}

/** The alias of a file's function, which is deployed first if the user agrees. */
async function deployedAlias(
  dependencies: CommandDependencies,
  uri: vscode.Uri,
): Promise<string | undefined> {
  const { known, files, session, networkArguments } = dependencies;
  const file = files.of(uri.toString());
  const alias = file?.alias ?? aliasOfFile(uri.fsPath);
  const isHere = !file || file.place === placeOfDeploys(session.sandbox?.pid, networkArguments());
  if (isHere && known.list.some((account) => account.kind === "smart-function" && account.alias === alias))
    return alias;
  const deploy = vscode.l10n.t("Deploy and Call");
  const answer = await showInformation(vscode.l10n.t("{0} is not deployed yet.", alias), deploy);
  if (answer !== deploy) return undefined;
  return (await deployFunction(dependencies, uri)) && files.of(uri.toString())?.alias;
}
