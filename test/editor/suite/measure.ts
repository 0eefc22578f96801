// Runs inside the extension host: measures the time from the start command to a tree with balances, and that of
// `activate`.
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import type { FunctezApi } from "../../../extension/extension.ts";
import { COMMANDS, EXTENSION_ID } from "../../../extension/ids.ts";

export interface Measured {
  /** From the load of the extension's code to the end of `activate`; milliseconds. Undefined when it was active before. */
  readonly activateMs?: number;
  /** One value per start, in order; milliseconds. */
  readonly startMs: readonly number[];
}

/** Called by the editor. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<FunctezApi>(EXTENSION_ID)!;
  const wasActive = extension.isActive;
  const begun = performance.now();
  const api = await extension.activate();
  const activateMs = wasActive ? undefined : performance.now() - begun;
  const startMs: number[] = [];
  for (let round = 0; round < Number(process.env["FUNCTEZ_TEST_ROUNDS"] ?? 1); round++) {
    const started = performance.now();
    const shown = balancesShown(api);
    await vscode.commands.executeCommand(COMMANDS.start);
    await shown;
    startMs.push(performance.now() - started);
    await vscode.commands.executeCommand(COMMANDS.stop);
  }
  writeFileSync(
    process.env["FUNCTEZ_TEST_REPORT"]!,
    JSON.stringify({ ...(activateMs === undefined ? {} : { activateMs }), startMs } satisfies Measured),
  );
}

/** Resolves when the tree shows the funded accounts, reading it after each change as the editor does. */
function balancesShown(api: FunctezApi): Promise<void> {
  const { accounts } = api.views;
  return new Promise((resolve) => {
    const subscription = accounts.onDidChangeTreeData!(async () => {
      const rows = (await accounts.getChildren()) ?? [];
      if (rows.filter(({ description }) => description?.startsWith("100000 ꜩ")).length < 6) return;
      subscription.dispose();
      resolve();
    });
  });
}
