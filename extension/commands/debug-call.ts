// "Debug" above a handler: sends a request, as "Call" does, and opens its recording at the first line of the handler.
import * as vscode from "vscode";
import { DEBUG_TYPE } from "../ids.ts";
import { showInformation, showInput } from "../messages.ts";
import type { RequestDocuments } from "../requests/request-documents.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { callFunction } from "./functions.ts";

/** A method, when it is not GET, and a path. */
const REQUEST = /^(?:([A-Za-z]{1,20})\s+)?(\/\S*)$/;

/**
 * @param target as for calls
 * @param request such as `POST /add`; prompted for when missing
 */
export async function debugCall(
  dependencies: CommandDependencies,
  documents: RequestDocuments,
  target: unknown,
  request?: string,
): Promise<boolean> {
  if (dependencies.networkArguments().length > 0) {
    await showInformation(vscode.l10n.t("The debugger works with the sandbox only."));
    return false;
  }
  const given = request ?? (await askForRequest());
  const [, method = "GET", path] = REQUEST.exec(given ?? "") ?? [];
  if (path === undefined) return false;
  const called = await callFunction(dependencies, documents, target, path, method.toUpperCase());
  if (called === undefined) return false;
  return vscode.debug.startDebugging(undefined, {
    type: DEBUG_TYPE,
    request: "launch",
    name: given!,
    operation: called.operation,
    stopOnHandler: true,
  });
}

const askForRequest = (): Thenable<string | undefined> =>
  showInput({
    title: vscode.l10n.t("Debug a Call"),
    prompt: vscode.l10n.t("The request: a path, after a method if it is not GET"),
    value: "/",
    valueSelection: [1, 1],
    validateInput: (text) =>
      REQUEST.test(text) ? undefined : vscode.l10n.t("A path begins with a slash: /, or POST /increment."),
  });
