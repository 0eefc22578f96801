// View "Sandbox": state, endpoints, version and the layer 1 head.
import * as vscode from "vscode";
import { COMMANDS } from "../ids.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { refreshingTree, type TreeNode } from "./tree.ts";

export function createSandboxView(
  session: SandboxSession,
): { provider: vscode.TreeDataProvider<TreeNode> } & vscode.Disposable {
  // One object for all blocks: the editor refreshes this row alone, and tooltips of the others stay open.
  const level: TreeNode = {
    ...row("level", vscode.l10n.t("Layer 1 level"), "", "layers"),
    get description() {
      return session.level === undefined ? "…" : String(session.level);
    },
  };
  const snapshots: TreeNode = {
    ...row("snapshots", vscode.l10n.t("Snapshots"), "", "history"),
    collapsible: "collapsed",
    contextValue: "snapshots",
  };
  const tree = refreshingTree((parent) => (parent ? snapshotRows(session) : rows(session, level, snapshots)));
  const subscription = session.onChange((change) => {
    if (change === "head") tree.refresh(level);
    else if (change === "snapshots") tree.refresh(snapshots);
    else if (change !== "operations" && change !== "accounts") tree.refresh();
  });
  return { provider: tree.provider, dispose: () => subscription.dispose() };
}

async function snapshotRows(session: SandboxSession): Promise<TreeNode[]> {
  const taken = await session.snapshots().catch(() => []);
  if (taken.length === 0) return [row("snapshots.none", vscode.l10n.t("None yet"), "", "circle-slash")];
  return taken.toReversed().map(({ id, level, takenAt }) => {
    const time = new Date(takenAt).toLocaleTimeString();
    return row(`snapshot.${id}`, id, vscode.l10n.t("level {0} · {1}", level, time), "device-camera", {
      contextValue: "snapshot",
      value: id,
    });
  });
}

function rows(session: SandboxSession, level: TreeNode, snapshots: TreeNode): TreeNode[] {
  const { state } = session;
  switch (state.kind) {
    case "stopped":
      return []; // the welcome content shows it, with a button
    case "starting":
      return [row("state", vscode.l10n.t("Starting…"), state.step ?? "", "loading~spin")];
    case "stopping":
      return [row("state", vscode.l10n.t("Stopping…"), "", "loading~spin")];
    case "failed":
      return []; // likewise
    case "running": {
      const { sandbox } = state;
      const healthy = session.parts.every((part) => part.state === "healthy");
      return [
        row(
          "state",
          healthy ? vscode.l10n.t("Running") : vscode.l10n.t("Degraded"),
          `functez ${sandbox.version}`,
          healthy ? "pass" : "warning",
          {
            tooltip: vscode.l10n.t("Process {0}", sandbox.pid),
            colour: healthy ? "passed" : "warned",
          },
        ),
        level,
        ...session.parts
          .filter((part) => part.state !== "healthy")
          .map((part) =>
            row(`part.${part.name}`, part.name, part.state, "error", {
              tooltip: part.detail,
              colour: "failed",
            }),
          ),
        endpoint("sandboxd", "sandboxd", sandbox.sandboxd),
        endpoint("layer1_node", "layer1_node", sandbox.layer1),
        endpoint("runtime_node", "runtime_node", sandbox.runtime),
        snapshots,
      ];
    }
  }
}

function row(
  id: string,
  label: string,
  description: string,
  icon: string,
  more: Partial<TreeNode> = {},
): TreeNode {
  return { id: `sandbox.${id}`, label, description, icon, ...more };
}

function endpoint(id: string, label: string, url: string): TreeNode {
  return row(id, label, url.replace("http://", ""), "plug", {
    contextValue: "endpoint",
    value: url,
    tooltip: vscode.l10n.t("{0}: copy with the button", url),
    command: {
      command: COMMANDS.copyEndpoint,
      title: vscode.l10n.t("Copy Endpoint"),
      arguments: [{ value: url }],
    },
  });
}
