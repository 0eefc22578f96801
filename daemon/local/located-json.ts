// Parses JSON files and locates every value, so that an error can name line and column.
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type ErrorCode, reasonOf, SandboxError } from "../protocol/errors.ts";
import { isObject, MalformedJson } from "../tezos/json-fields.ts";
import { endOfString } from "../tezos/json-strings.ts";
import { readRegularFile } from "./regular-file.ts";

export interface LocatedJson {
  readonly file: string;
  readonly value: unknown;
  /** Line and column (from 1) of the value at a path, or of its nearest existing parent. */
  locate(path: readonly (string | number)[]): { line: number; column: number };
}

export interface LocatedJsonOptions {
  /** Error code for a file that is not JSON. */
  readonly invalid: Extract<ErrorCode, "CONFIG_INVALID" | "CLI_CONFIG_INVALID" | "PROJECT_INVALID">;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Reads and parses a file. @throws SandboxError CONFIG_UNREADABLE or the given code for malformed JSON */
export function readLocatedJson(file: string, options: LocatedJsonOptions): LocatedJson {
  let text: string;
  try {
    text = readRegularFile(file).toString("utf8");
  } catch (error) {
    throw new SandboxError("CONFIG_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
  }
  return parseLocatedJson(file, text.replace(/^\uFEFF/, ""), options);
}

/** Parses the text of a file. @throws SandboxError with the given code for malformed JSON */
export function parseLocatedJson(file: string, text: string, options: LocatedJsonOptions): LocatedJson {
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    throw new SandboxError(options.invalid, {
      ...options.data,
      file,
      ...position(text, deep),
      found: `more than ${MAX_DEPTH} levels of nesting`,
      expected: "a configuration",
    });
  }
  const problems: ParseError[] = [];
  const root = parseTree(text, problems, { disallowComments: true, allowTrailingComma: false });
  const problem = problems[0];
  if (!root || problem) {
    const offset = problem?.offset ?? 0;
    throw new SandboxError(options.invalid, {
      ...options.data,
      file,
      ...position(text, offset),
      found: foundAt(text, offset),
      expected: problem ? expectation(problem) : "a JSON object",
    });
  }
  const twice = repeatedKey(root);
  if (twice !== undefined) {
    throw new SandboxError(options.invalid, {
      ...options.data,
      file,
      ...position(text, twice.offset),
      key: String(twice.value),
      found: "the key again",
      expected: "each key once",
    });
  }
  return {
    file,
    value: toValue(root),
    locate(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = findNodeAtLocation(root, path.slice(0, length));
        if (node) return position(text, node.offset);
      }
      return { line: 1, column: 1 };
    },
  };
}

/**
 * Decodes the value at a path of a file with `read`.
 * @throws SandboxError with the given code, the place in the file, what was found and what was expected
 */
export function readAt<T>(
  json: LocatedJson,
  path: readonly string[],
  { invalid, data }: LocatedJsonOptions,
  read: (value: unknown, at: string) => T,
): T {
  const value = path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), json.value);
  try {
    return read(value, path.join("."));
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new SandboxError(invalid, {
      ...data,
      file: json.file,
      ...json.locate(path),
      key: path.join("."),
      found: isSecret(path) ? "another text" : (JSON.stringify(error.found) ?? "nothing"),
      expected: error.expected,
    });
  }
}

/** Whether a value may be a mistyped secret, which no message may show. */
const isSecret = (path: readonly string[]): boolean => path.at(-1) === "secret_key";

/** A duplicate key of an object: it is unclear which value was meant. */
function repeatedKey(node: Node): Node | undefined {
  const keys = node.type === "object" ? (node.children ?? []).map(({ children }) => children?.[0]) : [];
  const seen = new Set<unknown>();
  for (const key of keys) {
    if (key && seen.has(key.value)) return key;
    seen.add(key?.value);
  }
  for (const child of node.children ?? []) {
    const found = repeatedKey(child);
    if (found) return found;
  }
  return undefined;
}

/** No configuration nests deeper. The readers are recursive, so there must be a limit. */
const MAX_DEPTH = 100;

/** Offset at which a text nests too deeply, whether it is valid JSON or not. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  const tokens = /["[\]{}]/g;
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { 0: token, index } = found;
    if (token === '"') tokens.lastIndex = endOfString(text, index);
    else if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth > MAX_DEPTH) return index;
  }
  return undefined;
}

function position(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/**
 * Describes the text at an offset: JSON punctuation literally, everything else by its kind. In malformed JSON any text may
 * be a secret.
 */
function foundAt(text: string, offset: number): string {
  if (text.trim() === "") return "an empty file";
  const rest = text.slice(offset).trimStart();
  const first = rest[0];
  if (first === undefined) return "the end of the file";
  if ("{}[],:".includes(first)) return JSON.stringify(first);
  if (first === '"') return "a text in quotes";
  return /[-\d]/.test(first) ? "a number" : "a text without quotes";
}

/** What the parser expected, in words. */
function expectation(problem: ParseError): string {
  const name = printParseErrorCode(problem.error); // e.g. "CommaExpected"
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  const match = /^(.*) expected$/.exec(words);
  return match ? `a ${match[1]}` : `correct JSON (${words})`;
}

function toValue(node: Node): unknown {
  switch (node.type) {
    case "object":
      return Object.fromEntries(
        (node.children ?? []).map((property) => [
          String(property.children?.[0]?.value),
          property.children?.[1] ? toValue(property.children[1]) : undefined,
        ]),
      );
    case "array":
      return (node.children ?? []).map(toValue);
    default:
      return node.value as unknown;
  }
}
