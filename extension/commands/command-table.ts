// The table of commands: what each one does with its arguments.
import * as vscode from "vscode";
import type { CoverageMarks } from "../editor/coverage-marks.ts";
import { debugWrite } from "../editor/debug-sessions.ts";
import type { HeldOperation } from "../editor/held-operation.ts";
import type { RecordedSteps } from "../editor/recorded-steps.ts";
import { addTypes } from "../editor/runtime-types.ts";
import { showValueHistory } from "../editor/value-history.ts";
import type { FirstSteps } from "../first-steps.ts";
import { COMMANDS } from "../ids.ts";
import { chooseEnvironment } from "../requests/environment.ts";
import type { RequestDocuments } from "../requests/request-documents.ts";
import type { OperationFilter } from "../session/operation-filter.ts";
import type { OperationsView } from "../views/operations-view.ts";
import { copySecretKey, createAccount, deleteAccount, importAccount, useAccount } from "./accounts.ts";
import { bakeBlock } from "./blocks.ts";
import { deposit, withdraw } from "./bridge.ts";
import { copyUrl, copyValue } from "./clipboard.ts";
import { debugCall } from "./debug-call.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { openDocument, openSource } from "./documents.ts";
import { openExplorer } from "./explorer.ts";
import type { FunctionLogs } from "./function-logs.ts";
import { callFunction, deployAs, deployFunction } from "./functions.ts";
import { restartSandbox, startSandbox, stopSandbox } from "./lifecycle.ts";
import { showMenu } from "./menu.ts";
import { chooseNetwork } from "./network.ts";
import { newFunction, openExample } from "./new-function.ts";
import { openInDebugger, showOperation, showProfile } from "./operations.ts";
import { redeployAll, toggleDeployOnSave } from "./redeploy.ts";
import { type Requests, saveResponse } from "./requests.ts";
import { openConfigFile, openSettings } from "./settings.ts";
import { restoreSnapshot, takeSnapshot } from "./snapshots.ts";
import * as values from "./stored-values.ts";
import { openTerminal } from "./terminal.ts";
import { transfer } from "./transfer.ts";

/** Parts of the extension that only commands need. */
export interface CommandParts {
  readonly functionLogs: FunctionLogs;
  readonly views: {
    readonly accounts: { refresh(): void };
    readonly functions: { refresh(): void };
    readonly operations: OperationsView;
  };
  readonly documents: RequestDocuments;
  readonly requests: Requests;
  readonly firstSteps: FirstSteps;
  readonly coverage: CoverageMarks;
  readonly heldOperation: HeldOperation;
  readonly recordedSteps: RecordedSteps;
  /** The configuration file of the sandbox that a start uses. */
  readonly configFile: () => string;
}

type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** The hash of an operation: as it is, or of its tree node. */
const hashOf = (argument: unknown): string =>
  typeof argument === "string" ? argument : ((argument as { value?: string } | undefined)?.value ?? "");

/**
 * What each command does. Menus pass tree nodes and documents, keys and other extensions whatever they like: arguments
 * are checked here.
 */
export function commandTable(
  context: vscode.ExtensionContext,
  dependencies: CommandDependencies,
  {
    functionLogs,
    views,
    documents,
    requests,
    firstSteps,
    coverage,
    heldOperation,
    recordedSteps,
    configFile,
  }: CommandParts,
): Record<CommandId, (...args: never[]) => unknown> {
  return {
    [COMMANDS.start]: () => startSandbox(dependencies),
    [COMMANDS.startWithoutContainer]: () => startSandbox(dependencies, true),
    [COMMANDS.stop]: (options?: { confirm?: boolean }) => stopSandbox(dependencies, options),
    [COMMANDS.restart]: (options?: { confirm?: boolean }) => restartSandbox(dependencies, options),
    [COMMANDS.reset]: () => restartSandbox(dependencies),
    [COMMANDS.deposit]: (from?: unknown, to?: string, amount?: string) =>
      deposit(dependencies, from, to, amount),
    [COMMANDS.withdraw]: (from?: unknown, to?: string, amount?: string) =>
      withdraw(dependencies, from, typeof to === "string" ? to : undefined, amount),
    [COMMANDS.useAccount]: (node?: unknown) => useAccount(dependencies, node),
    [COMMANDS.importAccount]: () => importAccount(dependencies),
    [COMMANDS.deleteAccount]: (node?: unknown) => deleteAccount(dependencies, node),
    [COMMANDS.copySecretKey]: (node?: unknown) => copySecretKey(dependencies, node),
    [COMMANDS.transfer]: (from?: unknown, to?: unknown, amount?: string) =>
      transfer(dependencies, from, typeof to === "string" ? to : undefined, amount),
    [COMMANDS.newFunction]: (name?: unknown) => newFunction(typeof name === "string" ? name : undefined),
    [COMMANDS.openExample]: (name?: unknown) =>
      openExample(context, typeof name === "string" ? name : undefined),
    [COMMANDS.createAccount]: (alias?: unknown) =>
      createAccount(dependencies, typeof alias === "string" ? alias : undefined),
    [COMMANDS.deploy]: (uri?: vscode.Uri, name?: string) =>
      deployFunction(dependencies, uri, typeof name === "string" ? name : undefined),
    [COMMANDS.deployAs]: (uri?: vscode.Uri) => deployAs(dependencies, uri),
    [COMMANDS.redeployAll]: () => redeployAll(dependencies),
    [COMMANDS.toggleDeployOnSave]: () => toggleDeployOnSave(),
    [COMMANDS.call]: (target?: unknown, path?: string, method?: string, body?: string) =>
      callFunction(
        dependencies,
        documents,
        target,
        typeof path === "string" ? path : undefined,
        method,
        body,
      ),
    [COMMANDS.sendRequest]: (uri?: vscode.Uri, line?: number) =>
      uri instanceof vscode.Uri && typeof line === "number"
        ? requests.sendAt(uri, line)
        : requests.sendAtCursor(),
    [COMMANDS.runAgain]: (operation?: unknown) =>
      requests.runAgain(operation instanceof vscode.Uri ? operation : hashOf(operation)),
    [COMMANDS.editRequest]: (operation?: unknown) => requests.edit(hashOf(operation)),
    [COMMANDS.copyRequest]: (of?: unknown, line?: number) =>
      requests.copy(of instanceof vscode.Uri ? of : hashOf(of), line),
    [COMMANDS.chooseEnvironment]: () => chooseEnvironment(context),
    [COMMANDS.openLook]: (uri?: unknown) => openDocument(uri),
    [COMMANDS.saveResponse]: (uri?: unknown) => saveResponse(dependencies, uri),
    [COMMANDS.openOperation]: (operation?: unknown) =>
      openExplorer(dependencies, `#/operation/${hashOf(operation)}`),
    [COMMANDS.debugOperation]: (operation?: unknown) => openInDebugger(dependencies, hashOf(operation)),
    [COMMANDS.gasProfile]: (operation?: unknown) =>
      showProfile(dependencies, hashOf(operation), context.globalStorageUri.fsPath),
    [COMMANDS.goToLastWrite]: (node?: { address?: string; value?: string }) =>
      node?.address !== undefined && node.value !== undefined
        ? debugWrite(node.address, node.value)
        : undefined,
    [COMMANDS.valueHistory]: (node?: { address?: string; value?: string }) =>
      node?.address !== undefined && node.value !== undefined
        ? showValueHistory(dependencies, { address: node.address, key: node.value })
        : undefined,
    [COMMANDS.releaseHeld]: () => heldOperation.release(),
    [COMMANDS.goToStep]: (step?: unknown) => recordedSteps.goTo(typeof step === "number" ? step : undefined),
    [COMMANDS.debugCall]: (target?: unknown, request?: unknown) =>
      debugCall(dependencies, documents, target, typeof request === "string" ? request : undefined),
    [COMMANDS.toggleCoverage]: () => coverage.toggle(dependencies),
    [COMMANDS.copyHash]: (node?: unknown) => copyValue(dependencies, node),
    [COMMANDS.filterOperations]: (filter?: { kind?: unknown }) =>
      views.operations.filter(filter?.kind === undefined ? undefined : (filter as OperationFilter)),
    [COMMANDS.clearOperations]: () => views.operations.clear(),
    [COMMANDS.loadMoreOperations]: () => dependencies.session.loadEarlierOperations(),
    [COMMANDS.findKey]: (node?: unknown) => values.findKey(dependencies, node),
    [COMMANDS.copyKey]: (node?: unknown) => values.copyKey(node),
    [COMMANDS.copyStoredValue]: (node?: unknown) => values.copyStoredValue(dependencies, node),
    [COMMANDS.editStoredValue]: (node?: unknown, json?: unknown, options?: { confirm?: boolean }) =>
      values.editStoredValue(dependencies, node, typeof json === "string" ? json : undefined, options),
    [COMMANDS.deleteStoredValue]: (node?: unknown, options?: { confirm?: boolean }) =>
      values.deleteStoredValue(dependencies, node, options),
    [COMMANDS.showLog]: () => dependencies.log.show(),
    [COMMANDS.showFunctionLogs]: (node?: unknown) => functionLogs.show(dependencies, node),
    [COMMANDS.openTerminal]: () => openTerminal(),
    [COMMANDS.openExplorer]: () => openExplorer(dependencies),
    [COMMANDS.copyEndpoint]: (node?: unknown) => copyValue(dependencies, node),
    [COMMANDS.copyAddress]: (node?: unknown) => copyValue(dependencies, node),
    [COMMANDS.copyUrl]: (node?: unknown) => copyUrl(node),
    [COMMANDS.openSource]: (node?: unknown) => openSource(dependencies, node),
    [COMMANDS.openWalkthrough]: () => firstSteps.openWalkthrough(),
    [COMMANDS.openSettings]: (setting?: unknown) =>
      openSettings(typeof setting === "string" ? setting : undefined),
    [COMMANDS.openConfigFile]: (place?: { line: number; column: number }) =>
      openConfigFile(configFile(), place),
    [COMMANDS.takeSnapshot]: (name?: unknown) =>
      takeSnapshot(dependencies, typeof name === "string" ? name : undefined),
    [COMMANDS.restoreSnapshot]: (snapshot?: unknown, options?: { confirm?: boolean }) =>
      restoreSnapshot(dependencies, snapshot, options),
    [COMMANDS.bakeBlock]: (count?: unknown) => bakeBlock(dependencies, typeof count === "number" ? count : 1),
    [COMMANDS.chooseNetwork]: () => chooseNetwork(dependencies),
    [COMMANDS.showProblem]: () => dependencies.diagnostics.reveal(),
    [COMMANDS.showCode]: (uri?: unknown) => openDocument(uri),
    [COMMANDS.showValue]: (uri?: unknown) => openDocument(uri),
    [COMMANDS.showOperation]: (node?: unknown) => showOperation(dependencies, node),
    [COMMANDS.addTypes]: (uri?: vscode.Uri) => addTypes(context, uri),
    [COMMANDS.refresh]: async () => {
      await dependencies.known.refresh();
      views.accounts.refresh();
      views.functions.refresh();
    },
    [COMMANDS.menu]: () => showMenu(dependencies),
  };
}
