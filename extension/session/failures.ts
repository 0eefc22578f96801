// Messages about failures: what happened, the next step, and a button that helps.
import * as vscode from "vscode";
import { type ErrorCode, SandboxError } from "../../daemon/protocol/errors.ts";
import { COMMANDS, SETTINGS } from "../ids.ts";
import { showError } from "../messages.ts";
import { codeOf, dataOf } from "./error-data.ts";

interface Action {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** Shows a failure with its next step and an action. Cancelling is not a failure. */
export async function showFailure(log: vscode.LogOutputChannel, what: string, error: unknown): Promise<void> {
  const code = codeOf(error);
  if (code === "CANCELLED") return;
  const message = error instanceof Error ? error.message : String(error);
  log.error(`${what}: ${code === undefined ? "" : `${code}: `}${message}`);
  await offer(log, `${what}: ${withNextStep(message, error)}`, actionsFor(code, dataOf(error)));
}

/** Shows why the sandbox did not start; without a better action the start can be retried. */
export async function showStartFailure(log: vscode.LogOutputChannel, error: unknown): Promise<void> {
  const code = codeOf(error);
  if (code === "CANCELLED") return;
  const message = error instanceof Error ? error.message : String(error);
  log.error(`start: ${code === undefined ? "" : `${code}: `}${message}`);
  const found = actionsFor(code, dataOf(error));
  const actions = found.length > 0 ? found : [{ title: vscode.l10n.t("Try Again"), command: COMMANDS.start }];
  await offer(log, vscode.l10n.t("The sandbox did not start. {0}", withNextStep(message, error)), actions);
}

/** Shows how a running sandbox ended unexpectedly, with the last lines of its log. */
export async function showCrash(
  log: vscode.LogOutputChannel,
  { message }: { readonly message: string },
): Promise<void> {
  await offer(log, vscode.l10n.t("The sandbox ended. {0}", message), [
    { title: vscode.l10n.t("Restart Sandbox"), command: COMMANDS.start },
  ]);
}

/** Message and next step as sentences: compiler messages end without a full stop. */
function withNextStep(message: string, error: unknown): string {
  const text = message.trimEnd();
  if (!(error instanceof SandboxError) || error.next === "") return text;
  return `${text}${/[.!?:;,]$/.test(text) ? "" : "."} ${error.next}`;
}

async function offer(log: vscode.LogOutputChannel, text: string, actions: readonly Action[]): Promise<void> {
  const showLog = vscode.l10n.t("Show Log");
  const answer = await showError(text, ...actions.map(({ title }) => title), showLog);
  if (answer === showLog) log.show();
  const chosen = actions.find(({ title }) => title === answer);
  if (chosen) await vscode.commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
}

/** Actions that fix an error, by its stable code and its data; empty when only the log helps. */
export function actionsFor(
  code: ErrorCode | undefined,
  data: Readonly<Record<string, unknown>>,
): readonly Action[] {
  switch (code) {
    case "NOT_LOGGED_IN":
      return [{ title: vscode.l10n.t("Create Account…"), command: COMMANDS.createAccount }];
    case "SANDBOX_NOT_RUNNING":
      return [{ title: vscode.l10n.t("Start Sandbox"), command: COMMANDS.start }];
    case "INSUFFICIENT_BALANCE":
    case "BAD_ADDRESS":
    case "BAD_AMOUNT":
    case "UNKNOWN_ALIAS":
    case "UNKNOWN_BOOTSTRAP":
    case "UNSUPPORTED_RECEIVER":
      return [{ title: vscode.l10n.t("Deposit…"), command: COMMANDS.deposit }];
    case "PORT_IN_USE":
      return [
        {
          title: vscode.l10n.t("Open Settings"),
          command: COMMANDS.openSettings,
          arguments: [settingOf(data["key"])],
        },
      ];
    case "CONFIG_INVALID":
    case "CONFIG_UNREADABLE":
      return [
        {
          title: vscode.l10n.t("Open Configuration"),
          command: COMMANDS.openConfigFile,
          arguments: [placeIn(data)],
        },
      ];
    case "DOCKER_UNREACHABLE":
    case "IMAGE_UNAVAILABLE":
    case "IMAGE_ARCHITECTURE":
    case "CONTAINER_FOREIGN":
    case "CONTAINER_FAILED":
    case "CONTAINER_LOST":
      return [
        { title: vscode.l10n.t("Start Without a Container"), command: COMMANDS.startWithoutContainer },
        { title: vscode.l10n.t("Try Again"), command: COMMANDS.start },
      ];
    case "BUILD_FAILED":
      return [{ title: vscode.l10n.t("Show Problem"), command: COMMANDS.showProblem }];
    case "INSTALLATION_DAMAGED":
    case "CLI_MISSING":
      return [
        {
          title: vscode.l10n.t("Show Extension"),
          command: "workbench.extensions.search",
          arguments: ["@installed functez"],
        },
      ];
    default:
      return [];
  }
}

/** The setting with the port of a key of the configuration. */
function settingOf(key: unknown): string {
  if (key === "layer1_node.rpc_endpoint") return SETTINGS.layer1Port;
  return key === "runtime_node.endpoint" ? SETTINGS.runtimePort : SETTINGS.serverPort;
}

/** Line and column, both from 1, in an error about the configuration. */
function placeIn({
  line,
  column,
}: Readonly<Record<string, unknown>>): { line: number; column: number } | undefined {
  return typeof line === "number" && typeof column === "number" ? { line, column } : undefined;
}
