// Lint rule: how functions and types are named. A function is named by a verb or by what it returns: `signed(content)`
// says neither, `sign(content)` and `signedContent(…)` do. A type is named by what it describes: all of them hold data.
// Methods are free: those of an observer are named after what it is told of. So is the prelude of guests, whose names are
// part of the engine's image.

/** Words that end like a participle and are none. */
const VERBS_AND_NOUNS = new Set([
  "bed",
  "embed",
  "exceed",
  "feed",
  "need",
  "proceed",
  "seed",
  "shed",
  "speed",
  "succeed",
]);
/** Participles that do not end in `ed`. */
const IRREGULAR = new Set(
  (
    "begun bound bought broken built chosen done drawn driven fallen found given gone grown held hidden kept known " +
    "left lost made met paid proven said seen sent shown spent stolen taken thrown told torn understood woven written"
  ).split(" "),
);

const isParticiple = (name) => (/^[a-z]+ed$/.test(name) && !VERBS_AND_NOUNS.has(name)) || IRREGULAR.has(name);

const isFunction = (node) => node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";

const EMPTY_NOUN = /.(Data|Info|Manager|Helper|Utils?)$/;
/** Names that others gave: web standards, the debug adapter protocol, the protocol of Tezos. */
const NAMES_OF_OTHERS = new Set([
  "FormData",
  "ImageData",
  "DataBreakpointInfo",
  "LevelInfo",
  "VotingPeriodInfo",
  "WithoutManager",
]);

/** @type {import("oxlint/plugins-dev").Rule} */
export const declaredNames = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: {
      participle: "“{{name}}” is a participle. Name the function by a verb or by what it returns.",
      emptyNoun: "The last word of “{{name}}” says nothing. Name the type by what it describes.",
    },
  },
  create(context) {
    const checkFunction = (id) => {
      if (id?.type === "Identifier" && isParticiple(id.name))
        context.report({ node: id, messageId: "participle", data: { name: id.name } });
    };
    const checkType = ({ id }) => {
      if (id && EMPTY_NOUN.test(id.name) && !NAMES_OF_OTHERS.has(id.name))
        context.report({ node: id, messageId: "emptyNoun", data: { name: id.name } });
    };
    return {
      FunctionDeclaration: ({ id }) => checkFunction(id),
      VariableDeclarator: ({ id, init }) => {
        if (isFunction(init)) checkFunction(id);
      },
      ClassDeclaration: checkType,
      TSInterfaceDeclaration: checkType,
      TSTypeAliasDeclaration: checkType,
    };
  },
};
