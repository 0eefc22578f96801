// Runs inside the extension host: the processor time that the extension takes of it with a sandbox full of accounts,
// functions and operations. The operations are sent by the bench, whose work is not the host's.
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { httpRequestText } from "../../../daemon/client/http-json.ts";
import type { FunctezApi } from "../../../extension/extension.ts";
import { EXTENSION_ID } from "../../../extension/ids.ts";
import type { TreeNode } from "../../../extension/views/tree.ts";
import { until } from "./host-test.ts";

/** Processor time of the extension host beyond that of an idle one; milliseconds. */
export interface MeasuredLoad {
  /** From the load of the extension's code to trees that show the sandbox. */
  readonly attach: number;
  /** While the operations arrive, until the trees show the last one. */
  readonly arrive: number;
  /** Opening every row of every tree. */
  readonly expand: number;
  /** Rows opened. */
  readonly rows: number;
}

/** Environment variable with the address at which the bench sends its operations, and answers when they have receipts. */
const SENDER = "FUNCTEZ_TEST_SENDER";
const IDLE_MS = 3_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const spentMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Called by the editor. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<FunctezApi>(EXTENSION_ID)!;
  if (extension.isActive) throw new Error("the extension is active before the measurement begins");
  const idle = await idleShare();
  async function measureLoad(work: () => Promise<unknown>): Promise<number> {
    const [begun, before] = [performance.now(), spentMs()];
    await work();
    await untilIdle(idle);
    return spentMs() - before - idle * (performance.now() - begun);
  }
  let rows = 0;
  const attach = await measureLoad(async () => {
    const { session } = await extension.activate();
    await vscode.commands.executeCommand("workbench.view.extension.functez");
    await until("the operations of before", () => session.operations.length > 0);
  });
  const { session, views } = extension.exports;
  const arrive = await measureLoad(async () => {
    // Not by fetch, which the host would load first.
    const { body: last } = await httpRequestText(process.env[SENDER]!, { timeoutMs: 120_000 });
    await until("the last operation", () => session.operations.some(({ data }) => data.hash === last));
  });
  const expand = await measureLoad(async () => {
    for (const view of Object.values(views)) rows += await openAll(view);
  });
  const measured: MeasuredLoad = { attach, arrive, expand, rows };
  writeFileSync(process.env["FUNCTEZ_TEST_REPORT"]!, JSON.stringify(measured));
}

/** Part of a core that the host takes while nothing happens, once it has come to rest. */
async function idleShare(): Promise<number> {
  await untilIdle(0);
  const [begun, before] = [performance.now(), spentMs()];
  await pause(IDLE_MS);
  return (spentMs() - before) / (performance.now() - begun);
}

/** Until the host takes hardly more than when it is idle: what the work has caused has ended as well. */
async function untilIdle(idle: number): Promise<void> {
  const WINDOW_MS = 500;
  for (let quiet = 0; quiet < 2;) {
    const before = spentMs();
    await pause(WINDOW_MS);
    quiet = spentMs() - before < (idle + 0.05) * WINDOW_MS ? quiet + 1 : 0;
  }
}

/** Opens all rows of a tree, as the editor asks for them. @returns their number */
async function openAll(view: vscode.TreeDataProvider<TreeNode>, parent?: TreeNode): Promise<number> {
  const children = (await view.getChildren(parent)) ?? [];
  let count = children.length;
  for (const child of children) {
    await view.getTreeItem(child);
    if (child.collapsible !== undefined) count += await openAll(view, child);
  }
  return count;
}
