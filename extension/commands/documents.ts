// Opens sources and other documents.
import * as vscode from "vscode";
import { fileExists } from "../editor/file-exists.ts";
import { SCHEMES } from "../ids.ts";
import type { CommandDependencies } from "./dependencies.ts";

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

export async function openDocument(uri: unknown): Promise<void> {
  if (uri instanceof vscode.Uri) await vscode.window.showTextDocument(uri, { preview: true });
}
