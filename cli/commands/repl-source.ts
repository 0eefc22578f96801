// Scans an input of the prompt before it runs: whether it is complete, and which names it declares.

export interface SourceScan {
  /** A bracket, a template or a comment is open: the next line continues the input. */
  readonly isOpen: boolean;
  /** Names that a top-level statement declares or may assign. */
  readonly identifiers: readonly string[];
  /** The source with its top-level declarations as `var`, which outlive the evaluation. */
  readonly asVariables: string;
  /** It has a top-level `await` or `return`, which need a function body. */
  readonly isBody: boolean;
}

const OPENING = "([{";
const CLOSING = ")]}";
const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
/** After these a slash starts a regular expression, elsewhere it divides. */
const BEFORE_REGEXP = /(?:^|[([{,;=:?!&|+\-*%^~<>])$|(?:^|\W)(?:return|typeof|case|in|of|void|delete|await)$/;

/** Scans a source once, skipping strings, comments and regular expressions. */
export function scanSource(source: string): SourceScan {
  const identifiers = new Set<string>();
  let asVariables = "";
  let copied = 0;
  let isBody = false;
  /** Open brackets; "`" for a template whose `${` is open. */
  const open: string[] = [];
  /** How many of them are curly: a function may be nested deeply, and ask often. */
  let braces = 0;
  let before = "";
  let at = 0;
  let unfinished = false;

  const replace = (from: number, to: number, text: string): void => {
    asVariables += source.slice(copied, from) + text;
    copied = to;
  };
  /** Skips a quoted string, or a template up to its end or its next `${`. */
  const passText = (quote: string): void => {
    for (; at < source.length; at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === quote) {
        at++;
        before = "x";
        return;
      } else if (quote === "`" && source.startsWith("${", at)) {
        open.push("`");
        at += 2;
        before = "";
        return;
      } else if (quote !== "`" && source[at] === "\n") return; // a syntax error: the engine reports it
    }
    unfinished ||= quote === "`";
  };
  const passRegExp = (): void => {
    let inClass = false;
    for (at++; at < source.length && source[at] !== "\n"; at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === "[") inClass = true;
      else if (source[at] === "]") inClass = false;
      else if (source[at] === "/" && !inClass) break;
    }
    at++;
    before = "x";
  };

  while (at < source.length) {
    const sign = source[at]!;
    if (/\s/.test(sign)) {
      at++;
    } else if (source.startsWith("//", at)) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      unfinished ||= end < 0;
      at = end < 0 ? source.length : end + 2;
    } else if (sign === '"' || sign === "'" || sign === "`") {
      at++;
      passText(sign);
    } else if (sign === "/" && BEFORE_REGEXP.test(before)) {
      passRegExp();
    } else {
      IDENTIFIER.lastIndex = at;
      const word = IDENTIFIER.exec(source)?.[0];
      if (word !== undefined) {
        const isProperty = before.endsWith(".");
        const isAtTop = open.length === 0 && !isProperty;
        if (word === "await" && !isProperty && braces === 0) isBody = true;
        if (word === "return" && isAtTop) isBody = true;
        if (isAtTop && (word === "const" || word === "let")) replace(at, at + word.length, "var");
        if (isAtTop && word === "class" && (before === "" || /[;}]$/.test(before))) {
          IDENTIFIER.lastIndex =
            at + word.length + (/^\s*/.exec(source.slice(at + word.length))?.[0].length ?? 0);
          const name = IDENTIFIER.exec(source)?.[0];
          if (name !== undefined && name !== "extends") replace(at, at, `var ${name} = `);
        }
        identifiers.add(word);
        before = `${before.slice(-1)} ${word}`;
        at += word.length;
      } else {
        if (OPENING.includes(sign)) {
          open.push(sign);
          if (sign === "{") braces++;
        } else if (CLOSING.includes(sign)) {
          const opened = open.pop();
          if (opened === "{") braces--;
          if (opened === "`") {
            at++;
            passText("`");
            continue;
          }
        }
        before = sign;
        at++;
      }
    }
  }
  return {
    isOpen: open.length > 0 || unfinished,
    identifiers: [...identifiers],
    asVariables: asVariables + source.slice(copied),
    isBody,
  };
}
