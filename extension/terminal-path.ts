// Puts the command line on the PATH of new terminals, with the endpoints of the sandbox in their environment.
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";
import type { SandboxSession } from "./session/sandbox-session.ts";

export function applyTerminalEnvironment(context: vscode.ExtensionContext, session: SandboxSession): void {
  const collection = context.environmentVariableCollection;
  const bin = context.asAbsolutePath("bin");
  collection.description = new vscode.MarkdownString(
    vscode.l10n.t("Adds the `functez` command of this extension."),
  );
  // A package made on Windows loses the executable bit.
  if (process.platform !== "win32") {
    try {
      chmodSync(join(bin, "functez"), 0o755);
    } catch {
      // a read-only installation stays unchanged
    }
  }
  const shellIntegration = { applyAtProcessCreation: true, applyAtShellIntegration: true };
  collection.prepend("PATH", bin + delimiter, shellIntegration);
  collection.replace("FUNCTEZ_NODE", process.execPath);

  const update = () => {
    const { sandbox } = session;
    if (sandbox) {
      collection.replace("FUNCTEZ_SANDBOX_URL", sandbox.sandboxd);
      collection.replace("FUNCTEZ_LAYER1_URL", sandbox.layer1);
      collection.replace("FUNCTEZ_RUNTIME_URL", sandbox.runtime);
    }
  };
  update();
  context.subscriptions.push(session.onChange((change) => change === "state" && update()));
}
