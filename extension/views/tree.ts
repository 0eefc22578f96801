// Trees of plain nodes with stable ids; individual nodes can be refreshed.
import * as vscode from "vscode";
import { visible } from "../../daemon/text/visible-text.ts";

/** Colours that exist in every theme, with the same meaning everywhere. */
const COLOURS = {
  passed: "testing.iconPassed",
  failed: "testing.iconFailed",
  warned: "list.warningForeground",
} as const;

export interface TreeNode {
  /** Stable across refreshes, so that selection and expansion survive. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string | vscode.MarkdownString;
  /** Codicon name. */
  readonly icon?: string;
  /** Colour of the icon; by default that of the text. */
  readonly colour?: keyof typeof COLOURS;
  readonly contextValue?: string;
  readonly collapsible?: "collapsed" | "expanded";
  readonly command?: vscode.Command;
  /** Value of the node (address, URL, hash), used by commands. */
  readonly value?: string;
  readonly alias?: string;
  /** The smart function that a value belongs to. */
  readonly address?: string;
  /** Screen reader text instead of label and description. */
  readonly spoken?: string;
}

/** Tooltip of an account: name, address, balances. Names are escaped, whoever chose them. */
export function accountTooltip(
  name: string,
  address: string,
  lines: readonly string[],
): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString()
    .appendMarkdown("**")
    .appendText(visible(name))
    .appendMarkdown("** ")
    .appendText(visible(address));
  for (const line of lines) tooltip.appendMarkdown("\n\n").appendText(visible(line));
  return tooltip;
}

export interface RefreshingTree {
  readonly provider: vscode.TreeDataProvider<TreeNode>;
  /** Refreshes everything, or one node and its children. */
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
    visible(node.label),
    node.collapsible ? state[node.collapsible] : vscode.TreeItemCollapsibleState.None,
  );
  item.id = node.id;
  if (node.description !== undefined) item.description = visible(node.description);
  if (node.tooltip !== undefined)
    item.tooltip = typeof node.tooltip === "string" ? visible(node.tooltip) : node.tooltip;
  if (node.icon !== undefined) item.iconPath = iconOf(node.icon, node.colour);
  if (node.contextValue !== undefined) item.contextValue = node.contextValue;
  if (node.command !== undefined) item.command = node.command;
  item.accessibilityInformation = {
    label: visible(node.spoken ?? [node.label, node.description].filter(Boolean).join(", ")),
  };
  return item;
}

function iconOf(name: string, colour: TreeNode["colour"]): vscode.ThemeIcon {
  return colour === undefined
    ? new vscode.ThemeIcon(name)
    : new vscode.ThemeIcon(name, new vscode.ThemeColor(COLOURS[colour]));
}
