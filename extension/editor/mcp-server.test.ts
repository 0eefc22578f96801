import { afterEach, beforeEach, expect, it } from "vitest";
import * as vscode from "vscode";
import type { SandboxSession } from "../session/sandbox-session.ts";
import type { SessionChange } from "../session/session-state.ts";
import { type NewerEditor, registerMcpServer, type ServerProvider, type StdioServer } from "./mcp-server.ts";

let isEnabled: boolean;
let change: (change: SessionChange) => void;
const session = {
  sandbox: { sandboxd: "http://127.0.0.1:54321" },
  onChange(listener: (change: SessionChange) => void) {
    change = listener;
    return { dispose: () => undefined };
  },
} as unknown as SandboxSession;
const context = {
  subscriptions: [],
  extension: { packageJSON: { version: "1.2.3" } },
  asAbsolutePath: (path: string) => `/extension/${path}`,
} as unknown as vscode.ExtensionContext;
const before = { ...vscode.workspace };
const environment = { ...process.env };

beforeEach(() => {
  isEnabled = true;
  Object.assign(vscode.workspace, {
    workspaceFolders: [{ uri: { fsPath: "/project" } }, { uri: { fsPath: "/other" } }],
    getConfiguration: () => ({ get: () => isEnabled }),
  });
});
afterEach(() => {
  Object.assign(vscode.workspace, before);
  process.env = environment;
});

/** An editor with the interface of 1.101, and what was registered with it. */
function newerEditor() {
  const registered: { id: string; provider: ServerProvider }[] = [];
  class Server implements StdioServer {
    cwd?: vscode.Uri;
    readonly given: unknown[];
    constructor(...given: unknown[]) {
      this.given = given;
    }
  }
  const editor: NewerEditor = {
    version: "1.101.0",
    lm: {
      registerMcpServerDefinitionProvider(id, provider) {
        registered.push({ id, provider });
        return { dispose: () => undefined };
      },
    },
    McpStdioServerDefinition: Server,
  };
  return { editor, registered };
}

it("is silent in an editor without such servers", () => {
  const { editor, registered } = newerEditor();
  registerMcpServer(context, session, { version: "1.101.0" });
  registerMcpServer(context, session, { version: "1.120.3-insider", lm: {} });
  registerMcpServer(context, session, { ...editor, version: "1.100.3" });
  registerMcpServer(context, session, { ...editor, lm: {} });
  expect(registered).toEqual([]);
});

it("offers the server where the setting asks for it, with the folders and the running sandbox", () => {
  process.env = { ...environment, NODE_OPTIONS: "--inspect", VSCODE_PID: "1" };
  const { editor, registered } = newerEditor();
  registerMcpServer(context, session, editor);
  const [{ id, provider } = expect.fail("not registered")] = registered;
  expect(id).toBe("functez.mcp");
  isEnabled = false;
  expect(provider.provideMcpServerDefinitions()).toEqual([]);
  isEnabled = true;
  const [server] = provider.provideMcpServerDefinitions();
  expect(server).toMatchObject({
    cwd: { fsPath: "/project" },
    given: [
      "functez",
      process.execPath,
      ["/extension/dist/functez.mjs", "mcp", "--folder", "/project", "--folder", "/other"],
      {
        NODE_OPTIONS: null, // would make the server wait for a debugger
        VSCODE_PID: null,
        ELECTRON_RUN_AS_NODE: "1",
        FUNCTEZ_SANDBOX_URL: "http://127.0.0.1:54321",
      },
      "1.2.3",
    ],
  });
});

it("tells the editor when the sandbox is another", () => {
  const { editor, registered } = newerEditor();
  registerMcpServer(context, session, editor);
  let times = 0;
  registered[0]!.provider.onDidChangeMcpServerDefinitions(() => (times += 1));
  change("head");
  expect(times).toBe(0);
  change("state");
  expect(times).toBe(1);
});
