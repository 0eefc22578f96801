// A persistent document of requests for each smart function: the last requests are still there after a restart of the
// editor.
import * as vscode from "vscode";
import { SCHEMES } from "../ids.ts";
import { textOfRequest } from "./http-text.ts";
import { MemoryFiles } from "./memory-files.ts";
import type { SentRequest } from "./sent-request.ts";

const STORED = "functez.requests";
/** Documents to keep, and characters of each. */
const MAX_DOCUMENTS = 100;
const MAX_LENGTH = 200_000;

type Stored = readonly (readonly [path: string, text: string])[];

export interface RequestDocuments {
  /**
   * Opens the requests of a function.
   * @param target alias or address
   * @param request inserted above the others
   */
  open(target: string, request?: SentRequest): Promise<vscode.TextEditor>;
}

export function registerRequestDocuments(context: vscode.ExtensionContext): RequestDocuments {
  const stored = new Map(context.workspaceState.get<Stored>(STORED, []));
  const files = new MemoryFiles((path, bytes) => {
    stored.delete(path);
    if (bytes.length <= MAX_LENGTH) stored.set(path, Buffer.from(bytes).toString("utf8"));
    for (const old of stored.keys()) {
      if (stored.size <= MAX_DOCUMENTS) break;
      stored.delete(old);
    }
    void context.workspaceState.update(STORED, [...stored]);
  });
  const uriOf = (path: string) => vscode.Uri.from({ scheme: SCHEMES.request, path });
  for (const [path, text] of stored) files.put(uriOf(path), Buffer.from(text));
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider(SCHEMES.request, files));

  return {
    async open(target, request) {
      const uri = uriOf(`/${target}.http`);
      if (!files.has(uri)) files.put(uri, Buffer.from(request ? "" : beginning(target)));
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document, {
        viewColumn: columnFor(uri),
        preview: false,
      });
      if (!request) return editor;
      const text = textOfRequest({ name: undefined, ...request });
      const edit = new vscode.WorkspaceEdit();
      edit.insert(uri, new vscode.Position(0, 0), document.getText() === "" ? text : `${text}\n###\n\n`);
      await vscode.workspace.applyEdit(edit);
      await document.save();
      editor.selection = new vscode.Selection(0, 0, 0, 0);
      editor.revealRange(editor.selection);
      return editor;
    },
  };
}

/** The column where the document is open; otherwise the active group, but never that of a response. */
function columnFor(uri: vscode.Uri): vscode.ViewColumn {
  const hasIt = ({ tabs }: vscode.TabGroup): boolean =>
    tabs.some(({ input }) => (input as { uri?: vscode.Uri } | undefined)?.uri?.toString() === uri.toString());
  const open = vscode.window.tabGroups.all.find(hasIt);
  if (open) return open.viewColumn;
  const isResponse = vscode.window.activeTextEditor?.document.uri.scheme === SCHEMES.response;
  return isResponse ? vscode.ViewColumn.One : vscode.ViewColumn.Active;
}

const beginning = (target: string): string =>
  [
    `# ${vscode.l10n.t("Send is above each request. A line of ### starts the next.")}`,
    `# ${vscode.l10n.t("Settings go above the request: @tez 1.5, @gas 100000, @account alice")}`,
    "",
    `GET jstz://${target}/`,
    "",
    "###",
    "",
    `POST jstz://${target}/`,
    "content-type: application/json",
    "",
    "{}",
    "",
  ].join("\n");
