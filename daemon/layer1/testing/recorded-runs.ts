// Script runs as recorded by the real protocol's client: command line, storage, operations, big maps, trace.
import { Parser } from "@taquito/michel-codec";
import type { Micheline } from "../../tezos/micheline.ts";

export interface RecordedStep {
  readonly location: number;
  readonly gas: string;
  readonly stack: readonly string[];
}

export interface RecordedRun {
  /** Path of the script within the suite. */
  readonly script: string;
  readonly storage: string;
  readonly input: string;
  readonly options: Readonly<Record<string, string>>;
  /** The result; undefined when the run failed. */
  readonly result:
    | {
        readonly storage: string;
        readonly operations: string;
        readonly bigMaps: string;
        readonly trace: readonly RecordedStep[];
      }
    | undefined;
  /** The whole output, for failures. */
  readonly output: string;
}

const COMMAND = /^\.\/octez-client [^\n]*?run script /m;
const ARGUMENTS =
  /run script (\S+) on storage ('(?:[^']|'\\'')*'|"[^\n]*?"|\S+) and input ('(?:[^']|'\\'')*'|\S+)([^\n]*)\n([\s\S]*)$/;
const RESULT =
  /^storage\n([\s\S]*?)\nemitted operations\n([\s\S]*?)\nbig_map diff\n([\s\S]*?)\ntrace\n([\s\S]*)$/m;

const unquote = (word: string): string =>
  word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;

/** The runs in one recorded file. */
export function recordedRuns(text: string): readonly RecordedRun[] {
  return text
    .split(/^(?=\.\/octez-client)/m)
    .filter((part) => COMMAND.test(part))
    .map((part) => {
      const found = ARGUMENTS.exec(part);
      if (!found) throw new SyntaxError(`not a recorded run: ${part.slice(0, 200)}`);
      const [, script, storage, input, options, output] = found as unknown as string[];
      const result = RESULT.exec(output!);
      return {
        script: script!,
        storage: unquote(storage!),
        input: unquote(input!),
        options: optionsOf(options!),
        output: output!,
        result: result
          ? {
              storage: result[1]!.trim(),
              operations: result[2]!.trim(),
              bigMaps: result[3]!.trim(),
              trace: stepsOf(result[4]!),
            }
          : undefined,
      };
    });
}

function optionsOf(text: string): Record<string, string> {
  const options: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/ --?([a-z-]+)(?: ('[^']*'|[^-\s]\S*))?/g))
    options[name!] = value === undefined ? "" : unquote(value);
  return options;
}

function stepsOf(text: string): readonly RecordedStep[] {
  return [
    ...text.matchAll(/- location: (\d+) \(just consumed gas: ([\d.]+)\)\n\s*\[([\s\S]*?)\](?=\n|$)/g),
  ].map(([, location, gas, stack]) => ({
    location: Number(location),
    gas: gas!,
    // Values start at a fixed column; continuation lines are indented further.
    stack: stack!
      .split(/\n {6}(?! )/)
      .map((value) => value.trim())
      .filter((value) => value !== ""),
  }));
}

const parser = new Parser({ expandMacros: true });

/** Strips what the text parser attaches to its nodes. */
const plain = (node: unknown): Micheline => JSON.parse(JSON.stringify(node)) as Micheline;

/** A script as its author wrote it, with macros expanded. */
export const scriptFrom = (text: string): Micheline => plain(parser.parseScript(text));

/** An expression as the client prints it, with or without parentheses. */
export const expressionFrom = (text: string): Micheline =>
  plain(parser.parseMichelineExpression(/^[A-Z]\w*[^\w]/.test(text) ? `(${text})` : text));

/** An expression without annotations and with nested pairs, so that all notations of a value become equal. */
export function canonical(node: Micheline): Micheline {
  if (Array.isArray(node)) return (node as readonly Micheline[]).map(canonical);
  if (!("prim" in node)) return node;
  const args = (node.args ?? []).map(canonical);
  const isComb = (node.prim === "Pair" || node.prim === "pair") && args.length > 2;
  const nested = isComb ? [args[0]!, canonical({ prim: node.prim, args: args.slice(1) })] : args;
  return nested.length > 0 ? { prim: node.prim, args: nested } : { prim: node.prim };
}

/** Collapses whitespace: the client breaks lines arbitrarily. */
export const words = (text: string): string => text.replace(/\s+/g, " ").trim();

/** An expression as the client prints it on one line. */
export function print(node: Micheline, nested = false): string {
  if (Array.isArray(node)) {
    const items = (node as readonly Micheline[]).map((item) => print(item));
    return items.length === 0 ? "{}" : `{ ${items.join(" ; ")} }`;
  }
  if ("int" in node) return node.int;
  if ("string" in node) return JSON.stringify(node.string);
  if ("bytes" in node) return `0x${node.bytes}`;
  if (!("prim" in node)) return "";
  const parts = [node.prim, ...(node.annots ?? []), ...(node.args ?? []).map((arg) => print(arg, true))];
  return nested && parts.length > 1 ? `(${parts.join(" ")})` : parts.join(" ");
}
