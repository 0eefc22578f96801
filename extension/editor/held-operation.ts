// The operation that a debug session holds before it is executed: how long it has been, in the status bar, with a click that
// lets it go on.
import * as vscode from "vscode";
import { reasonOf } from "../../daemon/protocol/errors.ts";
import { COMMANDS, CONTEXT_KEYS, DEBUG_TYPE } from "../ids.ts";
import { showError } from "../messages.ts";

interface Held {
  readonly session: vscode.DebugSession;
  readonly hash: string;
  /** By the monotonic clock. */
  readonly since: number;
}

export interface HeldOperation extends vscode.Disposable {
  /** Text of the status bar; undefined while nothing is held. */
  readonly text: string | undefined;
  /** Lets it go on; the editor stays in its recording. */
  release(): Promise<void>;
}

export function watchHeldOperation(): HeldOperation {
  const item = vscode.window.createStatusBarItem("functez.held", vscode.StatusBarAlignment.Left, 0);
  item.name = vscode.l10n.t("functez: held operation");
  item.command = COMMANDS.releaseHeld;
  item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  item.tooltip = vscode.l10n.t("It is executed when you continue to its end. Click to let it go on now.");
  let held: Held | undefined;
  let ticking: NodeJS.Timeout | undefined;

  function tick(): void {
    if (held === undefined) return;
    const seconds = Math.floor((performance.now() - held.since) / 1000);
    item.text = `$(debug-pause) ${vscode.l10n.t("operation held {0} s · Release", seconds)}`;
  }

  function set(next: Held | undefined): void {
    held = next;
    clearInterval(ticking);
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.isHeld, next !== undefined);
    if (next === undefined) return item.hide();
    tick();
    ticking = setInterval(tick, 1_000);
    item.show();
  }

  const subscriptions = vscode.Disposable.from(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== DEBUG_TYPE) return;
      const { hash } = (body ?? {}) as { hash?: string };
      if (event === "functez/held" && hash !== undefined) set({ session, hash, since: performance.now() });
      if (event === "functez/released" && held?.hash === hash) set(undefined);
    }),
    vscode.debug.onDidTerminateDebugSession((session) => {
      if (held?.session.id === session.id) set(undefined);
    }),
  );

  return {
    get text() {
      return held && item.text;
    },
    async release() {
      try {
        await held?.session.customRequest("functez/release");
      } catch (error) {
        await showError(reasonOf(error));
      }
    },
    dispose() {
      subscriptions.dispose();
      set(undefined);
      item.dispose();
    },
  };
}
