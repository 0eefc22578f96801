// Bakes blocks on demand.
import * as vscode from "vscode";
import { ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import type { CommandDependencies } from "./dependencies.ts";

export async function bakeBlock(dependencies: CommandDependencies, count = 1): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  try {
    await dependencies.session.bake(count);
  } catch (error) {
    await showFailure(dependencies.log, vscode.l10n.t("Bake Block"), error);
  }
}
