// Micheline as people write it: `Pair 1 "a"`, `{ DROP ; UNIT }`.
import { MAX_DEPTH, MAX_DIGITS, type Micheline, type MichelinePrim, extentOf } from "./micheline.ts";
import { MacroMisuse, expandMacro } from "./michelson-macros.ts";

/** Text that is not Micheline, with the offset of the error. */
export class MichelineSyntaxError extends Error {
  readonly offset: number;

  constructor(expected: string, offset: number) {
    super(`expected ${expected} at offset ${offset}`);
    this.name = "MichelineSyntaxError";
    this.offset = offset;
  }
}

interface Token {
  readonly kind: "punctuation" | "word" | "annotation" | "int" | "bytes" | "string" | "end";
  readonly text: string;
  readonly offset: number;
}

const TOKEN =
  /(?:\s|#[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*(([{}();])|(0x[0-9a-fA-F]*)|(-?\d+)|([@:%][\w.%@]*)|([A-Za-z]\w*)|"((?:[^"\\\n]|\\.)*)"|$)/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new MichelineSyntaxError("a token", from);
    const offset = TOKEN.lastIndex - match[1]!.length;
    const [, , punctuation, bytes, int, annotation, word, string] = match;
    if (punctuation !== undefined) tokens.push({ kind: "punctuation", text: punctuation, offset });
    else if (bytes !== undefined) tokens.push({ kind: "bytes", text: bytes.slice(2), offset });
    else if (int !== undefined) tokens.push({ kind: "int", text: int, offset });
    else if (annotation !== undefined) tokens.push({ kind: "annotation", text: annotation, offset });
    else if (word !== undefined) tokens.push({ kind: "word", text: word, offset });
    else if (string !== undefined) tokens.push({ kind: "string", text: unescape(string, offset), offset });
    else {
      tokens.push({ kind: "end", text: "", offset });
      return tokens;
    }
  }
}

function unescape(text: string, offset: number): string {
  return text.replace(/\\(.)/g, (_, letter: string) => {
    const plain = (
      { n: "\n", t: "\t", b: "\b", r: "\r", '"': '"', "\\": "\\" } as Readonly<Record<string, string>>
    )[letter];
    if (plain === undefined) throw new MichelineSyntaxError("an escape such as \\n", offset);
    return plain;
  });
}

/** Parses one expression; an application at the top needs no parentheses. @throws MichelineSyntaxError */
export function parseMichelineText(text: string): Micheline {
  return parseText(text, (node) => node);
}

/** Most nodes per letter of a macro's name in its expansion. */
const NODES_OF_LETTER = 12;

/**
 * As {@link parseMichelineText}, for Michelson: expands macros.
 * @param maxNodes limit on the result, where each letter of a macro counts as its most nodes
 * @throws MichelineSyntaxError
 */
export function parseMichelsonText(text: string, maxNodes = Infinity): Micheline {
  let nodes = 0;
  const parsed = parseText(text, (node, offset) => {
    try {
      const expanded = expandMacro(node);
      nodes += expanded === node ? 1 : NODES_OF_LETTER * node.prim.length;
      if (nodes > maxNodes) throw new MichelineSyntaxError(`at most ${maxNodes} instructions`, offset);
      return expanded;
    } catch (error) {
      if (!(error instanceof MacroMisuse)) throw error;
      throw new MichelineSyntaxError(`the arguments of the macro ${node.prim}`, offset);
    }
  });
  // Expansions nest further.
  if (extentOf(parsed).depth > MAX_DEPTH) throw new MichelineSyntaxError("less nesting", 0);
  return parsed;
}

function parseText(text: string, build: (node: MichelinePrim, offset: number) => Micheline): Micheline {
  const tokens = tokenize(text);
  let at = 0;
  const peek = (): Token => tokens[at]!;
  const next = (): Token => tokens[at++]!;
  const isPunctuation = (mark: string): boolean => peek().kind === "punctuation" && peek().text === mark;

  function leaf(depth: number): Micheline {
    if (depth > MAX_DEPTH) throw new MichelineSyntaxError("less nesting", peek().offset);
    const token = next();
    switch (token.kind) {
      case "int":
        if (token.text.length > MAX_DIGITS)
          throw new MichelineSyntaxError(`at most ${MAX_DIGITS} digits`, token.offset);
        return { int: BigInt(token.text).toString() };
      case "string":
        return { string: token.text };
      case "bytes":
        if (token.text.length % 2 !== 0) throw new MichelineSyntaxError("whole bytes", token.offset);
        return { bytes: token.text.toLowerCase() };
      case "word":
        return build({ prim: token.text }, token.offset);
      case "punctuation":
        if (token.text === "(") {
          const inner = application(depth + 1);
          if (!isPunctuation(")")) throw new MichelineSyntaxError("`)`", peek().offset);
          next();
          return inner;
        }
        if (token.text === "{") return sequence(depth + 1);
        throw new MichelineSyntaxError("an expression", token.offset);
      default:
        throw new MichelineSyntaxError("an expression", token.offset);
    }
  }

  function application(depth: number): Micheline {
    if (peek().kind !== "word") return leaf(depth);
    const { text: name, offset } = next();
    const annots: string[] = [];
    const args: Micheline[] = [];
    for (;;) {
      if (peek().kind === "annotation") annots.push(next().text);
      else if (peek().kind === "end" || isPunctuation(")") || isPunctuation("}") || isPunctuation(";")) break;
      else args.push(leaf(depth + 1));
    }
    const node = { prim: name, ...(args.length > 0 && { args }), ...(annots.length > 0 && { annots }) };
    return build(node, offset);
  }

  function sequence(depth: number): Micheline {
    const items: Micheline[] = [];
    while (!isPunctuation("}")) {
      items.push(application(depth));
      if (isPunctuation(";")) next();
      else if (!isPunctuation("}")) throw new MichelineSyntaxError("`;` or `}`", peek().offset);
    }
    next();
    return items;
  }

  const parsed = application(0);
  if (peek().kind !== "end") throw new MichelineSyntaxError("the end", peek().offset);
  return parsed;
}

/** Parses the sections of a script in sequence, with or without braces around them. */
export function parseScriptText(text: string): Micheline {
  return parseMichelineText(text.trimStart().startsWith("{") ? text : `{ ${text} }`);
}
