// The debug type `functez`: F5 on a file deploys it on every save and stops at breakpoints in calls of anybody; an operation of
// the past is opened to step through it, forwards and backwards. The adapter is the command line's, as for other editors.
import * as vscode from "vscode";
import { DEBUG_TYPE } from "../ids.ts";
import { withoutIcons } from "../messages.ts";
import { childEnvironment } from "../session/child-environment.ts";
import { ensureRunning } from "../session/dependencies.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { DevSession, type DevConfiguration } from "./dev-session.ts";

interface Configuration extends DevConfiguration {
  /** Hash of an operation, or `last`. */
  readonly operation?: string;
  /** Whether calls are held before they are executed, and for how long at most. */
  readonly hold?: boolean;
  readonly holdSeconds?: number;
  readonly lastChange?: { readonly address: string; readonly key: string };
}

/** Characters of a key in the name of a session. */
const MAX_NAME = 60;

/** Whether a session looks at an operation of the past, rather than at a file. */
const isOfOperation = ({ operation, lastChange }: Configuration): boolean =>
  operation !== undefined || lastChange !== undefined;

export function registerDebugSessions(script: string, session: SandboxSession): vscode.Disposable {
  /** Sessions that look at calls, by the session of their file. */
  const calls = new Map<string, vscode.DebugSession>();
  return vscode.Disposable.from(
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, {
      // F5 without a launch.json passes an empty configuration: use the open file.
      resolveDebugConfiguration: (_folder, configuration: Configuration) => ({
        ...configuration,
        type: DEBUG_TYPE,
        request: configuration.request || "launch",
        name: configuration.name || "functez dev",
        ...(configuration.request === "attach" || isOfOperation(configuration)
          ? {}
          : { program: configuration.program ?? "${file}" }),
      }),
      resolveDebugConfigurationWithSubstitutedVariables: async (_folder, configuration) =>
        (await ensureRunning({ session })) ? configuration : undefined,
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
      createDebugAdapterDescriptor({ configuration }) {
        const { request } = configuration;
        if (request !== "attach" && !isOfOperation(configuration))
          return new vscode.DebugAdapterInlineImplementation(new DevSession(script, session));
        const { sandbox } = session;
        return new vscode.DebugAdapterExecutable(process.execPath, [script, "debug", "--dap"], {
          env: childEnvironment(
            process.env,
            sandbox ? { FUNCTEZ_SANDBOX_URL: sandbox.sandboxd } : {},
          ) as Record<string, string>,
        });
      },
    }),
    vscode.debug.onDidTerminateDebugSession(({ id }) => {
      // The editor leaves it running. Stopping it would stop the session of the file, which has ended.
      void calls
        .get(id)
        ?.customRequest("disconnect")
        .then(undefined, () => undefined);
      calls.delete(id);
    }),
    vscode.debug.onDidStartDebugSession((started) => {
      const configuration = started.configuration as Configuration;
      if (started.type === DEBUG_TYPE && started.parentSession !== undefined)
        calls.set(started.parentSession.id, started);
      if (started.type !== DEBUG_TYPE || configuration.noDebug === true) return;
      if (configuration.request === "attach" || isOfOperation(configuration)) return;
      // Calls of the deployed function stop at breakpoints, in a session below the one that deploys.
      void vscode.debug.startDebugging(
        started.workspaceFolder,
        {
          type: DEBUG_TYPE,
          request: "attach",
          name: vscode.l10n.t("Calls"),
          hold: configuration.hold,
          holdSeconds: configuration.holdSeconds,
        },
        {
          parentSession: started,
          lifecycleManagedByParent: true,
          compact: true,
          suppressDebugToolbar: false,
        },
      );
    }),
  );
}

/** Opens an operation of the past. @param failed stop where it failed, rather than at its first line */
export async function debugOperation(hash: string, failed: boolean): Promise<boolean> {
  return vscode.debug.startDebugging(undefined, {
    type: DEBUG_TYPE,
    request: "launch",
    name: vscode.l10n.t("Operation {0}", `${hash.slice(0, 8)}…`),
    operation: hash,
    ...(failed ? { stopOnError: true } : { stopOnEntry: true }),
  });
}

/**
 * Opens an operation that wrote a key, at the line that wrote it.
 * @param operation hash; the last one that did when missing
 */
export async function debugWrite(address: string, key: string, operation?: string): Promise<boolean> {
  const named = withoutIcons(key.slice(0, MAX_NAME));
  return vscode.debug.startDebugging(undefined, {
    type: DEBUG_TYPE,
    request: "launch",
    name:
      operation === undefined
        ? vscode.l10n.t("Last write of {0}", named)
        : vscode.l10n.t("A write of {0}", named),
    lastChange: { address, key },
    ...(operation === undefined ? {} : { operation }),
  });
}
