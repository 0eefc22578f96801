// The steps of the recording that a debug session stands in: which of them it is, in the status bar, and a way to any other.
import * as vscode from "vscode";
import { reasonOf } from "../../daemon/protocol/errors.ts";
import { COMMANDS, DEBUG_TYPE } from "../ids.ts";
import { showError, showInformation, showInput } from "../messages.ts";

export interface Position {
  /** From 1; 0 before the first line. */
  readonly step: number;
  readonly steps: number;
}

export interface RecordedSteps extends vscode.Disposable {
  /** Text of the status bar; undefined while no recording is open. */
  readonly text: string | undefined;
  /** @param step asked for when missing @returns whether the debugger was sent there */
  goTo(step?: number): Promise<boolean>;
}

/** The step that is meant: a number, or `+10` or `-10` from the present one. Undefined when there is no such step. */
export function stepOf(text: string, { step, steps }: Position): number | undefined {
  const [, sign = "", digits] = /^\s*([+-]?)(\d{1,9})\s*$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  const wanted = sign === "" ? number : sign === "+" ? step + number : step - number;
  return wanted >= 1 && wanted <= steps ? wanted : undefined;
}

const positionIn = (body: { step?: unknown; steps?: unknown } | undefined): Position | undefined =>
  typeof body?.step === "number" && typeof body.steps === "number"
    ? { step: body.step, steps: body.steps }
    : undefined;

export function watchRecordedSteps(): RecordedSteps {
  const item = vscode.window.createStatusBarItem("functez.step", vscode.StatusBarAlignment.Left, 0);
  item.name = vscode.l10n.t("functez: step of the recording");
  item.command = COMMANDS.goToStep;
  item.tooltip = vscode.l10n.t("Go to Step…");
  /** Sessions that have stopped, the latest last. */
  const stopped = new Map<string, { readonly session: vscode.DebugSession; readonly position: Position }>();

  /** The session that the editor shows, else the one that stopped last. */
  const current = () => {
    const active = stopped.get(vscode.debug.activeDebugSession?.id ?? "");
    return active ?? [...stopped.values()].at(-1);
  };

  function show(): void {
    const position = current()?.position;
    if (position === undefined) return item.hide();
    item.text = `$(history) ${vscode.l10n.t("step {0} of {1}", position.step, position.steps)}`;
    item.show();
  }

  function leave({ id }: vscode.DebugSession): void {
    if (stopped.delete(id)) show();
  }

  const subscriptions = vscode.Disposable.from(
    vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage({ event, body }: { event?: string; body?: { step?: unknown; steps?: unknown } }) {
          if (event === "continued") return leave(session); // its operation has ended
          const position = event === "stopped" ? positionIn(body) : undefined;
          if (position === undefined) return;
          stopped.delete(session.id);
          stopped.set(session.id, { session, position });
          show();
        },
      }),
    }),
    vscode.debug.onDidChangeActiveDebugSession(show),
    vscode.debug.onDidTerminateDebugSession(leave),
  );

  async function ask(position: Position): Promise<number | undefined> {
    const { step, steps } = position;
    const text = await showInput({
      title: vscode.l10n.t("Go to Step…"),
      prompt: vscode.l10n.t("The recording stands at step {0} of {1}.", step, steps),
      placeHolder: vscode.l10n.t("A number from 1 to {0}, or +10 or -10 from here", steps),
      value: String(step),
      validateInput: (typed) =>
        stepOf(typed, position) === undefined
          ? vscode.l10n.t("A number from 1 to {0}, or +10 or -10 from here", steps)
          : undefined,
    });
    return text === undefined ? undefined : stepOf(text, position);
  }

  return {
    get text() {
      return current() && item.text;
    },
    async goTo(given) {
      const here = current();
      if (here === undefined) {
        await showInformation(vscode.l10n.t("No recording is open: debug an operation first."));
        return false;
      }
      const step = given ?? (await ask(here.position));
      if (step === undefined) return false;
      try {
        await here.session.customRequest("functez/goToStep", { step, threadId: 1 });
        return true;
      } catch (error) {
        await showError(reasonOf(error));
        return false;
      }
    },
    dispose() {
      subscriptions.dispose();
      item.dispose();
    },
  };
}
