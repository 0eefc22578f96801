// The smaller commands: terminal, copying, documents, blocks, network, status bar menu.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { callTreeText } from "../../daemon/client/call-tree.ts";
import { explorerAddress } from "../../daemon/protocol/explorer-address.ts";
import { debugOperation } from "../editor/debug-sessions.ts";
import { fileExists } from "../editor/file-exists.ts";
import { COMMANDS, EXTENSION_ID, SCHEMES, SETTINGS } from "../ids.ts";
import { showInformation, withoutIcons } from "../messages.ts";
import { nameOf } from "../session/account-names.ts";
import { ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import { hasFailed } from "../session/operation-history.ts";
import { readSettings } from "../session/settings.ts";
import type { CommandDependencies } from "./dependencies.ts";

export function openTerminal(): void {
  const open = vscode.window.terminals.find(({ name }) => name === "functez");
  (open ?? vscode.window.createTerminal({ name: "functez" })).show();
}

/** Copies the value of a node, or asks which endpoint to copy. */
export async function copyValue(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
  let value = (argument as { value?: string } | undefined)?.value;
  if (value === undefined) {
    if (!(await ensureRunning(dependencies))) return;
    const { sandbox } = dependencies.session;
    const items = sandbox
      ? [
          { label: "runtime_node", description: sandbox.runtime },
          { label: "layer1_node", description: sandbox.layer1 },
          { label: "sandboxd", description: sandbox.sandboxd },
        ]
      : [];
    value = (await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Copy Endpoint") }))
      ?.description;
  }
  if (value === undefined) return;
  const copied = await external(value);
  if (copied === undefined) return;
  await vscode.env.clipboard.writeText(copied);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", withoutIcons(copied)), 3000);
}

/** Copies the URL of a function, which works in `fetch` too: by address. @param node of the function */
export async function copyUrl(node: unknown): Promise<void> {
  const { value } = (node ?? {}) as { value?: string };
  if (value === undefined) return;
  const url = `jstz://${value}/`;
  await vscode.env.clipboard.writeText(url);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", url), 3000);
}

/** Opens the file that a function was deployed from, or else its deployed code. @param node of the function */
export async function openSource({ files }: CommandDependencies, node: unknown): Promise<void> {
  const { alias = "", value = "" } = (node ?? {}) as { alias?: string; value?: string };
  const owner = files.ownerOf(alias);
  const file = owner === undefined ? undefined : vscode.Uri.parse(owner);
  const isThere = file !== undefined && (await fileExists(file)); // it may have been moved or deleted since
  await openDocument(
    isThere ? file : vscode.Uri.from({ scheme: SCHEMES.code, path: `/${value}/${alias || value}.js` }),
  );
}

/** Opens the web page of the sandbox in a browser, through a forwarded port where the window is a remote one. */
export async function openExplorer(dependencies: CommandDependencies, view = ""): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { sandbox } = dependencies.session;
  if (!sandbox) return;
  const page = vscode.Uri.parse(explorerAddress(sandbox.sandboxd));
  const forwarded = await vscode.env.asExternalUri(page);
  await vscode.env.openExternal(vscode.Uri.parse(`${forwarded.toString(true)}${view}`));
}

/**
 * In a remote window an endpoint has two addresses: its own for programs beside the sandbox, and a forwarded one for those
 * beside the user, who chooses. Undefined: the user cancelled.
 */
async function external(value: string): Promise<string | undefined> {
  if (!value.startsWith("http://") || vscode.env.remoteName === undefined) return value;
  const outside = await vscode.env.asExternalUri(vscode.Uri.parse(value));
  const forwarded = outside.toString(true).replace(/\/$/, "");
  if (forwarded === value) return value;
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: value,
        description: vscode.l10n.t("for programs on the remote machine, such as the terminal"),
      },
      { label: forwarded, description: vscode.l10n.t("for your browser") },
    ],
    { title: vscode.l10n.t("Copy Endpoint") },
  );
  return chosen?.label;
}

export async function openDocument(uri: unknown): Promise<void> {
  if (uri instanceof vscode.Uri) await vscode.window.showTextDocument(uri, { preview: true });
}

/** Saves the body of a response, whichever look is open, in a file that the user names. */
export async function saveResponse({ responses }: CommandDependencies, look: unknown): Promise<void> {
  const uri = look instanceof vscode.Uri ? responses.of(look)?.body : undefined;
  if (!uri) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = uri.path.split("/").at(-1) ?? "body";
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save Response"),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
  });
  if (target) await vscode.workspace.fs.writeFile(target, await vscode.workspace.fs.readFile(uri));
}

export async function showOperation(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
  const { session, known, responses, links } = dependencies;
  const hash = typeof argument === "string" ? argument : (argument as { value?: string } | undefined)?.value;
  const trace = hash === undefined ? undefined : await session.runtime()?.trace(hash);
  if (!trace) {
    void showInformation(vscode.l10n.t("The sandbox keeps no call tree of this operation."));
    return;
  }
  const tree = callTreeText(trace, (address) => nameOf(address, session, known));
  await responses.showText("call-tree.txt", await links.inSources(tree));
}

/** Opens an operation in the debugger, at its error or at its beginning. @param hash the last call when empty */
export async function debug(dependencies: CommandDependencies, hash: string): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { operations } = dependencies.session;
  const record = operations.find(({ kind, data }) =>
    hash === "" ? kind === "operation" && data.operation === "RunFunction" : data.hash === hash,
  );
  const wanted = hash === "" ? (record?.data.hash ?? "last") : hash;
  await debugOperation(wanted, record !== undefined && hasFailed(record));
}

/** Opens the gas of an operation in the editor's profile viewer. @param folder where the file is written */
export async function showProfile(
  dependencies: CommandDependencies,
  hash: string,
  folder: string,
): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const wanted = hash === "" ? "last" : hash;
  const file = join(folder, "profiles", `${wanted.slice(0, 16)}.cpuprofile`);
  try {
    mkdirSync(dirname(file), { recursive: true });
    await dependencies.cli.run(["profile", wanted, "-o", file]);
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(file));
  } catch (error) {
    await showFailure(dependencies.log, vscode.l10n.t("Gas Profile"), error);
  }
}

export async function bakeBlock(dependencies: CommandDependencies, count = 1): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  try {
    await dependencies.session.bake(count);
  } catch (error) {
    await showFailure(dependencies.log, vscode.l10n.t("Bake Block"), error);
  }
}

/** The network for deploys and calls; empty means the sandbox. */
export async function chooseNetwork({ cli, log }: CommandDependencies): Promise<void> {
  try {
    const { networks } = await cli.run<{ networks: { name: string; jstzNodeEndpoint: string | null }[] }>([
      "network",
      "list",
    ]);
    const items = networks.map(({ name, jstzNodeEndpoint }) => ({
      label: name,
      description: [
        jstzNodeEndpoint ?? vscode.l10n.t("the local sandbox"),
        ...(name === (readSettings().network || "dev") ? [vscode.l10n.t("in use")] : []),
      ].join(" · "),
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Choose Network"),
      placeHolder: vscode.l10n.t("Add others in a terminal: functez network add"),
    });
    if (!chosen) return;
    await vscode.workspace
      .getConfiguration(SETTINGS.section)
      .update(
        SETTINGS.network,
        chosen.label === "dev" ? "" : chosen.label,
        vscode.ConfigurationTarget.Global,
      );
  } catch (error) {
    await showFailure(log, vscode.l10n.t("Choose Network"), error);
  }
}

/** @param setting key of one setting, without our prefix; all of ours by default */
export async function openSettings(setting?: string): Promise<void> {
  const query = setting === undefined ? `@ext:${EXTENSION_ID}` : `${SETTINGS.section}.${setting}`;
  // Settings of the machine are those of the remote one in a remote window.
  const isRemote = vscode.env.remoteName !== undefined;
  const command = isRemote ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings";
  await vscode.commands.executeCommand(command, isRemote ? { query } : query);
}

/** Opens the configuration file of sandboxd. @param place line and column from 1 */
export async function openConfigFile(file: string, place?: { line: number; column: number }): Promise<void> {
  if (readSettings().configFile === "") {
    await openSettings(); // the file is generated from the settings: correct those
    return;
  }
  try {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
    if (place) {
      const position = new vscode.Position(place.line - 1, place.column - 1);
      editor.selection = new vscode.Selection(position, position);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
    }
  } catch {
    await openSettings(); // no such file: correct the setting that names it
  }
}

/** The actions available now: opened by a click on the status bar item. */
export async function showMenu({ session }: CommandDependencies): Promise<void> {
  const running = session.sandbox !== undefined;
  const entry = (icon: string, label: string, command: string) => ({ label: `$(${icon}) ${label}`, command });
  const items = running
    ? [
        entry("arrow-down", vscode.l10n.t("Deposit…"), COMMANDS.deposit),
        entry("arrow-up", vscode.l10n.t("Withdraw…"), COMMANDS.withdraw),
        entry("cloud-upload", vscode.l10n.t("Deploy Smart Function…"), COMMANDS.deploy),
        entry("cloud-upload", vscode.l10n.t("Redeploy All"), COMMANDS.redeployAll),
        entry("new-file", vscode.l10n.t("New Smart Function…"), COMMANDS.newFunction),
        entry("play", vscode.l10n.t("Call Smart Function…"), COMMANDS.call),
        entry("person-add", vscode.l10n.t("Create Account…"), COMMANDS.createAccount),
        entry("terminal", vscode.l10n.t("Open Terminal"), COMMANDS.openTerminal),
        entry("globe", vscode.l10n.t("Open Explorer"), COMMANDS.openExplorer),
        entry("copy", vscode.l10n.t("Copy Endpoint…"), COMMANDS.copyEndpoint),
        entry("output", vscode.l10n.t("Show Log"), COMMANDS.showLog),
        entry("layers", vscode.l10n.t("Bake Block"), COMMANDS.bakeBlock),
        entry("device-camera", vscode.l10n.t("Take Snapshot…"), COMMANDS.takeSnapshot),
        entry("globe", vscode.l10n.t("Choose Network…"), COMMANDS.chooseNetwork),
        entry("settings-gear", vscode.l10n.t("Open Settings"), COMMANDS.openSettings),
        entry("book", vscode.l10n.t("Open Walkthrough"), COMMANDS.openWalkthrough),
        entry("debug-restart", vscode.l10n.t("Restart Sandbox…"), COMMANDS.restart),
        entry("debug-stop", vscode.l10n.t("Stop Sandbox"), COMMANDS.stop),
      ]
    : [
        entry("play", vscode.l10n.t("Start Sandbox"), COMMANDS.start),
        entry("output", vscode.l10n.t("Show Log"), COMMANDS.showLog),
        entry("book", vscode.l10n.t("Open Walkthrough"), COMMANDS.openWalkthrough),
        entry("settings-gear", vscode.l10n.t("Open Settings"), COMMANDS.openSettings),
      ];
  const chosen = await vscode.window.showQuickPick(items, { title: "functez" });
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}
