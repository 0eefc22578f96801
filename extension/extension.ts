// The extension: composes session, views and commands. Starts and awaits nothing unless the user asks for it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { pause } from "../daemon/protocol/wait.ts";
import { commandTable } from "./commands/command-table.ts";
import type { CommandDependencies } from "./commands/dependencies.ts";
import { FunctionLogs } from "./commands/function-logs.ts";
import { startSandbox, warnOfOtherVersion } from "./commands/lifecycle.ts";
import { DeployOnSave } from "./commands/redeploy.ts";
import { createRequests } from "./commands/requests.ts";
import { CallErrors } from "./editor/call-errors.ts";
import { createCodeLensProvider, FUNCTION_LANGUAGES } from "./editor/code-lens.ts";
import { CoverageMarks } from "./editor/coverage-marks.ts";
import { registerDebugSessions } from "./editor/debug-sessions.ts";
import { DeployDiagnostics } from "./editor/deploy-diagnostics.ts";
import { createFunctionChecks } from "./editor/function-checks.ts";
import { type HeldOperation, watchHeldOperation } from "./editor/held-operation.ts";
import { registerLanguageModelTools } from "./editor/language-model-tools.ts";
import { registerMcpServer } from "./editor/mcp-server.ts";
import { type RecordedSteps, watchRecordedSteps } from "./editor/recorded-steps.ts";
import { createTypesQuickFix } from "./editor/runtime-types.ts";
import { createSourceLinks } from "./editor/source-links.ts";
import { createTaskProvider } from "./editor/tasks.ts";
import { registerVirtualDocuments } from "./editor/virtual-documents.ts";
import { createFirstSteps } from "./first-steps.ts";
import { COMMANDS, CONTEXT_KEYS, SETTINGS, TASK_TYPE, VIEWS } from "./ids.ts";
import { showInformation } from "./messages.ts";
import { registerRequestDocuments } from "./requests/request-documents.ts";
import { createRequestLenses, REQUEST_FILES } from "./requests/request-lenses.ts";
import { registerResponses } from "./requests/response-documents.ts";
import { createCli } from "./session/cli.ts";
import { startContainer } from "./session/container-start.ts";
import { writeDaemonLine } from "./session/daemon-log.ts";
import { startDaemon } from "./session/daemon-process.ts";
import { createDeployedFiles } from "./session/deployed-files.ts";
import { showCrash } from "./session/failures.ts";
import { createKnownAccounts } from "./session/known-accounts.ts";
import { SandboxSession } from "./session/sandbox-session.ts";
import type { StartOptions } from "./session/session-state.ts";
import { daemonConfig, readSettings } from "./session/settings.ts";
import { createStatusBar } from "./status-bar.ts";
import { applyTerminalEnvironment } from "./terminal-path.ts";
import { createAccountsView } from "./views/accounts-view.ts";
import { createFunctionsView } from "./views/functions-view.ts";
import { createOperationsView } from "./views/operations-view.ts";
import { createSandboxView } from "./views/sandbox-view.ts";
import type { TreeNode } from "./views/tree.ts";

/** Returned by `activate`: for tests, and for other extensions that want to follow the sandbox. */
export interface FunctezApi {
  readonly session: SandboxSession;
  readonly coverage: Pick<CoverageMarks, "linesOf">;
  readonly statusBar: { readonly text: string };
  readonly heldOperation: Pick<HeldOperation, "text">;
  readonly recordedSteps: Pick<RecordedSteps, "text">;
  readonly views: Readonly<
    Record<"sandbox" | "accounts" | "functions" | "operations", vscode.TreeDataProvider<TreeNode>>
  >;
}

export function activate(context: vscode.ExtensionContext): FunctezApi {
  const log = vscode.window.createOutputChannel("functez", { log: true });
  const script = (name: string) => context.asAbsolutePath(join("dist", name));
  const session: SandboxSession = new SandboxSession({
    serverPort: () => readSettings().serverPort,
    startProcess: () =>
      startDaemon({
        script: script("sandboxd.cjs"),
        configFile: daemonConfigFile(context),
        graceSeconds: readSettings().reloadGrace,
        onLog: (line) => writeDaemonLine(log, line),
      }),
    get startContainer() {
      if (readSettings().mode !== "container") return undefined;
      return (options: StartOptions) =>
        startContainer(cli, daemonConfigFile(context), readSettings().reloadGrace, options);
    },
    log,
  });
  const cli = createCli({
    script: script("functez.mjs"),
    environment: () => (session.sandbox ? { FUNCTEZ_SANDBOX_URL: session.sandbox.sandboxd } : {}),
  });
  const known = createKnownAccounts(cli, process.env, context.workspaceState);
  const diagnostics = new DeployDiagnostics();
  registerVirtualDocuments(context, session);
  const documents = registerRequestDocuments(context);
  const links = createSourceLinks(session);
  const callErrors = new CallErrors(links);
  const functionLogs = new FunctionLogs({ session, known, links });
  const networkArguments = () => {
    const { network } = readSettings();
    return network === "" ? [] : ["--network", network];
  };
  const files = createDeployedFiles(context.workspaceState);
  const dependencies: CommandDependencies = {
    session,
    cli,
    known,
    responses: registerResponses(context, links),
    files,
    log,
    diagnostics,
    links,
    callErrors,
    networkArguments,
  };

  const requests = createRequests(context, dependencies, documents);
  const views = {
    sandbox: createSandboxView(session),
    accounts: createAccountsView(session, known),
    functions: createFunctionsView(session, known),
    operations: createOperationsView(session, known, links),
  };
  const codeLens = createCodeLensProvider({ files, session, networkArguments });
  const checks = createFunctionChecks(cli, log);
  const coverage = new CoverageMarks();
  const deployOnSave = new DeployOnSave(dependencies);
  const statusBar = createStatusBar(session);
  const heldOperation = watchHeldOperation();
  const recordedSteps = watchRecordedSteps();
  const firstSteps = createFirstSteps(session, known);
  let before = session.state.kind;
  context.subscriptions.push(
    log,
    diagnostics,
    links,
    callErrors,
    functionLogs,
    codeLens,
    checks,
    coverage,
    { dispose: () => session.dispose() },
    { dispose: () => known.dispose() },
    ...Object.values(views),
    ...(Object.keys(views) as (keyof typeof views)[]).map((name) =>
      vscode.window.registerTreeDataProvider(VIEWS[name], views[name].provider),
    ),
    statusBar,
    firstSteps,
    vscode.languages.registerCodeLensProvider(FUNCTION_LANGUAGES, codeLens),
    vscode.languages.registerCodeLensProvider(REQUEST_FILES, createRequestLenses()),
    vscode.languages.registerCodeActionsProvider(FUNCTION_LANGUAGES, createTypesQuickFix(), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.languages.registerCodeActionsProvider(FUNCTION_LANGUAGES, checks, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.tasks.registerTaskProvider(TASK_TYPE, createTaskProvider(script("functez.mjs"), session)),
    registerDebugSessions(script("functez.mjs"), session),
    heldOperation,
    recordedSteps,
    session.onChange((change) => {
      if (change !== "state") return;
      const { state } = session;
      void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.state, state.kind);
      const containerMissing = state.kind === "failed" && state.code === "DOCKER_UNREACHABLE";
      void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.containerMissing, containerMissing);
      const hasEnded = state.kind === "failed" && before === "running";
      void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.hasEnded, hasEnded);
      if (state.kind === "running") void known.refresh();
      else {
        diagnostics.clearAll();
        callErrors.clear();
      }
      if (hasEnded && state.kind === "failed") void showCrash(log, state);
      before = state.kind;
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      checks.settingsChanged();
      void onSettings(event, session);
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      diagnostics.clear(document.uri);
      void checks.check(document);
      void deployOnSave.saved(document);
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      checks.forget(document);
      diagnostics.clear(document.uri);
    }),
  );
  void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.state, session.state.kind);

  const commands = commandTable(context, dependencies, {
    functionLogs,
    views,
    documents,
    requests,
    firstSteps,
    coverage,
    heldOperation,
    recordedSteps,
    configFile: () => daemonConfigFile(context),
  });
  for (const [id, run] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(id, run as (...args: unknown[]) => unknown));
  applyTerminalEnvironment(context, session);
  registerLanguageModelTools(context, dependencies);
  registerMcpServer(context, session);
  void attachOrStart(dependencies);
  return {
    session,
    coverage,
    statusBar,
    heldOperation,
    recordedSteps,
    views: {
      sandbox: views.sandbox.provider,
      accounts: views.accounts.provider,
      functions: views.functions.provider,
      operations: views.operations.provider,
    },
  };
}

/**
 * Shows a sandbox that is already running (from another window, a terminal, or before a reload). A newly opened window
 * is busy and may miss the first response, so this retries a few times.
 */
async function attachOrStart(dependencies: CommandDependencies): Promise<void> {
  if (readSettings().autoStart) {
    await startSandbox(dependencies); // attaches to a running sandbox
    return;
  }
  const { session } = dependencies;
  for (let tries = 0; tries < ATTACH_TRIES && session.state.kind === "stopped"; tries++) {
    if (await session.attachIfRunning().catch(() => false)) {
      await warnOfOtherVersion(session);
      return;
    }
    await pause(ATTACH_PAUSE_MS);
  }
}

const ATTACH_TRIES = 5;
const ATTACH_PAUSE_MS = 1000;

/** The daemon exits one grace period after the last window detaches: nothing to await. */
export function deactivate(): void {
  // the subscriptions release the daemon
}

/** The configuration file of the settings, or one generated from the settings. */
function daemonConfigFile(context: vscode.ExtensionContext): string {
  const settings = readSettings();
  if (settings.configFile !== "") return settings.configFile;
  const folder = context.globalStorageUri.fsPath;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "sandboxd.json");
  writeFileSync(file, `${JSON.stringify(daemonConfig(settings), null, 2)}\n`);
  return file;
}

async function onSettings(event: vscode.ConfigurationChangeEvent, session: SandboxSession): Promise<void> {
  if (!event.affectsConfiguration(`${SETTINGS.section}.sandbox`) || !session.sandbox) return;
  const restart = vscode.l10n.t("Restart Sandbox…");
  const answer = await showInformation(
    vscode.l10n.t("The changed settings apply at the next start of the sandbox."),
    restart,
  );
  if (answer === restart) await vscode.commands.executeCommand(COMMANDS.restart);
}
