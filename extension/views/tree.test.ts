import { expect, it } from "vitest";
import type { MarkdownString } from "vscode";
import { accountTooltip, refreshingTree, type TreeNode } from "./tree.ts";

const HIDDEN = "a\u202e\u00ad\u3164\ufe01b";
const SHOWN = "a\\u202e\\u00ad\\u3164\\ufe01b";

it("shows what the editor would hide in labels, descriptions and tooltips", async () => {
  const { provider } = refreshingTree(() => []);
  const node: TreeNode = { id: "1", label: HIDDEN, description: HIDDEN, tooltip: HIDDEN };
  expect(await provider.getTreeItem(node)).toMatchObject({
    label: SHOWN,
    description: SHOWN,
    tooltip: SHOWN,
    accessibilityInformation: { label: `${SHOWN}, ${SHOWN}` },
  });
  const tooltip: MarkdownString = accountTooltip(HIDDEN, HIDDEN, [HIDDEN]);
  expect(tooltip.value.replaceAll("\\\\", "\\").split(SHOWN)).toHaveLength(4);
});
