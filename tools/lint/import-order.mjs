// Lint rule: one order of imports, so that there is nothing to choose and two changes do not conflict. First Node's
// modules, then packages, then our files from the farthest folder to the nearest; by name within each group.

/** A smaller key sorts first: by group, then by name ignoring case. */
export function sortKey(source) {
  if (source.startsWith("node:")) return [0, 0, source.toLowerCase()];
  if (!source.startsWith(".")) return [1, 0, source.toLowerCase()];
  const climbs = source.split("/").filter((part) => part === "..").length;
  return [2, -climbs, source.toLowerCase()];
}

function compare(a, b) {
  const [first, second] = [sortKey(a.source.value), sortKey(b.source.value)];
  for (let i = 0; i < first.length; i++) {
    if (first[i] < second[i]) return -1;
    if (first[i] > second[i]) return 1;
  }
  return 0;
}

/** Runs of imports that may be reordered: a side-effect import stays in place and separates two runs. */
function runsOf(body) {
  const runs = [[]];
  for (const node of body) {
    if (node.type === "ImportDeclaration" && node.specifiers.length > 0) runs.at(-1).push(node);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}

/** @type {import("oxlint/plugins-dev").Rule} */
export const importOrder = {
  meta: {
    type: "layout",
    fixable: "code",
    schema: [],
    messages: {
      order: "The import of “{{late}}” comes before that of “{{early}}”; `npx oxlint --fix` moves it.",
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      Program({ body }) {
        for (const run of runsOf(body)) {
          const sorted = run.toSorted(compare);
          const wrong = run.findIndex((node, i) => node !== sorted[i]);
          if (wrong < 0) continue;
          // A comment between imports belongs to the next one, and moving it is left to a person.
          const hasComments = run.slice(1).some((node) => sourceCode.getCommentsBefore(node).length > 0);
          context.report({
            node: run[wrong],
            messageId: "order",
            data: { late: sorted[wrong].source.value, early: run[wrong].source.value },
            fix: hasComments
              ? null
              : (fixer) =>
                  fixer.replaceTextRange(
                    [run[0].range[0], run.at(-1).range[1]],
                    sorted.map((node) => sourceCode.getText(node)).join("\n"),
                  ),
          });
        }
      },
    };
  },
};
