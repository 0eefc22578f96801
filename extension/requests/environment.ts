// Values of `{{name}}` in request files: from `http-client.env.json` beside the file or above it in the workspace, and from
// the setting of REST Client. The files are data; nothing in them is executed.
import * as vscode from "vscode";
import { readRegularFile } from "../../daemon/local/regular-file.ts";
import { timeOfDay } from "../../daemon/local/time-of-day.ts";
import { isObject } from "../../daemon/tezos/json-fields.ts";
import { showWarning, withoutIcons } from "../messages.ts";
import type { Variables } from "./http-text.ts";

const FILE = "http-client.env.json";
/** Values of every environment. */
const SHARED = "$shared";
const CHOSEN = "functez.environment";
const MAX_FILE = 1_000_000;

type Environments = Readonly<Record<string, unknown>>;

export async function variablesOf(
  context: vscode.ExtensionContext,
  document: vscode.Uri,
): Promise<Variables> {
  const sources = await environmentsOf(document);
  const chosen = context.workspaceState.get<string>(CHOSEN);
  return (name) => builtIn(name) ?? lookUp(sources, chosen, name) ?? lookUp(sources, SHARED, name);
}

/** Lets the user choose the environment. */
export async function chooseEnvironment(context: vscode.ExtensionContext): Promise<void> {
  const document = vscode.window.activeTextEditor?.document.uri;
  const sources = document ? await environmentsOf(document) : [];
  const names = [...new Set(sources.flatMap((source) => Object.keys(source)))].filter(
    (name) => name !== SHARED,
  );
  const none = { label: vscode.l10n.t("No environment"), name: undefined };
  const current = context.workspaceState.get<string>(CHOSEN);
  const items = [none, ...names.map((name) => ({ label: withoutIcons(name), name }))].map((item) => ({
    ...item,
    ...(item.name === current ? { description: vscode.l10n.t("in use") } : {}),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Choose Request Environment"),
    placeHolder: vscode.l10n.t("Environments are in {0}, beside your requests", FILE),
  });
  if (chosen) await context.workspaceState.update(CHOSEN, chosen.name);
}

function lookUp(
  sources: readonly Environments[],
  environment: string | undefined,
  name: string,
): string | undefined {
  if (environment === undefined) return undefined;
  for (const source of sources) {
    const values = Object.hasOwn(source, environment) ? source[environment] : undefined;
    const value = isObject(values) && Object.hasOwn(values, name) ? values[name] : undefined;
    if (["string", "number", "boolean"].includes(typeof value)) return String(value);
  }
  return undefined;
}

/** Values that differ with each request, as in REST Client. */
function builtIn(name: string): string | undefined {
  if (name === "$guid" || name === "$uuid") return crypto.randomUUID();
  if (name === "$timestamp") return String(Math.floor(timeOfDay() / 1000));
  const [, from, to] = /^\$randomInt (-?\d{1,9}) (-?\d{1,9})$/.exec(name) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return String(Math.floor(Number(from) + Math.random() * Math.max(1, Number(to) - Number(from))));
}

async function environmentsOf(document: vscode.Uri): Promise<Environments[]> {
  const found: Environments[] = [];
  for (const folder of foldersAbove(document)) {
    const environments = await readFile(vscode.Uri.joinPath(folder, FILE));
    if (environments) found.push(environments);
  }
  const setting = vscode.workspace.getConfiguration("rest-client").get<unknown>("environmentVariables");
  return isObject(setting) ? [...found, setting] : found;
}

/** The folders from a document's up to its workspace folder; for documents elsewhere, all workspace folders. */
function foldersAbove(document: vscode.Uri): vscode.Uri[] {
  const root = document.scheme === "file" ? vscode.workspace.getWorkspaceFolder(document)?.uri : undefined;
  if (!root) return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const folders: vscode.Uri[] = [];
  let folder = vscode.Uri.joinPath(document, "..");
  while (folder.path.length > root.path.length) {
    folders.push(folder);
    folder = vscode.Uri.joinPath(folder, "..");
  }
  return [...folders, root];
}

/** A file on disk may be a pipe or a device, whatever size it seems to have. */
async function bytesOf(uri: vscode.Uri): Promise<Uint8Array> {
  if (uri.scheme === "file") return readRegularFile(uri.fsPath, MAX_FILE);
  if ((await vscode.workspace.fs.stat(uri)).size > MAX_FILE) throw new Error("it is too large");
  return vscode.workspace.fs.readFile(uri);
}

async function readFile(uri: vscode.Uri): Promise<Environments | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await bytesOf(uri);
  } catch {
    return undefined; // no such file, or none that is read
  }
  try {
    const json: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isObject(json) ? json : undefined;
  } catch (error) {
    void showWarning(
      vscode.l10n.t("{0} is not JSON: {1}", vscode.workspace.asRelativePath(uri), (error as Error).message),
    );
    return undefined;
  }
}
