// Replays the real protocol's recorded runs of single opcodes through `trace_code`, and compares storage, operations, big
// maps, and for each instruction its location, its gas and the stack after it.
import { beforeAll, describe, expect, it } from "vitest";
import { loadBls } from "../../tezos/curves.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { MichelsonError } from "../michelson/michelson-error.ts";
import {
  type RecordedRun,
  canonical,
  expressionFrom,
  print,
  recordedRuns,
  scriptFrom,
  words,
} from "../testing/recorded-runs.ts";
import { scriptRoutes } from "../testing/script-routes.ts";
import { filesIn, suiteFolder, textOf } from "../testing/suites.ts";

/** Runs of features that this node lacks. */
const UNSUPPORTED = /sapling/;
/** Chain on which the runs were recorded. */
const CHAIN_ID = "NetXynUjJNZm7wi";
/** Id of the first big map in the recorded runs; ours start at the next id of our chain. */
const FIRST_BIG_MAP = 4;

const suite = suiteFolder("octez");
const post = scriptRoutes();

interface Answer {
  readonly storage: Micheline;
  readonly operations: readonly Record<string, unknown>[];
  readonly lazy_storage_diff?: readonly {
    readonly id: string;
    readonly diff: {
      readonly action: string;
      readonly key_type?: Micheline;
      readonly value_type?: Micheline;
      readonly updates: readonly { readonly key: Micheline; readonly value?: Micheline }[];
    };
  }[];
  readonly trace: readonly {
    readonly location: number;
    readonly gas: string;
    readonly stack: readonly Micheline[];
  }[];
}

const mutez = (tez: string): string => String(Math.round(Number(tez) * 1e6));

const bodyOf = (folder: string, { script, storage, input, options }: RecordedRun): object => ({
  script: scriptFrom(textOf(folder, script)),
  storage: expressionFrom(storage),
  input: expressionFrom(input),
  amount: "50000",
  balance: options["balance"] === undefined ? "4000000000000" : mutez(options["balance"]),
  chain_id: CHAIN_ID,
  ...(options["level"] !== undefined && { level: Number(options["level"]) }),
  ...(options["now"] !== undefined && { now: String(Math.floor(Date.parse(options["now"]) / 1000)) }),
});

/** Big-map changes in the client's wording. */
function bigMapsOf({ lazy_storage_diff: diffs = [] }: Answer): string {
  const lines = diffs.flatMap(({ id, diff }) => {
    const name = `map(${FIRST_BIG_MAP + Number(id)})`;
    const head =
      diff.action === "alloc"
        ? [`New ${name} of type (big_map ${print(diff.key_type!, true)} ${print(diff.value_type!, true)})`]
        : [];
    const updates = diff.updates.map(({ key, value }) =>
      value === undefined
        ? `Unset ${name}[${print(key, true)}]`
        : `Set ${name}[${print(key, true)}] to ${print(value, true)}`,
    );
    return [...head, ...updates];
  });
  return words(lines.join(" "));
}

/** Operations in the client's wording. */
const operationsOf = ({ operations }: Answer): string =>
  words(operations.map((operation) => operationText(operation as never)).join(" "));

function operationText(operation: {
  readonly kind: string;
  readonly source: string;
  readonly balance: string;
  readonly script: { readonly code: Micheline; readonly storage: Micheline };
  readonly type: Micheline;
  readonly tag: string;
  readonly payload: Micheline;
}): string {
  switch (operation.kind) {
    case "origination": {
      const { code, storage } = operation.script;
      const credit = Number(operation.balance) / 1e6;
      return `Internal Origination: From: ${operation.source} Credit: ꜩ${credit} Script: ${print(code)} Initial storage: ${print(storage)} No delegate for this contract`;
    }
    case "event":
      return `Internal Event: From: ${operation.source} Type: ${print(operation.type, true)} Tag: ${operation.tag} Payload: ${print(operation.payload, true)}`;
    default:
      return operation.kind;
  }
}

/** A recorded expression, in which big maps are written `map(4)`. */
const readRecorded = (text: string): Micheline =>
  canonical(expressionFrom(text.replace(/map\((\d+)\)/g, "$1")));

/** An answer with big-map ids shifted to those of the recorded runs. */
function renumberBigMaps(node: Micheline, ids: ReadonlySet<string>): Micheline {
  if (Array.isArray(node)) return (node as readonly Micheline[]).map((item) => renumberBigMaps(item, ids));
  if ("int" in node && ids.has(node.int)) return { int: String(FIRST_BIG_MAP + Number(node.int)) };
  if ("prim" in node && node.args)
    return { ...node, args: node.args.map((arg) => renumberBigMaps(arg, ids)) };
  return node;
}

async function compare(folder: string, run: RecordedRun): Promise<void> {
  const body = bodyOf(folder, run);
  if (!run.result) {
    await expect(post("trace_code", body)).rejects.toThrow(MichelsonError);
    return;
  }
  const answer = (await post("trace_code", body)) as Answer;
  const { result } = run;
  const steps = answer.trace.map(({ location, gas }) => `${location} ${Number(gas).toFixed(3)}`);
  expect(steps).toEqual(result.trace.map(({ location, gas }) => `${location} ${Number(gas).toFixed(3)}`));
  expect(answer.trace.map(({ stack }) => stack.map(canonical))).toEqual(
    result.trace.map(({ stack }) => stack.map(readRecorded)),
  );
  const fresh = new Set((answer.lazy_storage_diff ?? []).map(({ id }) => id));
  expect(canonical(renumberBigMaps(answer.storage, fresh))).toEqual(readRecorded(result.storage));
  expect(operationsOf(answer)).toBe(words(result.operations));
  expect(bigMapsOf(answer)).toBe(words(result.bigMaps));
}

describe.skipIf(!suite)("the real protocol's recorded runs", () => {
  beforeAll(loadBls);
  const files = suite ? filesIn(`${suite}/expected/contract_opcodes`, ".out") : [];
  for (const file of files) {
    if (UNSUPPORTED.test(file)) continue;
    it(file.replace(/^U025-- |\.out$/g, ""), async () => {
      const runs = recordedRuns(textOf(suite!, "expected/contract_opcodes", file));
      expect(runs).not.toEqual([]);
      for (const run of runs) await compare(suite!, run);
    });
  }
});
