// Snapshots of the whole sandbox: take one, go back to one.
import * as vscode from "vscode";
import { SNAPSHOT_NAME } from "../../daemon/protocol/snapshot-name.ts";
import { showInformation, showWarning } from "../messages.ts";
import { ensureRunning } from "../session/dependencies.ts";
import { showFailure } from "../session/failures.ts";
import { askText } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";

/** @param name asked for when missing */
export async function takeSnapshot(dependencies: CommandDependencies, name?: string): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { cli, log, session } = dependencies;
  const title = vscode.l10n.t("Take Snapshot");
  const taken = new Set((await session.snapshots().catch(() => [])).map(({ id }) => id));
  const chosen =
    name ??
    (await askText({
      title,
      prompt: vscode.l10n.t("Name of the snapshot"),
      placeHolder: "before-upgrade",
      check: (text) => nameProblem(text, taken),
    }));
  if (chosen === undefined) return;
  try {
    const { level } = await cli.run<{ level: number }>(["sandbox", "snapshot", chosen]);
    void showInformation(
      vscode.l10n.t(
        "Snapshot {0} has the state of level {1}. It is kept until the sandbox stops.",
        chosen,
        level,
      ),
    );
  } catch (error) {
    await showFailure(log, title, error);
  }
}

/** @param argument tree node or name; asked for when missing */
export async function restoreSnapshot(
  dependencies: CommandDependencies,
  argument?: unknown,
  { confirm = true }: { readonly confirm?: boolean } = {},
): Promise<void> {
  if (!(await ensureRunning(dependencies))) return;
  const { cli, log } = dependencies;
  const title = vscode.l10n.t("Restore Snapshot");
  const id = snapshotOf(argument) ?? (await chooseSnapshot(dependencies, title));
  if (id === undefined) return;
  const restore = vscode.l10n.t("Restore");
  if (confirm) {
    const text = vscode.l10n.t("Restore the snapshot {0}? Everything that happened since is undone.", id);
    if ((await showWarning(text, { modal: true }, restore)) !== restore) return;
  }
  try {
    await cli.run(["sandbox", "restore", id]);
    await dependencies.known.refresh();
  } catch (error) {
    await showFailure(log, title, error);
  }
}

const snapshotOf = (argument: unknown): string | undefined =>
  typeof argument === "string" ? argument : (argument as { value?: string } | undefined)?.value;

async function chooseSnapshot({ session }: CommandDependencies, title: string): Promise<string | undefined> {
  const snapshots = await session.snapshots();
  if (snapshots.length === 0) {
    void showInformation(vscode.l10n.t("There are no snapshots yet."));
    return undefined;
  }
  const items = snapshots.toReversed().map(({ id, level, takenAt }) => ({
    label: id,
    description: vscode.l10n.t("level {0} · {1}", level, new Date(takenAt).toLocaleTimeString()),
  }));
  return (await vscode.window.showQuickPick(items, { title }))?.label;
}

function nameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (taken.has(name)) return vscode.l10n.t("A snapshot of this name exists.");
  return new RegExp(SNAPSHOT_NAME).test(name)
    ? undefined
    : vscode.l10n.t("A letter, then at most 63 letters, digits, hyphens and underscores.");
}
