// Read-only documents: code and values of deployed functions.
import * as vscode from "vscode";
import { stringifyExact } from "../../daemon/protocol/exact-json.ts";
import { SCHEMES } from "../ids.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

export function registerVirtualDocuments(context: vscode.ExtensionContext, session: SandboxSession): void {
  const changed = new vscode.EventEmitter<vscode.Uri>();

  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.code, {
      async provideTextDocumentContent(uri) {
        const address = uri.path.split("/")[1] ?? "";
        const code = await session.runtime()?.code(address);
        return code ?? `// ${vscode.l10n.t("The sandbox has no function {0}.", address)}`;
      },
    }),
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.value, {
      onDidChange: changed.event,
      async provideTextDocumentContent(uri) {
        const [, address = "", ...key] = uri.path.replace(/\.json$/, "").split("/");
        const value = await session.runtime()?.kv(address, key.join("/"));
        return value === undefined ? vscode.l10n.t("The key has no value.") : stringifyExact(value, 2);
      },
    }),
    session.onChange((change) => {
      if (change !== "operations" && change !== "stores") return;
      for (const { uri } of vscode.workspace.textDocuments)
        if (uri.scheme === SCHEMES.value) changed.fire(uri);
    }),
  );
}
