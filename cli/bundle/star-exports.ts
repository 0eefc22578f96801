// Counts the ways through `export * from`. The bundler walks each of them anew, so that forty files, each of which exports all
// of the next one twice, would take it for ever.

/** Longest comments and spaces between the words of such an export. Nobody writes more, and looking on would be quadratic. */
const MAX_GAP = 1_000;

/**
 * The names that a source exports everything from; `undefined` if one is not written plainly, for which any import may
 * stand. Words in comments and texts count as well: which is which only a parser knows.
 */
export function starExportsOf(source: string): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (let at = source.indexOf("export"); at >= 0; at = source.indexOf("export", at + 6)) {
    const star = afterGap(source, at + 6);
    if (star < 0) return undefined;
    if (source[star] !== "*") continue;
    const from = afterGap(source, star + 1);
    if (from < 0) return undefined;
    if (!source.startsWith("from", from)) continue; // as a namespace, which is one name
    const quote = afterGap(source, from + 4);
    const mark = source[quote];
    if (quote < 0 || (mark !== '"' && mark !== "'")) return undefined;
    const end = source.indexOf(mark, quote + 1);
    const name = source.slice(quote + 1, end);
    if (end < 0 || name.length > MAX_GAP || name.includes("\\")) return undefined;
    names.add(name);
  }
  return names;
}

/** The place after spaces and comments, or -1 when they are too long. */
function afterGap(source: string, start: number): number {
  const gap = /^(?:\s|\/\*[^]*?\*\/|\/\/.*)*/.exec(source.slice(start, start + MAX_GAP))?.[0] ?? "";
  const rest = source.slice(start + gap.length, start + gap.length + 2);
  return gap.length >= MAX_GAP || rest === "/*" ? -1 : start + gap.length;
}

/** Files and the files that they export everything from. Circles end where they began, for the bundler too. */
export class StarExports {
  readonly #below = new Map<string, string[]>();
  readonly #above = new Map<string, string[]>();
  #ways = 0;

  /** All ways from any file to those below it. */
  get ways(): number {
    return this.#ways;
  }

  add(from: string, to: string): void {
    this.#ways += waysFrom(from, this.#above) * waysFrom(to, this.#below);
    append(this.#below, from, to);
    append(this.#above, to, from);
  }
}

function append(all: Map<string, string[]>, key: string, value: string): void {
  const list = all.get(key);
  if (list) list.push(value);
  else all.set(key, [value]);
}

/** How many ways begin at a file, that of no step among them. */
function waysFrom(first: string, next: ReadonlyMap<string, readonly string[]>): number {
  const found = new Map<string, number>();
  const pending = [first];
  for (let file = pending.at(-1); file !== undefined; file = pending.at(-1)) {
    const steps = next.get(file) ?? [];
    const isEntered = found.has(file);
    if (!isEntered) {
      found.set(file, 0); // a circle adds nothing
      const open = steps.filter((step) => !found.has(step));
      pending.push(...open);
      if (open.length > 0) continue;
    }
    pending.pop();
    if (found.get(file) === 0)
      found.set(
        file,
        steps.reduce((sum, step) => sum + found.get(step)!, 1),
      );
  }
  return found.get(first)!;
}
