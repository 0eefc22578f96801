// console: each call becomes one log record of the running function. Levels as the real runtime maps them: debug,
// warn, error (also failed assertions and traces), everything else info.

import { callHost } from "./host.ts";
import { formatLog, inspect } from "./inspect.ts";
import { assertProtocol } from "./protocol-objects.ts";

type Level = "debug" | "info" | "warn" | "error";

let indent = "";
const counts = new Map<string, number>();
const timers = new Set<string>();

function write(level: Level, text: string): void {
  assertProtocol("console");
  callHost("console", level, indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`));
}

const label = (value: unknown): string => (value === undefined ? "default" : `${value as string}`);

function table(data: unknown, columns: unknown): string {
  if (typeof data !== "object" || data === null) return formatLog([data]);
  const rows =
    data instanceof Map
      ? [...data.entries()]
      : data instanceof Set
        ? [...data.values()].map((v, i) => [i, v])
        : Object.entries(data);
  const wanted = Array.isArray(columns) ? columns.map(String) : undefined;
  const keys: string[] = [];
  let hasValues = false;
  for (const [, row] of rows as [unknown, unknown][]) {
    if (typeof row === "object" && row !== null) {
      for (const key of wanted ?? Object.keys(row)) if (!keys.includes(key)) keys.push(key);
    } else hasValues = true;
  }
  const head = ["(idx)", ...keys, ...(hasValues ? ["Values"] : [])];
  const body = (rows as [unknown, unknown][]).map(([index, row]) => {
    const isObject = typeof row === "object" && row !== null;
    const cells = keys.map((key) =>
      isObject && key in row ? inspect((row as Record<string, unknown>)[key]) : "",
    );
    return [String(index), ...cells, ...(hasValues ? [isObject ? "" : inspect(row)] : [])];
  });
  const widths = head.map((text, column) =>
    Math.max(text.length, ...body.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    `│ ${row.map((text, column) => text.padEnd(widths[column] as number)).join(" │ ")} │`;
  const rule = (left: string, middle: string, right: string): string =>
    left + widths.map((width) => "─".repeat(width + 2)).join(middle) + right;
  return [rule("┌", "┬", "┐"), line(head), rule("├", "┼", "┤"), ...body.map(line), rule("└", "┴", "┘")].join(
    "\n",
  );
}

const methods: Record<string, (...values: unknown[]) => void> = {
  log: (...values) => write("info", formatLog(values)),
  debug: (...values) => write("debug", formatLog(values)),
  info: (...values) => write("info", formatLog(values)),
  warn: (...values) => write("warn", formatLog(values)),
  error: (...values) => write("error", formatLog(values)),
  dir: (value) => write("info", inspect(value)),
  dirxml: (...values) => write("info", formatLog(values)),
  trace: (...values) => {
    const at = (new Error().stack ?? "")
      .split("\n")
      .slice(1)
      .filter((line) => line.includes("jstz://"))
      .join("\n");
    write("error", `Trace${values.length > 0 ? `: ${formatLog(values)}` : ""}${at === "" ? "" : `\n${at}`}`);
  },
  assert: (condition, ...values) => {
    if (condition) return;
    const [first, ...rest] = values;
    if (values.length === 0) write("error", "Assertion failed");
    else if (typeof first === "string") write("error", formatLog([`Assertion failed: ${first}`, ...rest]));
    else write("error", formatLog(["Assertion failed:", ...values]));
  },
  table: (data, columns) => write("info", table(data, columns)),
  group: (...values) => {
    if (values.length > 0) write("info", formatLog(values));
    indent += "    ";
  },
  groupCollapsed: (...values) => methods["group"]?.(...values),
  groupEnd: () => {
    indent = indent.slice(4);
  },
  count: (name) => {
    const key = label(name);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    write("info", `${key}: ${counts.get(key) as number}`);
  },
  countReset: (name) => {
    const key = label(name);
    if (!counts.delete(key)) write("warn", `Count for '${key}' does not exist`);
  },
  time: (name) => {
    const key = label(name);
    if (timers.has(key)) write("warn", `Timer '${key}' already exists`);
    timers.add(key);
  },
  timeLog: (name, ...values) => {
    const key = label(name);
    if (!timers.has(key)) write("warn", `Timer '${key}' does not exist`);
    else write("info", formatLog([`${key}: 0ms`, ...values]));
  },
  timeEnd: (name) => {
    const key = label(name);
    if (timers.delete(key)) write("info", `${key}: 0ms`);
    else write("warn", `Timer '${key}' does not exist`);
  },
  clear: () => undefined,
  timeStamp: () => undefined,
  profile: () => undefined,
  profileEnd: () => undefined,
};

/** A namespace object: its prototype is an empty object, as the console standard requires. */
export const guestConsole = Object.create({}) as Record<string, unknown>;
for (const [name, method] of Object.entries(methods)) {
  const wrapped = { [name]: (...values: unknown[]): void => method(...values) }[name];
  Object.defineProperty(guestConsole, name, {
    value: wrapped,
    writable: true,
    configurable: true,
    enumerable: true,
  });
}
Object.defineProperty(guestConsole, Symbol.toStringTag, { value: "console", configurable: true });
