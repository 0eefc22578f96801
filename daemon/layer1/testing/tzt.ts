// Michelson unit tests in `.tzt` form: a stack, code, and the resulting stack or failure.
// The form is described in the Tezos documentation, "TZT, a syntax extension for writing unit tests".
import { Parser } from "@taquito/michel-codec";
import { parseScriptText } from "../../tezos/micheline-text.ts";
import { type Micheline, type MichelinePrim, isPrim, isSequence } from "../../tezos/micheline.ts";

export interface StackElement {
  readonly type: Micheline;
  readonly value: Micheline;
}

export interface TztTest {
  readonly code: Micheline;
  readonly input: readonly StackElement[];
  /** A stack, or the name of a failure with its value. */
  readonly output: readonly StackElement[] | MichelinePrim;
  /** Arguments of the other sections: `self`, `amount`, `big_maps` and so on. */
  readonly sections: ReadonlyMap<string, Micheline>;
}

/** Replaces `_`, which equals any value. */
const ANYTHING = "ANYTHING";

const macros = new Parser({ expandMacros: true });

export function parseTzt(text: string): TztTest {
  // Gives the wildcard a parseable name, outside of strings.
  const named = text.replace(/"(?:[^"\\\n]|\\.)*"|#[^\n]*|(?<![\w@%.])_(?!\w)/g, (match) =>
    match === "_" ? ANYTHING : match,
  );
  const sections = new Map<string, Micheline>();
  for (const section of parseScriptText(named) as readonly MichelinePrim[]) {
    const [argument] = section.args ?? [];
    sections.set(section.prim, argument === undefined ? [] : withEscapes(argument));
  }
  const code = sections.get("code") ?? [];
  return {
    code: JSON.parse(JSON.stringify(macros.parseJSON(code))) as Micheline,
    input: elementsOf(sections.get("input") ?? []),
    output: outputOf(sections.get("output")!),
    sections,
  };
}

const outputOf = (node: Micheline): TztTest["output"] =>
  isSequence(node) ? elementsOf(node) : (node as MichelinePrim);

const elementsOf = (node: Micheline): readonly StackElement[] =>
  (node as readonly MichelinePrim[]).map(({ args }) => ({ type: args![0]!, value: args![1]! }));

/** Resolves escapes in texts. */
function withEscapes(node: Micheline): Micheline {
  if (isSequence(node)) return node.map(withEscapes);
  if ("string" in node) return { string: node.string.replaceAll("\\n", "\n").replaceAll("\\\\", "\\") };
  if (isPrim(node) && node.args) return { ...node, args: node.args.map(withEscapes) };
  return node;
}

/** Whether a value equals the expected one, in which wildcards equal anything. */
export function matches(expected: Micheline, found: Micheline): boolean {
  if (isPrim(expected) && expected.prim === ANYTHING) return true;
  if (isSequence(expected))
    return (
      isSequence(found) &&
      expected.length === found.length &&
      expected.every((item, i) => matches(item, found[i]!))
    );
  if (isSequence(found)) return false;
  if (!isPrim(expected)) return JSON.stringify(expected) === JSON.stringify(found);
  const [wanted, given] = [expected.args ?? [], isPrim(found) ? (found.args ?? []) : []];
  return (
    isPrim(found) &&
    expected.prim === found.prim &&
    wanted.length === given.length &&
    wanted.every((arg, i) => matches(arg, given[i]!))
  );
}
