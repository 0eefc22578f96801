// Responses beside the editor: the body as it was sent, with lenses for other views.
import * as vscode from "vscode";
import { callTreeText, logText } from "../../daemon/client/call-tree.ts";
import type { OperationTrace } from "../../daemon/protocol/call-trace.ts";
import { sizeText } from "../../daemon/text/byte-size.ts";
import type { ErrorPlace } from "../editor/call-errors.ts";
import type { SourceLinks } from "../editor/source-links.ts";
import { COMMANDS, SCHEMES } from "../ids.ts";
import { withoutIcons } from "../messages.ts";
import { MemoryFiles } from "./memory-files.ts";
import { type CallResult, costOf, looksOf, type ResponseFile } from "./response.ts";
import type { SentRequest } from "./sent-request.ts";

/** Responses are in memory: those of the window before a reload are gone, and their tabs would show an error. */
async function closeTabsOfEarlierWindow(): Promise<void> {
  const gone = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => (input as { uri?: vscode.Uri } | undefined)?.uri?.scheme === SCHEMES.response);
  if (gone.length > 0) await vscode.window.tabGroups.close(gone, true);
}

interface Shown {
  readonly files: readonly (ResponseFile & { readonly title: string })[];
  /** Status, gas, time and size. */
  readonly summary: string;
  readonly result: CallResult;
  readonly request: SentRequest;
  readonly failedAt: ErrorPlace | undefined;
}

/** Responses to keep for their tabs. */
const MAX_KEPT = 50;

export interface Responses {
  /** Opens the response beside the editor without moving the focus. */
  show(request: SentRequest, result: CallResult, details: ResponseDetails): Promise<void>;
  /** Opens a text beside the editor; the extension of `name` selects the language. */
  showText(name: string, text: string): Promise<void>;
  /** The request, status and body file of a response document. */
  of(
    uri: vscode.Uri,
  ): { readonly request: SentRequest; readonly statusCode: number; readonly body: vscode.Uri } | undefined;
}

export interface ResponseDetails {
  /** Undefined when the network keeps none. */
  readonly trace: OperationTrace | undefined;
  readonly nameOf: (address: string) => string;
  /** Where the call failed, in a file of the workspace. */
  readonly failedAt: ErrorPlace | undefined;
}

export function registerResponses(context: vscode.ExtensionContext, links: SourceLinks): Responses {
  const files = new MemoryFiles();
  const shown = new Map<string, Shown>();
  let count = 0;
  const changed = new vscode.EventEmitter<void>();
  const uriOf = (id: string, name: string) =>
    vscode.Uri.from({ scheme: SCHEMES.response, path: `/${id}/${name}` });
  const idOf = (uri: vscode.Uri): string => uri.path.split("/")[1] ?? "";

  context.subscriptions.push(
    changed,
    vscode.workspace.registerFileSystemProvider(SCHEMES.response, files, { isReadonly: true }),
    vscode.languages.registerCodeLensProvider(
      { scheme: SCHEMES.response },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses({ uri }) {
          const response = shown.get(idOf(uri));
          return response ? lensesOf(uri, idOf(uri), response, uriOf) : [];
        },
      },
    ),
  );

  void closeTabsOfEarlierWindow();

  return {
    of(uri) {
      const response = uri.scheme === SCHEMES.response ? shown.get(idOf(uri)) : undefined;
      if (!response) return undefined;
      const { request, result, files: looks } = response;
      return { request, statusCode: result.statusCode, body: uriOf(idOf(uri), looks[0]!.name) };
    },
    async showText(name, text) {
      const uri = uriOf(String(++count), name);
      files.put(uri, Buffer.from(text));
      await showBeside(uri);
    },
    async show(request, result, { trace, nameOf, failedAt }) {
      const id = String(++count);
      const { body, pretty, hex, headers } = looksOf(result);
      const text = (name: string, content: string): ResponseFile => ({ name, bytes: Buffer.from(content) });
      const log = trace?.trace ? await links.inSources(logText(trace.trace.call, nameOf)) : "";
      const tree = trace && (await links.inSources(callTreeText(trace, nameOf)));
      const looks = [
        { ...body, title: vscode.l10n.t("Body") },
        ...(pretty ? [{ ...pretty, title: vscode.l10n.t("Pretty") }] : []),
        ...(hex ? [{ ...hex, title: vscode.l10n.t("Hex") }] : []),
        { ...headers, title: vscode.l10n.t("Headers") },
        ...(tree === undefined
          ? []
          : [{ ...text("call-tree.txt", tree), title: vscode.l10n.t("Call Tree") }]),
        ...(log === "" ? [] : [{ ...text("log.txt", log), title: vscode.l10n.t("Log") }]),
      ];
      const cost = costOf(trace);
      const summary = [
        String(result.statusCode),
        ...(cost
          ? [
              vscode.l10n.t("{0} gas", cost.gas.toLocaleString("en")),
              vscode.l10n.t("{0} ms", cost.ms.toFixed(1)),
            ]
          : []),
        sizeText(body.bytes.length),
      ].join(" · ");
      shown.set(id, { files: looks, summary, result, request, failedAt });
      for (const look of looks) files.put(uriOf(id, look.name), look.bytes);
      forgetOldest();
      // Other binary bodies are shown in hex; the body itself can be saved from there.
      const first = body.name.endsWith(".bin") ? hex! : body;
      await showBeside(uriOf(id, first.name));
      changed.fire();
    },
  };

  function forgetOldest(): void {
    const open = new Set(
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .flatMap(({ input }) =>
          hasUri(input) && input.uri.scheme === SCHEMES.response ? [idOf(input.uri)] : [],
        ),
    );
    for (const [id, { files: old }] of shown) {
      if (shown.size <= MAX_KEPT) return;
      if (open.has(id)) continue;
      shown.delete(id);
      for (const { name } of old) files.drop(uriOf(id, name));
    }
  }
}

const hasUri = (input: unknown): input is { readonly uri: vscode.Uri } =>
  (input as { uri?: unknown } | undefined)?.uri instanceof vscode.Uri;

/** Opens a document beside the active text, replacing an earlier response there. */
async function showBeside(uri: vscode.Uri): Promise<void> {
  const isResponse = vscode.window.activeTextEditor?.document.uri.scheme === SCHEMES.response;
  const viewColumn = isResponse ? vscode.ViewColumn.Active : columnOfResponses();
  const options: vscode.TextDocumentShowOptions = { viewColumn, preserveFocus: !isResponse, preview: true };
  await vscode.commands.executeCommand("vscode.open", uri, options);
}

/** The group that already shows responses, otherwise a new one beside the editor. */
function columnOfResponses(): vscode.ViewColumn {
  const group = vscode.window.tabGroups.all.find(({ activeTab }) => {
    const input = activeTab?.input;
    return hasUri(input) && input.uri.scheme === SCHEMES.response;
  });
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}

function lensesOf(
  uri: vscode.Uri,
  id: string,
  { files, summary, result, failedAt }: Shown,
  uriOf: (id: string, name: string) => vscode.Uri,
): vscode.CodeLens[] {
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string, ...args: unknown[]) =>
    new vscode.CodeLens(top, { title, command, arguments: args });
  const isGood = result.statusCode < 400;
  return [
    lens(`$(${isGood ? "pass" : "error"}) ${summary}`, COMMANDS.showOperation, result.operation),
    ...(failedAt
      ? [
          lens(`$(go-to-file) ${withoutIcons(failedAt.name)}`, "vscode.open", failedAt.uri, {
            selection: failedAt.range,
            viewColumn: vscode.ViewColumn.One,
          }),
        ]
      : []),
    ...files
      .map(({ name, title }) => ({ title, to: uriOf(id, name) }))
      .filter(({ to }) => to.path !== uri.path)
      .map(({ title, to }) => lens(title, COMMANDS.openLook, to)),
    // Only the sandbox keeps call trees, and only its operations can run again.
    ...(files.some(({ name }) => name === "call-tree.txt")
      ? [lens(`$(debug-alt) ${vscode.l10n.t("Debug")}`, COMMANDS.debugOperation, result.operation)]
      : []),
  ];
}
