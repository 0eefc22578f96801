// Paths into JSON: `ledger.owner`, `transfers[0].to`, `transfers[*].to`, `"a name with points".x`, as TzKT writes them.
import { badRequest } from "./query-values.ts";

/** A field, an item, or every item of a list. */
export type Step = { readonly field: string } | { readonly item: number } | { readonly every: true };

/** Steps per path. */
const MAX_STEPS = 16;

/** @throws SandboxError BAD_REQUEST */
export function jsonPath(text: string, at: string): readonly Step[] {
  const steps: Step[] = [];
  const part = /(?:^|\.)(?:"([^"]*)"|([^.[\]"]+))|\.?\[(\d{1,9}|\*)\]/y;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null || steps.length >= MAX_STEPS)
      throw badRequest(at, text, `a path such as a.b[0].c, of at most ${MAX_STEPS} steps`);
    const [, quoted, plain, index] = found;
    if (index === undefined) steps.push({ field: quoted ?? plain! });
    else steps.push(index === "*" ? { every: true } : { item: Number(index) });
  }
  return steps;
}

/** The values at a path: none, one, or every item for `[*]`. */
export function valuesAt(root: unknown, path: readonly Step[]): readonly unknown[] {
  let values: readonly unknown[] = [root];
  for (const step of path) {
    const next: unknown[] = [];
    for (const value of values) {
      if (typeof value !== "object" || value === null) continue;
      if ("every" in step) {
        if (Array.isArray(value)) for (const item of value) next.push(item);
      } else {
        const name = "field" in step ? step.field : String(step.item);
        if (Object.hasOwn(value, name)) next.push((value as Readonly<Record<string, unknown>>)[name]);
      }
    }
    values = next;
  }
  return values;
}
