// What a debugger has shown and may ask the children of, by numbers. They hold until the debugger moves.
import type { SessionVariable } from "../../../protocol/debug-session-api.ts";
import { SandboxError } from "../../../protocol/errors.ts";
import type { HeapReader } from "../heap-reader.ts";
import type { Child, Shown } from "../value-children.ts";
import { childrenOf, type View, viewOf } from "../value-view.ts";

/** Children in one answer. */
const MAX_PAGE = 1_000;
/** Numbers given between two moves. */
const MAX_REFERENCES = 100_000;

/** A page of children. */
export interface Page {
  readonly kind: "indexed" | "named";
  readonly start: number;
  readonly count: number;
}

/** Something with children. */
export type Parent = (page: Page) => SessionVariable[];

export class References {
  #parents: Parent[] = [];

  clear(): void {
    this.#parents = [];
  }

  /** @returns 0 when too many are shown already: then it cannot be opened */
  add(parent: Parent): number {
    return this.#parents.length >= MAX_REFERENCES ? 0 : this.#parents.push(parent);
  }

  /** @throws SandboxError BAD_REQUEST */
  children(
    ref: number,
    filter: "indexed" | "named" | undefined,
    start = 0,
    count = MAX_PAGE,
  ): SessionVariable[] {
    const parent = this.#parents[ref - 1];
    if (parent === undefined)
      throw new SandboxError("BAD_REQUEST", {
        at: "ref",
        found: ref,
        expected: "a reference given since the debugger moved",
      });
    const most = Math.max(0, Math.min(count === 0 ? MAX_PAGE : count, MAX_PAGE));
    if (filter !== undefined) return parent({ kind: filter, start, count: most });
    const named = parent({ kind: "named", start, count: most });
    if (named.length >= most) return named;
    return [...parent({ kind: "indexed", start, count: most - named.length }), ...named];
  }
}

/** A variable without children. */
export const plainVariable = (
  name: string,
  value: string,
  more: Partial<SessionVariable> = {},
): SessionVariable => ({ name, value, type: "", ref: 0, named: 0, indexed: 0, ...more });

/** How values in memory are shown. */
export interface Showing {
  readonly references: References;
  readonly heap: HeapReader;
  /** Evaluates a getter where the program is paused, and shows its value as the one child. */
  readonly lazily: (expression: string) => Parent;
}

/** @param expression that leads to it, if any */
export function variableOf(
  showing: Showing,
  name: string,
  shown: Shown | undefined,
  expression: string | undefined,
): SessionVariable {
  const named = expression === undefined ? {} : { evaluateName: expression };
  if (shown === undefined) {
    if (expression === undefined) return plainVariable(name, "(getter)");
    const ref = showing.references.add(showing.lazily(expression));
    return plainVariable(name, "(getter)", { ref, named: 1, isLazy: true, ...named });
  }
  const view = viewOf(showing.heap, shown);
  const hasChildren = view.named + view.indexed > 0;
  const ref = hasChildren
    ? showing.references.add((page) => childVariables(showing, shown, expression, page))
    : 0;
  return { name, ...numbersOf(view), ref, ...named };
}

const numbersOf = ({ text, type, named, indexed }: View) => ({ value: text, type, named, indexed });

function childVariables(
  showing: Showing,
  shown: Shown,
  expression: string | undefined,
  { kind, start, count }: Page,
): SessionVariable[] {
  return childrenOf(showing.heap, shown, kind, start, count).map((child) => ({
    ...variableOf(showing, child.name, child.shown, below(expression, child)),
    ...(child.isInternal ? { isInternal: true as const } : {}),
  }));
}

function below(expression: string | undefined, { access }: Child): string | undefined {
  if (expression === undefined || access === undefined) return undefined;
  return `${/^[\w$.[\]"]+$/.test(expression) ? expression : `(${expression})`}${access}`;
}

/** Steps from the result of an expression to something inside it. */
export type Step = { readonly kind: "indexed" | "named"; readonly index: number };

/** What a step leads to. */
export function walk(heap: HeapReader, from: Shown, steps: readonly Step[]): Shown | undefined {
  let at: Shown | undefined = from;
  for (const { kind, index } of steps) {
    if (at === undefined) return undefined;
    at = childrenOf(heap, at, kind, index, 1)[0]?.shown;
  }
  return at;
}

/** A value of JSON, as in a store. */
export function jsonVariable(references: References, name: string, text: string): SessionVariable {
  if (text.length > MAX_JSON)
    return plainVariable(name, `${text.slice(0, MAX_LINE)}… (${text.length} characters)`);
  try {
    return parsedVariable(references, name, JSON.parse(text) as unknown, text);
  } catch {
    return plainVariable(name, text.slice(0, MAX_LINE));
  }
}

const MAX_JSON = 4 * 1024 * 1024;
const MAX_LINE = 1_000;

function parsedVariable(references: References, name: string, value: unknown, text: string): SessionVariable {
  const shown = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
  if (value === null || typeof value !== "object") return plainVariable(name, shown, { type: typeof value });
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return plainVariable(name, shown);
  const ref = references.add(({ kind, start, count }) =>
    (kind === "indexed") === isList
      ? entries
          .slice(start, start + count)
          .map(([key, each]) => parsedVariable(references, key, each, JSON.stringify(each)))
      : [],
  );
  const sizes = isList ? { indexed: entries.length, named: 0 } : { indexed: 0, named: entries.length };
  return plainVariable(name, shown, { ref, ...sizes, type: isList ? "Array" : "Object" });
}
