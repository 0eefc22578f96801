// Offers `functez mcp` to the editor's language models where a setting asks for it: the extension's own tools are there
// without it, and both together would show most of them twice.
import * as vscode from "vscode";
import { MCP_PROVIDER, SETTINGS } from "../ids.ts";
import { childEnvironment } from "../session/child-environment.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

/** What VS Code has since 1.101, and the typings of the oldest supported version lack. */
export interface StdioServer {
  cwd?: vscode.Uri;
}
type StdioServerClass = new (
  label: string,
  command: string,
  args: string[],
  env: Record<string, string | null>,
  version: string,
) => StdioServer;
export interface ServerProvider {
  readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): StdioServer[];
}
export interface NewerEditor {
  readonly version: string;
  readonly lm?: {
    registerMcpServerDefinitionProvider?: (id: string, provider: ServerProvider) => vscode.Disposable;
  };
  readonly McpStdioServerDefinition?: StdioServerClass;
}

export function registerMcpServer(
  context: vscode.ExtensionContext,
  session: Pick<SandboxSession, "sandbox" | "onChange">,
  editor: NewerEditor = vscode as unknown as NewerEditor,
): void {
  const { lm, McpStdioServerDefinition: Server } = editor;
  // 1.100 has the same names for a proposal of another form, and throws.
  const [major = 0, minor = 0] = editor.version.split(".").map(Number);
  if (major === 1 && minor < 101) return;
  if (typeof lm?.registerMcpServerDefinitionProvider !== "function" || Server === undefined) return;
  const changed = new vscode.EventEmitter<void>();
  const { version } = context.extension.packageJSON as { readonly version: string };
  context.subscriptions.push(
    changed,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SETTINGS.section}.${SETTINGS.mcp}`)) changed.fire();
    }),
    // Its address is part of the server's environment.
    session.onChange((change) => {
      if (change === "state") changed.fire();
    }),
    lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => {
        if (!vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.mcp, false)) return [];
        const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
        const args = [
          context.asAbsolutePath("dist/functez.mjs"),
          "mcp",
          ...folders.flatMap((folder) => ["--folder", folder]),
        ];
        const server = new Server("functez", process.execPath, args, environment(session), version);
        const [first] = vscode.workspace.workspaceFolders ?? [];
        if (first) server.cwd = first.uri;
        return [server];
      },
    }),
  );
}

/** Variables to set, and as null those to take away: the editor adds its own environment. */
function environment({ sandbox }: Pick<SandboxSession, "sandbox">): Record<string, string | null> {
  const kept = childEnvironment(process.env);
  const dropped = Object.keys(process.env).filter((name) => !(name in kept));
  return {
    ...Object.fromEntries(dropped.map((name) => [name, null])),
    ELECTRON_RUN_AS_NODE: "1",
    ...(sandbox ? { FUNCTEZ_SANDBOX_URL: sandbox.sandboxd } : {}),
  };
}
