// What an operation did: its call tree, its recording in the debugger, and its gas.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { callTreeText } from "../../daemon/client/call-tree.ts";
import { hasFailed } from "../../daemon/protocol/operation-outcome.ts";
import { debugOperation } from "../editor/debug-sessions.ts";
import { showInformation } from "../messages.ts";
import { nameOf } from "../session/account-names.ts";
import { ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import type { CommandDependencies } from "./dependencies.ts";

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
export async function openInDebugger(dependencies: CommandDependencies, hash: string): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { operations } = dependencies.session;
  const record = operations.find(({ kind, data }) =>
    hash === "" ? kind === "operation" && data.operation === "RunFunction" : data.hash === hash,
  );
  const wanted = hash === "" ? (record?.data.hash ?? "last") : hash;
  await debugOperation(wanted, record !== undefined && hasFailed(record.data));
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
