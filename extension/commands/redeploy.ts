// Deploys files again: all that the sandbox lost with a reset, and a file that was saved.
import * as vscode from "vscode";
import { FUNCTION_LANGUAGES } from "../editor/code-lens.ts";
import { fileExists } from "../editor/file-exists.ts";
import { COMMANDS, SETTINGS } from "../ids.ts";
import { showInformation, showWarning } from "../messages.ts";
import { placeOfDeploys } from "../session/deployed-files.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { deployFunction } from "./functions.ts";
import { ensureAccount, ensureTarget } from "./signing.ts";

type Target = Pick<CommandDependencies, "session" | "networkArguments">;

const placeOf = ({ session, networkArguments }: Target): string =>
  placeOfDeploys(session.sandbox?.pid, networkArguments());

/** Files that were deployed to another place than the present one, such as a sandbox that was reset. */
async function goneFiles(dependencies: CommandDependencies): Promise<{ uri: vscode.Uri; alias: string }[]> {
  const place = placeOf(dependencies);
  const found = dependencies.files.all
    .filter(([, file]) => file.place !== place)
    .map(([uri, { alias }]) => ({ uri: vscode.Uri.parse(uri), alias }));
  const exist = await Promise.all(found.map(({ uri }) => fileExists(uri)));
  return found.filter((_file, i) => exist[i]);
}

/** Deploys all files of this workspace that were deployed before and are not here. @returns their aliases */
export async function redeployAll(dependencies: CommandDependencies): Promise<readonly string[]> {
  if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return [];
  const files = await goneFiles(dependencies);
  if (files.length === 0) {
    void showInformation(vscode.l10n.t("All smart functions that were deployed from here are deployed."));
    return [];
  }
  const done: string[] = [];
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Redeploying"),
      cancellable: true,
    },
    async (progress, token) => {
      for (const { uri, alias } of files) {
        if (token.isCancellationRequested) return;
        progress.report({ message: alias, increment: 100 / files.length });
        if (await deployFunction(dependencies, uri, alias, { isQuiet: true })) done.push(alias);
      }
    },
  );
  const text = vscode.l10n.t(
    "Redeployed {0} of {1}: {2}.",
    done.length,
    files.length,
    done.join(", ") || "–",
  );
  void (done.length === files.length ? showInformation(text) : showWarning(text));
  return done;
}

/** After a reset: says how many functions went with it, and offers to bring them back. */
export async function offerRedeploy(dependencies: CommandDependencies): Promise<void> {
  const { length } = await goneFiles(dependencies);
  if (length === 0 || !dependencies.session.sandbox) return;
  const all = vscode.l10n.t("Redeploy All");
  const answer = await showInformation(
    length === 1
      ? vscode.l10n.t("A smart function that was deployed from here is gone.")
      : vscode.l10n.t("{0} smart functions that were deployed from here are gone.", length),
    all,
  );
  if (answer === all) await vscode.commands.executeCommand(COMMANDS.redeployAll);
}

/** Deploys saved files that are deployed already, when the setting says so; one deploy of a file at a time. */
export class DeployOnSave {
  readonly #dependencies: CommandDependencies;
  /** Files under way; true when one was saved again meanwhile. */
  readonly #running = new Map<string, boolean>();

  constructor(dependencies: CommandDependencies) {
    this.#dependencies = dependencies;
  }

  async saved(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    const file = this.#dependencies.files.of(key);
    const isWanted =
      vscode.workspace.isTrusted &&
      vscode.workspace.getConfiguration(SETTINGS.section, document.uri).get(SETTINGS.deployOnSave, false) &&
      vscode.languages.match(FUNCTION_LANGUAGES, document) > 0;
    if (!isWanted || !file || file.place === "" || file.place !== placeOf(this.#dependencies)) return;
    if (this.#running.has(key)) {
      this.#running.set(key, true);
      return;
    }
    this.#running.set(key, false);
    try {
      await deployFunction(this.#dependencies, document.uri, file.alias, { isQuiet: true });
    } finally {
      const isAgain = this.#running.get(key) === true;
      this.#running.delete(key);
      if (isAgain) await this.saved(document);
    }
  }
}

/** Turns deploying on save on or off, for the workspace; without one, for the user. */
export async function toggleDeployOnSave(): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SETTINGS.section);
  const isOn = !settings.get(SETTINGS.deployOnSave, false);
  const isWorkspace = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
  await settings.update(
    SETTINGS.deployOnSave,
    isOn,
    isWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
  vscode.window.setStatusBarMessage(
    isOn
      ? vscode.l10n.t("Saving a deployed smart function deploys it again.")
      : vscode.l10n.t("Saving deploys nothing."),
    5000,
  );
}
