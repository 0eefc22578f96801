// Macros of Michelson text, such as CADR, IFCMPEQ, PAPPAIIR: names that expand to several instructions. They exist in
// text only; layer 1 sees the expansion. Source of the rules: Octez, `michelson_v1_macros.ml`.
import { type Micheline, type MichelinePrim, isPrim, isSequence } from "./micheline.ts";

/** A macro with the wrong arguments or annotations. */
export class MacroMisuse extends Error {
  constructor(name: string) {
    super(`the macro ${name} is not used like this`);
    this.name = "MacroMisuse";
  }
}

/** Letters of the longest macro: each may become an instruction nested in the one before. */
const MAX_LETTERS = 100;

const COMPARISONS = "EQ|NEQ|LT|GT|LE|GE";

/** @param part of the name: what the pattern has in parentheses, or nothing */
type Expand = (node: MichelinePrim, part: string) => Micheline;

/** By pattern of the name. A name that matches none is not a macro. */
const MACROS: readonly (readonly [RegExp, Expand])[] = [
  [pattern(`CMP(${COMPARISONS})`), (node, test) => [op("COMPARE"), op(test, none(node), node.annots)]],
  [pattern(`IF(${COMPARISONS})`), (node, test) => [op(test), op("IF", exactly(node, 2), node.annots)]],
  [
    pattern(`IFCMP(${COMPARISONS})`),
    (node, test) => [op("COMPARE"), op(test), op("IF", exactly(node, 2), node.annots)],
  ],
  [pattern("FAIL"), (node) => bare(node, fail())],
  [pattern("ASSERT"), (node) => bare(node, [op("IF", [[], [fail()]])])],
  [pattern(`ASSERT_(${COMPARISONS})`), (node, test) => bare(node, [op(test), op("IF", [[], [fail()]])])],
  [
    pattern(`ASSERT_CMP(${COMPARISONS})`),
    (node, test) => bare(node, [[op("COMPARE"), op(test)], op("IF", [[], [fail()]])]),
  ],
  [pattern("ASSERT_NONE"), (node) => bare(node, [op("IF_NONE", [[], [fail()]])])],
  [pattern("ASSERT_SOME"), (node) => [op("IF_NONE", [[fail()], renameIfAnnotated(node)])]],
  [pattern("ASSERT_LEFT"), (node) => [op("IF_LEFT", [renameIfAnnotated(node), [fail()]])]],
  [pattern("ASSERT_RIGHT"), (node) => [op("IF_LEFT", [[fail()], renameIfAnnotated(node)])]],
  [pattern("IF_SOME"), (node) => [op("IF_NONE", swapArguments(node), node.annots)]],
  [pattern("IF_RIGHT"), (node) => [op("IF_LEFT", swapArguments(node), node.annots)]],
  [pattern("(CAR|CDR)"), (node, name) => (node.args ? nth(node, name === "CAR" ? 1n : 0n) : node)],
  [pattern("C([AD]{2,})R"), (node, letters) => path(node, letters)],
  [pattern("(?=.{5})P[PAI]+R"), pairs],
  [pattern("(?=.{7})UNP[PAI]+R"), unpairs],
  [pattern("SET_C([AD]+)R"), (node, letters) => setField(node, letters)],
  [pattern("MAP_C([AD]+)R"), (node, letters) => mapField(node, letters)],
  [pattern("D(I{2,})P"), (node, letters) => op("DIP", [int(letters.length), ...exactly(node, 1)])],
  [pattern("D(U{2,})P"), (node, letters) => op("DUP", [int(letters.length), ...none(node)], node.annots)],
];

/**
 * The expansion of an instruction: itself when it is not a macro. Its arguments have been expanded already.
 * @throws MacroMisuse
 */
export function expandMacro(node: MichelinePrim): Micheline {
  for (const [form, expand] of MACROS) {
    const match = form.exec(node.prim);
    if (!match) continue;
    if (node.prim.length > MAX_LETTERS) throw new MacroMisuse(`${node.prim.slice(0, MAX_LETTERS)}…`);
    return expand(node, match[1] ?? "");
  }
  return node;
}

function pattern(name: string): RegExp {
  return new RegExp(`^${name}$`);
}

const int = (value: number | bigint): Micheline => ({ int: value.toString() });

function op(
  name: string,
  args: readonly Micheline[] = [],
  annots: readonly string[] | undefined = undefined,
): MichelinePrim {
  return { prim: name, ...(args.length > 0 && { args }), ...(annots && annots.length > 0 && { annots }) };
}

const fail = (): Micheline => [op("UNIT"), op("FAILWITH")];

/** The arguments of an instruction that must have `count`. @throws MacroMisuse */
function exactly(node: MichelinePrim, count: 0): readonly [];
function exactly(node: MichelinePrim, count: 1): readonly [Micheline];
function exactly(node: MichelinePrim, count: 2): readonly [Micheline, Micheline];
function exactly(node: MichelinePrim, count: number): readonly Micheline[] {
  const args = node.args ?? [];
  if (args.length !== count) throw new MacroMisuse(node.prim);
  return args;
}

const none = (node: MichelinePrim): readonly [] => exactly(node, 0);

/** The expansion of an instruction without arguments and annotations. @throws MacroMisuse */
function bare(node: MichelinePrim, expansion: Micheline): Micheline {
  none(node);
  if (node.annots) throw new MacroMisuse(node.prim);
  return expansion;
}

function swapArguments(node: MichelinePrim): readonly Micheline[] {
  const [first, second] = exactly(node, 2);
  return [second, first];
}

function renameIfAnnotated(node: MichelinePrim): Micheline {
  none(node);
  return node.annots ? [op("RENAME", [], node.annots)] : [];
}

/** `CAR n` and `CDR n`: a position in a comb. */
function nth(node: MichelinePrim, offset: bigint): Micheline {
  const [place] = exactly(node, 1);
  if (isPrim(place) || isSequence(place) || !("int" in place)) throw new MacroMisuse(node.prim);
  return op("GET", [int(BigInt(place.int) * 2n + offset)], node.annots);
}

/** `CADR`: one field after the other, the annotations on the last. */
function path(node: MichelinePrim, letters: string): Micheline {
  none(node);
  return [...letters].map((letter, i) => op(`C${letter}R`, [], i === letters.length - 1 ? node.annots : []));
}

/** One PAIR of a tree of pairs: its depth in the stack, and the names of its fields that are leaves. */
interface Pairing {
  readonly depth: number;
  readonly fields: readonly [string | undefined, string | undefined];
}

/**
 * The pairings of `PAPPAIIR`, children before parents: `P` starts a pair, `A` is a leaf on its left, `I` one on its
 * right. @param names names of the leaves, in order
 */
function pairings(node: MichelinePrim, letters: string, names: readonly string[]): readonly Pairing[] {
  let at = 0;
  let named = 0;
  const found: Pairing[] = [];
  const side = (leaf: string, depth: number): string | undefined => {
    const letter = letters[at++];
    if (letter === leaf) return names[named++];
    if (letter !== "P") throw new MacroMisuse(node.prim);
    pair(depth);
    return undefined;
  };
  const pair = (depth: number): void => {
    const left = side("A", depth);
    const right = side("I", depth + 1);
    found.push({ depth, fields: [left, right] });
  };
  at++; // the initial P
  pair(0);
  if (at !== letters.length || named < names.length) throw new MacroMisuse(node.prim);
  return found;
}

function dip(depth: number, leaf: Micheline): Micheline {
  if (depth === 0) return leaf;
  return op("DIP", depth === 1 ? [[leaf]] : [int(depth), [leaf]]);
}

function pairs(node: MichelinePrim): Micheline {
  none(node);
  const { fields, rest } = annotationsOf(node);
  const found = pairings(node, node.prim.slice(0, -1), fields);
  return found.map(({ depth, fields: [left, right] }, i) => {
    const names = right === undefined ? (left === undefined ? [] : [left]) : [left ?? "%", right];
    const isTop = i === found.length - 1;
    return dip(depth, op("PAIR", [], isTop ? [...names, ...rest] : names));
  });
}

function unpairs(node: MichelinePrim): Micheline {
  none(node);
  const found = pairings(node, node.prim.slice("UN".length, -1), []);
  return [...found].reverse().map(({ depth }) => dip(depth, op("UNPAIR")));
}

function annotationsOf({ annots = [] }: MichelinePrim): {
  readonly fields: readonly string[];
  readonly rest: readonly string[];
} {
  return {
    fields: annots.filter((annotation) => annotation.startsWith("%")),
    rest: annots.filter((annotation) => !annotation.startsWith("%")),
  };
}

/** Takes pairs apart down to the last letter, applies `change` there, and puts them together again. */
function rebuild(letters: string, change: Micheline, rest: readonly string[]): Micheline {
  if (letters.length === 1) return change;
  const inner = rebuild(letters.slice(1), change, []);
  const [kept, entered] = letters[0] === "A" ? ["CDR", "CAR"] : ["CAR", "CDR"];
  return [
    op("DUP"),
    op("DIP", [[op(entered, [], ["@%%"]), inner]]),
    op(kept, [], ["@%%"]),
    ...(letters[0] === "A" ? [op("SWAP")] : []),
    op("PAIR", [], ["%@", "%@", ...rest]),
  ];
}

/** @throws MacroMisuse when there is more than one field name */
function fieldOf(node: MichelinePrim): string | undefined {
  const { fields } = annotationsOf(node);
  if (fields.length > 1) throw new MacroMisuse(node.prim);
  return fields[0];
}

function setField(node: MichelinePrim, letters: string): Micheline {
  none(node);
  const field = fieldOf(node);
  const isLeft = letters.endsWith("A");
  // Reading a named field once checks its name.
  const check = field === undefined ? [] : [op("DUP"), op(isLeft ? "CAR" : "CDR", [], [field]), op("DROP")];
  const name = field ?? "%";
  const change = isLeft
    ? [op("CDR", [], ["@%%"]), op("SWAP"), op("PAIR", [], [name, "%@"])]
    : [op("CAR", [], ["@%%"]), op("PAIR", [], ["%@", name])];
  return rebuild(letters, [...check, ...change], annotationsOf(node).rest);
}

function mapField(node: MichelinePrim, letters: string): Micheline {
  const [code] = exactly(node, 1);
  const field = fieldOf(node);
  const variable = field === undefined ? [] : [`@${field.slice(1)}`];
  const name = field ?? "%";
  const change = letters.endsWith("A")
    ? [
        op("DUP"),
        op("CDR", [], ["@%%"]),
        op("DIP", [[op("CAR", [], variable), code]]),
        op("SWAP"),
        op("PAIR", [], [name, "%@"]),
      ]
    : [
        op("DUP"),
        op("CDR", [], variable),
        code,
        op("SWAP"),
        op("CAR", [], ["@%%"]),
        op("PAIR", [], ["%@", name]),
      ];
  return rebuild(letters, change, []);
}
