// The smart function behind the prompt. Each input is a separate call in a fresh environment, so earlier declarations
// come with the request, as expressions that recreate the values, and go back with the answer.

/** Body of a request. */
export interface EvaluationRequest {
  /** Kept values by name, each as an expression. */
  readonly kept: Readonly<Record<string, string>>;
  readonly source: string;
  /** The source with top-level declarations as `var`. */
  readonly asVariables: string;
  /** Identifiers in the source. */
  readonly identifiers: readonly string[];
  readonly isBody: boolean;
}

/** Body of the response. */
export interface Evaluation {
  /** The value as text. */
  readonly value?: string;
  readonly lines: readonly string[];
  readonly kept?: Readonly<Record<string, string>>;
  /** Names that were declared or changed. */
  readonly changed?: readonly string[];
  /** Names whose values cannot be serialized, with their kinds. */
  readonly lost?: readonly (readonly [name: string, kind: string])[];
  readonly failure?: string;
}

/** A failure responds with 500, so that changes of the input are rolled back. */
export const EVALUATOR = `
const show = (value) => {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return value + "n";
  if (typeof value === "function" || value === undefined || typeof value === "symbol") return String(value);
  if (value instanceof Error) return value.name + ": " + value.message;
  try { return JSON.stringify(value, null, 2) ?? String(value); } catch { return String(value); }
};
const evaluate = (text) => (0, eval)(text);
const kindOf = (value) =>
  typeof value === "object" && value !== null ? value.constructor?.name ?? "object" : typeof value;
class Unwritable extends Error {}

/** An expression that recreates a value. Throws Unwritable if there is none. */
function write(value, above) {
  if (value === null || typeof value === "boolean" || value === undefined) return value === undefined ? "undefined" : String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return value + "n";
  if (typeof value === "string") return JSON.stringify(value).replace(/\\u2028/g, "\\\\u2028").replace(/\\u2029/g, "\\\\u2029");
  if (typeof value === "symbol" || above.includes(value)) throw new Unwritable();
  if (typeof value === "function") {
    const text = "(" + Function.prototype.toString.call(value) + ")";
    if (/\\[native code\\]\\s*}\\s*\\)$/.test(text)) throw new Unwritable();
    try { evaluate("() => " + text); } catch { throw new Unwritable(); }
    return text;
  }
  const inside = [...above, value];
  const list = (values) => "[" + Array.from(values, (each) => write(each, inside)).join(", ") + "]";
  if (Array.isArray(value)) return list(value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Date.prototype) return "new Date(" + write(value.getTime(), above) + ")";
  if (prototype === RegExp.prototype) return String(value);
  if (prototype === Map.prototype) return "new Map(" + list(value) + ")";
  if (prototype === Set.prototype) return "new Set(" + list(value) + ")";
  if (prototype === Uint8Array.prototype) return "new Uint8Array(" + list(value) + ")";
  if (prototype !== Object.prototype && prototype !== null) throw new Unwritable();
  return "({" + Object.entries(value).map(([key, each]) => "[" + JSON.stringify(key) + "]: " + write(each, inside)).join(", ") + "})";
}

/** Whether a name means anything. */
const isBound = (name) => {
  try { evaluate(name); return true; } catch { return false; }
};
const declared = (name) => Object.hasOwn(globalThis, name);

async function valueOf({ source, asVariables, isBody, identifiers }) {
  // A line that begins with a brace is an object rather than a block, where it can be one.
  if (!isBody) {
    if (source.startsWith("{")) {
      try { evaluate("() => (" + source + "\\n)"); return evaluate("(" + source + "\\n)"); }
      catch (error) { if (!(error instanceof SyntaxError)) throw error; }
    }
    return evaluate(asVariables);
  }
  let whole;
  try { whole = evaluate("(async () => (" + source + "\\n))"); }
  catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Its declarations are local to the function, and returned at its end.
    const names = identifiers.filter((name) => !isBound(name) || declared(name));
    const give = names.map((name) => "try { if (typeof " + name + " !== 'undefined') globalThis." + name + " = " + name + "; } catch {}");
    const usable = give.filter((text) => { try { evaluate("async () => { " + text + " }"); return true; } catch { return false; } });
    whole = evaluate("(async () => { try { " + asVariables + "\\n} finally { " + usable.join(" ") + " } })");
  }
  return whole();
}

export default async (request) => {
  const input = await request.json();
  const lines = [];
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const own = console[level].bind(console);
    console[level] = (...values) => { lines.push(values.map((v) => typeof v === "string" ? v : show(v)).join(" ")); own(...values); };
  }
  const before = new Set(Object.getOwnPropertyNames(globalThis));
  for (const [name, text] of Object.entries(input.kept)) globalThis[name] = evaluate(text);
  try {
    const value = await valueOf(input);
    const kept = {};
    const changed = [];
    const lost = [];
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (before.has(name) && !Object.hasOwn(input.kept, name)) continue;
      try {
        kept[name] = write(globalThis[name], []);
        if (kept[name] !== input.kept[name]) changed.push(name);
      } catch (error) {
        if (!(error instanceof Unwritable)) throw error;
        lost.push([name, kindOf(globalThis[name])]);
      }
    }
    return Response.json({ value: show(value), lines, kept, changed, lost });
  } catch (error) {
    const failure = error instanceof Error ? error.name + ": " + error.message : "Uncaught " + show(error);
    return Response.json({ failure, lines }, { status: 500 });
  }
};
`;
