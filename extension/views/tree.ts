// Trees of plain nodes with stable ids; single nodes can be refreshed.
import * as vscode from "vscode";

/** Colours that every theme has and that say the same everywhere. */
const COLOURS = {
  passed: "testing.iconPassed",
  failed: "testing.iconFailed",
  warned: "list.warningForeground",
} as const;

export interface TreeNode {
  /** Stable over refreshes, so that selection and expansion stay. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string | vscode.MarkdownString;
  /** Codicon name. */
  readonly icon?: string;
  /** Of the icon; without one it has the colour of the text. */
  readonly colour?: keyof typeof COLOURS;
  readonly contextValue?: string;
  readonly collapsible?: "collapsed" | "expanded";
  readonly command?: vscode.Command;
  /** What the node stands for (address, URL, hash): for commands on it. */
  readonly value?: string;
  readonly alias?: string;
  /** Spoken in place of label and description. */
  readonly spoken?: string;
}

/** Tooltip of an account: name, address, balances. Names are text, whoever chose them. */
export function accountTooltip(
  name: string,
  address: string,
  lines: readonly string[],
): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString()
    .appendMarkdown("**")
    .appendText(name)
    .appendMarkdown("** ")
    .appendText(address);
  for (const line of lines) tooltip.appendMarkdown("\n\n").appendText(line);
  return tooltip;
}

export interface RefreshingTree {
  readonly provider: vscode.TreeDataProvider<TreeNode>;
  /** All, or one node and what is below it. */
  refresh(node?: TreeNode): void;
}

export function refreshingTree(
  children: (parent: TreeNode | undefined) => vscode.ProviderResult<TreeNode[]>,
): RefreshingTree {
  const changed = new vscode.EventEmitter<TreeNode | undefined>();
  return {
    refresh: (node) => changed.fire(node),
    provider: { onDidChangeTreeData: changed.event, getChildren: children, getTreeItem: itemOf },
  };
}

function itemOf(node: TreeNode): vscode.TreeItem {
  const state = {
    collapsed: vscode.TreeItemCollapsibleState.Collapsed,
    expanded: vscode.TreeItemCollapsibleState.Expanded,
  };
  const item = new vscode.TreeItem(
    node.label,
    node.collapsible ? state[node.collapsible] : vscode.TreeItemCollapsibleState.None,
  );
  item.id = node.id;
  if (node.description !== undefined) item.description = node.description;
  if (node.tooltip !== undefined) item.tooltip = node.tooltip;
  if (node.icon !== undefined) item.iconPath = iconOf(node.icon, node.colour);
  if (node.contextValue !== undefined) item.contextValue = node.contextValue;
  if (node.command !== undefined) item.command = node.command;
  item.accessibilityInformation = {
    label: node.spoken ?? [node.label, node.description].filter(Boolean).join(", "),
  };
  return item;
}

function iconOf(name: string, colour: TreeNode["colour"]): vscode.ThemeIcon {
  return colour === undefined
    ? new vscode.ThemeIcon(name)
    : new vscode.ThemeIcon(name, new vscode.ThemeColor(COLOURS[colour]));
}
