// Lint rule: names whose use is a defect here, each with what to use in its place.

/** Functions that may not be called. */
const CALLS = new Map([["parseFloat", "Amounts are bigint mutez; use daemon/protocol/tez.ts."]]);
/** Names that may not be used at all, but for their import. */
const NAMES = [
  {
    names: /^show((Information|Warning|Error)Message|InputBox)$/,
    message: "The editor makes links of what it shows; use extension/messages.ts.",
  },
];

/** @type {import("oxlint/plugins-dev").Rule} */
export const restrictedNames = {
  meta: { type: "problem", schema: [] },
  create(context) {
    return {
      CallExpression({ callee }) {
        const message = callee.type === "Identifier" ? CALLS.get(callee.name) : undefined;
        if (message !== undefined) context.report({ node: callee, message });
      },
      Identifier(node) {
        if (node.parent.type === "ImportSpecifier") return;
        const restricted = NAMES.find(({ names }) => names.test(node.name));
        if (restricted) context.report({ node, message: restricted.message });
      },
    };
  },
};
