// The terminal of the extension.
import * as vscode from "vscode";

export function openTerminal(): void {
  const open = vscode.window.terminals.find(({ name }) => name === "functez");
  (open ?? vscode.window.createTerminal({ name: "functez" })).show();
}
