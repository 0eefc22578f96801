// Requests as text, in the `.http` format of REST Client and other tools: requests separated by `###`, variables, comments
// with `@` settings, headers, an empty line, the body.

/** A request in a file, with variables replaced. */
export interface TextRequest {
  /** Line of the request line, from 0. */
  readonly line: number;
  /** From `# @name`. */
  readonly name: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined without a body. */
  readonly body: string | undefined;
  /** From `# @tez`, `# @gas`, `# @account`. */
  readonly tez: string | undefined;
  readonly gasLimit: string | undefined;
  readonly account: string | undefined;
}

/** Why a text is no valid request. Lines from 0. */
export interface TextProblem {
  readonly line: number;
  readonly code: "unknown-variable" | "bad-header" | "bad-request-line" | "file-body" | "too-long";
  /** The offending text. */
  readonly found: string;
}

export type Variables = (name: string) => string | undefined;

/** Longer files are not parsed: nobody writes them by hand. */
const MAX_TEXT = 2_000_000;
const SEPARATOR = /^#{3,}/;
const COMMENT = /^\s*(?:#|\/\/)/;
// Values end at the end of the line and are trimmed in code: a form that finds their end takes quadratic time.
const SETTING = /^\s*(?:#|\/\/)\s*@(name|tez|gas|account)(?:\s+|\s*=\s*)(\S.*)$/;
const VARIABLE = /^@([\w.-]{1,100})\s*=(.*)$/;
const REQUEST_LINE = /^\s*(?:([A-Za-z]{1,30})\s+)?(\S+)(?:\s+HTTP\/\d(?:\.\d)?)?\s*$/;
const HEADER = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200})\s*:(.*)$/;

/** Numbers of the request lines for smart functions: `jstz://…`, or a variable that may be one. */
export function requestLines(text: string): number[] {
  if (text.length > MAX_TEXT) return [];
  return blocksOf(text.split(/\r?\n/)).flatMap(({ lines, from }) => {
    const at = lines.findIndex((line, i) => isRequestLine(lines, line, i));
    return at >= 0 && /(?:^|\s)(?:jstz:\/\/|\{\{)/.test(lines[at]!) ? [from + at] : [];
  });
}

/** The request around a line, or its problem; undefined where there is none. */
export function requestAt(
  text: string,
  line: number,
  environment: Variables,
): { readonly request: TextRequest } | { readonly problem: TextProblem } | undefined {
  const all = text.split(/\r?\n/);
  const block = blocksOf(all).findLast(({ from }) => from <= line);
  if (!block) return undefined;
  const fill = filler(all, environment);
  try {
    const request = requestOf(block, fill);
    return request && { request };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.problem };
    throw error;
  }
}

interface Block {
  readonly from: number;
  readonly lines: readonly string[];
}

class Unreadable extends Error {
  readonly problem: TextProblem;
  constructor(problem: TextProblem) {
    super(problem.code);
    this.problem = problem;
  }
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  for (let i = 0; i <= lines.length; i++) {
    if (i < lines.length && !SEPARATOR.test(lines[i]!)) continue;
    if (i > from) blocks.push({ from, lines: lines.slice(from, i) });
    from = i + 1;
  }
  return blocks;
}

/** The first line that is neither empty, nor a comment, nor a variable. */
const isRequestLine = (lines: readonly string[], line: string, at: number): boolean =>
  line.trim() !== "" && !COMMENT.test(line) && !VARIABLE.test(line) && lines[at] === line;

function requestOf(
  { from, lines }: Block,
  fill: (text: string, line: number) => string,
): TextRequest | undefined {
  const at = lines.findIndex((line, i) => isRequestLine(lines, line, i));
  if (at < 0) return undefined;
  const settings = new Map<string, string>();
  for (const [i, line] of lines.slice(0, at).entries()) {
    const [, name, value] = SETTING.exec(line) ?? [];
    if (name !== undefined && value !== undefined) settings.set(name, fill(value.trim(), from + i));
  }
  // Lines that begin with ? or & continue the query.
  let next = at + 1;
  while (next < lines.length && /^\s+[?&]/.test(lines[next]!)) next++;
  const query = lines.slice(at + 1, next).map((line) => line.trim());
  const first = query.length === 0 ? lines[at]! : [lines[at]!.trimEnd(), ...query].join("");
  const filled = fill(first, from + at);
  const [, method = "GET", url] = REQUEST_LINE.exec(filled) ?? [];
  if (url === undefined)
    throw new Unreadable({ line: from + at, code: "bad-request-line", found: filled.trim() });
  const headers: [string, string][] = [];
  for (; next < lines.length && lines[next]!.trim() !== ""; next++) {
    const line = lines[next]!;
    if (COMMENT.test(line)) continue;
    const [, name, value] = HEADER.exec(fill(line, from + next)) ?? [];
    if (name === undefined || value === undefined)
      throw new Unreadable({ line: from + next, code: "bad-header", found: line.trim() });
    headers.push([name, value.trim()]);
  }
  return {
    line: from + at,
    name: settings.get("name"),
    method: method.toUpperCase(),
    url,
    headers,
    body: bodyOf(lines.slice(next), from + next, fill),
    tez: settings.get("tez"),
    gasLimit: settings.get("gas"),
    account: settings.get("account"),
  };
}

function bodyOf(
  lines: readonly string[],
  from: number,
  fill: (text: string, line: number) => string,
): string | undefined {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start]!.trim() === "") start++;
  while (end > start && lines[end - 1]!.trim() === "") end--;
  if (start === end) return undefined;
  if (/^<@?\s+\S/.test(lines[start]!))
    throw new Unreadable({ line: from + start, code: "file-body", found: lines[start]!.trim() });
  return lines
    .slice(start, end)
    .map((line, i) => fill(line, from + start + i))
    .join("\n");
}

/** Limits for the depth of nested variables, and for replacements. */
const MAX_DEPTH = 8;
const MAX_VALUES = 10_000;
/** Characters of all values that are put in: a file may name a long one many times. */
const MAX_FILLED = 4_000_000;

/** Replaces `{{name}}` by variables of the file, then of the environment. */
function filler(lines: readonly string[], environment: Variables): (text: string, line: number) => string {
  const own = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = VARIABLE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) own.set(name, value.trim());
  }
  let left = MAX_VALUES;
  let room = MAX_FILLED;
  const fill = (text: string, line: number, depth: number): string =>
    text.replaceAll(/\{\{([^{}]{1,240})\}\}/g, (found: string, inside: string) => {
      const name = inside.trim();
      const inFile = own.get(name);
      const isOwn = inFile !== undefined && depth < MAX_DEPTH && left-- > 0;
      const value = isOwn ? inFile : environment(name);
      if (value === undefined) throw new Unreadable({ line, code: "unknown-variable", found });
      room -= value.length;
      if (room < 0) throw new Unreadable({ line, code: "too-long", found });
      return isOwn ? fill(value, line, depth + 1) : value;
    });
  return (text, line) => fill(text, line, 0);
}

/** The text of a request, as {@link requestAt} reads it. */
export function textOfRequest(request: Omit<TextRequest, "line">): string {
  const { name, method, url, headers, body, tez, gasLimit, account } = request;
  const settings = Object.entries({ name, account, tez, gas: gasLimit }).flatMap(([key, value]) =>
    value === undefined ? [] : [`# @${key} ${value}`],
  );
  const lines = [...settings, `${method} ${url}`, ...headers.map(([key, value]) => `${key}: ${value}`)];
  return `${[...lines, ...(body === undefined ? [] : ["", body])].join("\n")}\n`;
}
