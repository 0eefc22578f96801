// Text of values for the console, in the manner of Deno, the real runtime's console: double quotes, `{ a: 1 }`, four
// levels, lines broken at 80 columns.

const LINE = 80;
const DEPTH = 4;
const MANY = 100;

interface Context {
  readonly depth: number;
  readonly path: unknown[];
  readonly circular: Map<unknown, number>;
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function quote(text: string): string {
  const mark = !text.includes('"') ? '"' : !text.includes("'") ? "'" : !text.includes("`") ? "`" : '"';
  const escaped = text
    .replace(/\\/g, "\\\\")
    .replace(/\n/g, "\\n")
    .replace(/\r/g, "\\r")
    .replace(/\t/g, "\\t")
    .replace(
      /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g,
      (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return mark + (mark === '"' ? escaped.replace(/"/g, '\\"') : escaped) + mark;
}

const keyText = (key: string | symbol): string =>
  typeof key === "symbol" ? `[${String(key)}]` : IDENTIFIER.test(key) ? key : quote(key);

function constructorName(value: object): string | null {
  let at: object | null = value;
  while (at !== null) {
    const property = Object.getOwnPropertyDescriptor(at, "constructor");
    const made: unknown = property?.value;
    if (typeof made === "function" && made.name !== "") return made.name;
    at = Object.getPrototypeOf(at) as object | null;
  }
  return null;
}

function primitive(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol") return String(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

function functionText(value: () => unknown): string {
  if (/^class\b/.test(Function.prototype.toString.call(value)))
    return `[class ${value.name || "(anonymous)"}]`;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return value.name === "" ? `[${kind} (anonymous)]` : `[${kind}: ${value.name}]`;
}

/** Error text with its stack; QuickJS stacks lack the first line of other engines. */
export function errorText(error: Error): string {
  const head = describeError(error);
  const stack = typeof error.stack === "string" ? error.stack.trimEnd() : "";
  if (stack === "") return head;
  return stack.startsWith(head) ? stack : `${head}\n${stack}`;
}

function describeError(error: Error): string {
  try {
    return String(error);
  } catch {
    return "Error";
  }
}

function group(items: string[], open: string, close: string, prefix: string): string {
  if (items.length === 0) return `${prefix}${open}${close}`;
  const single = `${prefix}${open} ${items.join(", ")} ${close}`;
  if (single.length <= LINE && !items.some((item) => item.includes("\n"))) return single;
  const inner = items.map((item) => `  ${item.replaceAll("\n", "\n  ")}`).join(",\n");
  return `${prefix}${open}\n${inner}\n${close}`;
}

function properties(value: object, context: Context, skip: (key: string | symbol) => boolean): string[] {
  const items: string[] = [];
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !property.enumerable || skip(key)) continue;
    let text: string;
    if (property.get !== undefined) text = property.set !== undefined ? "[Getter/Setter]" : "[Getter]";
    else if (property.set !== undefined) text = "[Setter]";
    else text = format(property.value, context);
    items.push(`${keyText(key)}: ${text}`);
  }
  return items;
}

const listed = (items: string[], total: number): string[] =>
  total > MANY ? [...items, `... ${total - MANY} more item${total - MANY === 1 ? "" : "s"}`] : items;

function structure(value: object, context: Context): string {
  const name = constructorName(value);
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  const tagged = typeof tag === "string" && tag !== "" && tag !== name ? ` [${tag}]` : "";
  const inner: Context = { ...context, depth: context.depth + 1 };
  const none = (): boolean => false;
  const numeric = (key: string | symbol): boolean => typeof key === "string" && /^\d+$/.test(key);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    const list = value as unknown[];
    const items: string[] = [];
    for (let index = 0; index < Math.min(list.length, MANY); index += 1) {
      items.push(index in list ? format(list[index], inner) : "<empty>");
    }
    const prefix = Array.isArray(value) && name === "Array" ? "" : `${name ?? "Array"}(${list.length}) `;
    const all = listed(items, list.length);
    if (Array.isArray(value)) all.push(...properties(value, inner, numeric));
    return group(all, "[", "]", prefix);
  }
  if (value instanceof Map) {
    const items = [...value].slice(0, MANY).map(([k, v]) => `${format(k, inner)} => ${format(v, inner)}`);
    return group(listed(items, value.size), "{", "}", `${name ?? "Map"}(${value.size}) `);
  }
  if (value instanceof Set) {
    const items = [...value].slice(0, MANY).map((item) => format(item, inner));
    return group(listed(items, value.size), "{", "}", `${name ?? "Set"}(${value.size}) `);
  }
  if (value instanceof Error) {
    const extra = properties(value, inner, (key) => key === "stack" || key === "message" || key === "cause");
    const cause = Object.hasOwn(value, "cause") ? `\nCaused by ${format(value.cause, inner)}` : "";
    return errorText(value) + (extra.length > 0 ? ` ${group(extra, "{", "}", "")}` : "") + cause;
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise { <pending or settled> }";
  if (value instanceof WeakMap || value instanceof WeakSet) return `${name ?? "WeakMap"} { <items unknown> }`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer { byteLength: ${value.byteLength} }`;
  for (const boxed of [String, Number, Boolean]) {
    if (value instanceof boxed) return `[${boxed.name}: ${primitive(value.valueOf())}]`;
  }
  if (typeof value === "function") {
    const extra = properties(value, inner, none);
    const text = functionText(value as () => unknown);
    return extra.length === 0 ? text : `${text} ${group(extra, "{", "}", "")}`;
  }
  const accessors = name !== null && name !== "Object" ? platformFields(value) : [];
  const items = [
    ...accessors.map((key) => `${key}: ${format((value as Record<string, unknown>)[key], inner)}`),
    ...properties(value, inner, none),
  ];
  const prefix =
    name === null
      ? "[Object: null prototype] "
      : name === "Object" && tagged === ""
        ? ""
        : `${name}${tagged} `;
  return group(items, "{", "}", prefix);
}

/** Platform objects show their attributes, which are getters of the prototype. */
function platformFields(value: object): string[] {
  const prototype = Object.getPrototypeOf(value) as object;
  const tag = Object.getOwnPropertyDescriptor(prototype, Symbol.toStringTag);
  if (tag === undefined || typeof tag.value !== "string") return [];
  const shown = [
    "href",
    "origin",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "hash",
    "search",
    "type",
    "size",
    "name",
    "status",
    "statusText",
    "ok",
    "method",
    "url",
    "headers",
    "bodyUsed",
    "aborted",
    "reason",
  ];
  return shown.filter((key) => Object.getOwnPropertyDescriptor(prototype, key)?.get !== undefined);
}

function format(value: unknown, context: Context): string {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return primitive(value);
  if (context.path.includes(value)) {
    if (!context.circular.has(value)) context.circular.set(value, context.circular.size + 1);
    return `[Circular *${context.circular.get(value) as number}]`;
  }
  const custom = (value as Record<symbol, unknown>)[Symbol.for("Deno.customInspect")];
  if (typeof custom === "function") return String(Reflect.apply(custom, value, [inspect, {}]));
  if (context.depth > DEPTH && !(value instanceof Error) && typeof value !== "function") {
    return Array.isArray(value) ? "[Array]" : `[${constructorName(value) ?? "Object"}]`;
  }
  const entries = entriesOf(value);
  context.path.push(value);
  const text =
    entries === undefined
      ? structure(value, context)
      : group(
          entries.map(([k, v]) => `${quote(k)}: ${format(v, { ...context, depth: context.depth + 1 })}`),
          "{",
          "}",
          `${constructorName(value) ?? ""} `,
        );
  context.path.pop();
  const mark = context.circular.get(value);
  return mark === undefined ? text : `<ref *${mark}> ${text}`;
}

/** Headers and similar objects show their pairs. */
function entriesOf(value: object): [string, unknown][] | undefined {
  const name = constructorName(value);
  if (name !== "Headers" && name !== "URLSearchParams" && name !== "FormData") return undefined;
  const entries = (value as { entries?: unknown }).entries;
  if (typeof entries !== "function") return undefined;
  try {
    return [...(Reflect.apply(entries, value, []) as Iterable<[string, unknown]>)];
  } catch {
    // The prototype itself, or a lookalike.
    return undefined;
  }
}

export function inspect(value: unknown): string {
  return format(value, { depth: 0, path: [], circular: new Map() });
}

/** The console's formatter: an optional format string with %s %d %i %f %j %o %O %c, then the rest. */
export function formatLog(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  const parts: string[] = [];
  if (typeof first === "string" && rest.length > 0 && first.includes("%")) {
    parts.push(
      first.replace(/%([sdifjoOc%])/g, (whole, kind: string) => {
        if (kind === "%") return "%";
        if (rest.length === 0) return whole;
        const value = rest.shift();
        if (kind === "s")
          return typeof value === "string"
            ? value
            : typeof value === "object" && value !== null
              ? inspect(value)
              : String(value);
        if (kind === "d" || kind === "i") return integerText(value);
        if (kind === "f") return typeof value === "symbol" ? "NaN" : `${Number.parseFloat(String(value))}`;
        if (kind === "j") return JSON.stringify(value);
        return kind === "c" ? "" : inspect(value);
      }),
    );
  } else if (values.length > 0) parts.push(typeof first === "string" ? first : inspect(first));
  for (const value of rest) parts.push(typeof value === "string" ? value : inspect(value));
  return parts.join(" ");
}

function integerText(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol") return "NaN";
  return `${typeof value === "number" ? Math.trunc(value) : parseInt(String(value), 10)}`;
}
