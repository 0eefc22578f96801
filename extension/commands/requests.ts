// Sends requests from documents, shows and saves the responses, and repeats earlier requests.
import * as vscode from "vscode";
import { copiesOf } from "../../daemon/protocol/request-copies.ts";
import { SCHEMES } from "../ids.ts";
import { showError, showInformation } from "../messages.ts";
import { variablesOf } from "../requests/environment.ts";
import { requestAt, type TextProblem } from "../requests/http-text.ts";
import type { RequestDocuments } from "../requests/request-documents.ts";
import type { Responses } from "../requests/response-documents.ts";
import type { CallResult } from "../requests/response.ts";
import { requestOfKept, runArguments, type SentRequest, signedRequest } from "../requests/sent-request.ts";
import { nameOf } from "../session/account-names.ts";
import { showFailure } from "../session/failures.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { ensureAccount, ensureTarget } from "./signing.ts";

export interface Requests {
  /** Sends the request around a line of a document. */
  sendAt(uri: vscode.Uri, line: number): Promise<CallResult | undefined>;
  /** Sends the request around the cursor. */
  sendAtCursor(): Promise<CallResult | undefined>;
  /** Resends the request of an operation or of a response document. */
  runAgain(of: vscode.Uri | string): Promise<CallResult | undefined>;
  /** Opens the request of an operation for editing. */
  edit(hash: string): Promise<void>;
  /** Copies the request of a response document, of a line of a request document, or of an operation. */
  copy(of: vscode.Uri | string, line?: number): Promise<void>;
}

export function createRequests(
  context: vscode.ExtensionContext,
  dependencies: CommandDependencies,
  documents: RequestDocuments,
): Requests {
  const { session, known, log, cli, networkArguments, callErrors } = dependencies;
  const responses: Responses = dependencies.responses;
  const title = vscode.l10n.t("Call Smart Function");

  async function send(request: SentRequest): Promise<CallResult | undefined> {
    if (!(await ensureTarget(dependencies)) || !(await ensureAccount(dependencies))) return undefined;
    const target = hostOf(request.url);
    const name = nameOf(target, session, known);
    callErrors.clear();
    const [first = "run", ...rest] = runArguments(request);
    try {
      const result = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Calling {0}", name) },
        () =>
          cli.run<CallResult>([first, ...networkArguments(), ...rest], {
            ...(request.body === undefined ? {} : { input: request.body }),
          }),
      );
      const trace = await session
        .runtime()
        ?.trace(result.operation)
        .catch(() => undefined); // another network, or an evicted trace
      const nameOfAddress = (address: string): string => nameOf(address, session, known);
      const failedAt = await callErrors.show(trace);
      await responses.show(request, result, { trace, nameOf: nameOfAddress, failedAt });
      return result;
    } catch (error) {
      await showFailure(log, title, error);
      return undefined;
    }
  }

  async function requestIn(
    uri: vscode.Uri,
    line: number,
  ): Promise<{ readonly request: SentRequest } | undefined> {
    const document = await vscode.workspace.openTextDocument(uri);
    const found = requestAt(document.getText(), line, await variablesOf(context, uri));
    if (found && "request" in found) return found;
    if (!found) void showInformation(vscode.l10n.t("There is no request on this line."));
    else await showProblem(document, found.problem);
    return undefined;
  }

  /** The stored request of an operation. */
  async function requestOf(hash: string): Promise<SentRequest | undefined> {
    const trace = await session.runtime()?.trace(hash);
    const request = trace?.request ? requestOfKept(trace.request) : undefined;
    if (!request)
      void showInformation(
        trace?.request
          ? vscode.l10n.t("The body of this request is not text, or was too large to keep.")
          : vscode.l10n.t("The sandbox has no request of this operation."),
      );
    if (!request || !trace) return undefined;
    // The account that signed it, if its key is here.
    const account = known.list.find(
      ({ kind, address }) => kind === "user" && address === trace.sender,
    )?.alias;
    return { ...request, account: account === known.current ? undefined : account };
  }

  return {
    async sendAt(uri, line) {
      const document = await vscode.workspace.openTextDocument(uri);
      if (uri.scheme === SCHEMES.request && document.isDirty) await document.save();
      const found = await requestIn(uri, line);
      return found && send(found.request);
    },
    async sendAtCursor() {
      const editor = vscode.window.activeTextEditor;
      return editor && this.sendAt(editor.document.uri, editor.selection.active.line);
    },
    async runAgain(of) {
      const request = typeof of === "string" ? await requestOf(of) : responses.of(of)?.request;
      return request && send(request);
    },
    async edit(hash) {
      const request = await requestOf(hash);
      if (!request) return;
      const host = hostOf(request.url);
      const alias = known.list.find(({ address }) => address === host)?.alias;
      const url = alias === undefined ? request.url : request.url.replace(host, alias);
      await documents.open(alias ?? host, { ...request, url });
    },
    async copy(of, line) {
      const request =
        typeof of === "string"
          ? await requestOf(of)
          : (responses.of(of)?.request ?? (await requestIn(of, line ?? 0))?.request);
      if (!request) return;
      const address = session.sandbox && `${session.sandbox.sandboxd}/runtime/operations`;
      const resolved = { ...request, url: withAddress(request.url) };
      const status = typeof of === "string" ? undefined : responses.of(of)?.statusCode;
      const copies = copiesOf(
        signedRequest(resolved, "bootstrap1"),
        { address: address ?? "http://127.0.0.1:54321/runtime/operations", status: status ?? 200 },
        request.account,
      );
      const chosen = await vscode.window.showQuickPick(
        copies.map(({ name, text }) => ({ label: name, text })),
        { title: vscode.l10n.t("Copy Request As") },
      );
      if (!chosen) return;
      await vscode.env.clipboard.writeText(chosen.text);
      vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", chosen.label), 3000);
    },
  };

  /** Replaces an alias, unknown to other tools, by the address. */
  function withAddress(url: string): string {
    const host = hostOf(url);
    const address = known.list.find(({ alias }) => alias === host)?.address;
    return address === undefined ? url : url.replace(host, address);
  }
}

const hostOf = (url: string): string => /^(?:jstz:\/\/)?([^/?#]+)/i.exec(url)?.[1] ?? url;

async function showProblem(document: vscode.TextDocument, { line, code, found }: TextProblem): Promise<void> {
  const texts = {
    "unknown-variable": vscode.l10n.t(
      "{0} has no value. Write @name = value at the top of the file, or choose an environment.",
      found,
    ),
    "bad-header": vscode.l10n.t(
      "{0} is not a header. Write name: value, and an empty line before the body.",
      found,
    ),
    "bad-request-line": vscode.l10n.t(
      "{0} is not a request. Write, for example, GET jstz://counter/path",
      found,
    ),
    "too-long": vscode.l10n.t("The values of {0} and the others are longer than 4 MB together.", found),
    "file-body": vscode.l10n.t(
      "Bodies from files are not supported: write the body itself, or use functez run with -d @file.",
    ),
  } as const;
  const show = vscode.l10n.t("Show Line");
  const answer = await showError(vscode.l10n.t("Line {0}: {1}", line + 1, texts[code]), show);
  if (answer !== show) return;
  const editor = await vscode.window.showTextDocument(document);
  editor.selection = new vscode.Selection(line, 0, line, document.lineAt(line).text.length);
  editor.revealRange(editor.selection);
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
