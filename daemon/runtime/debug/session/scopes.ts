// The scopes of a paused frame: its variables, what its functions has captured, and the state that its call sees.
import {
  balanceId,
  type SessionScope,
  type SessionVariable,
  valueId,
} from "../../../protocol/debug-session-api.ts";
import type { LedgerView } from "../../ledger/ledger.ts";
import type { HeapReader, Variable } from "../heap-reader.ts";
import type { StackFrame } from "./frames.ts";
import {
  jsonVariable,
  type Page,
  type Parent,
  plainVariable,
  type References,
  type Showing,
  variableOf,
} from "./references.ts";
import type { StateWatch } from "./state-watch.ts";

export interface ScopeSources {
  readonly references: References;
  readonly state: StateWatch;
  /** Keys of a function's store before the operation. */
  readonly keys: (address: string) => Iterable<string>;
  readonly before: LedgerView;
  /** Evaluates a getter in a frame, and shows its value as the one child. */
  readonly lazily: (expression: string) => Parent;
  /** Gas of the operation, and of the frame's call. */
  readonly gas: () => readonly (readonly [name: string, units: number])[];
}

export function scopesOf(frame: StackFrame, sources: ScopeSources): SessionScope[] {
  const { references } = sources;
  const scopes: SessionScope[] = [];
  const add = (name: string, variables: () => SessionVariable[], count: number): void => {
    let made: SessionVariable[] | undefined;
    const ref = references.add(({ kind, start, count: most }) =>
      kind === "named" ? (made ??= variables()).slice(start, start + most) : [],
    );
    scopes.push({ name, ref, named: count, indexed: 0 });
  };
  if (frame.live !== undefined) {
    const { heap, frame: live } = frame.live;
    const all = heap.variables(live);
    for (const scope of ["local", "closure"] as const) {
      const own = visible(
        heap,
        all.filter((variable) => variable.scope === scope),
      );
      add(scope === "local" ? "Local" : "Closure", () => shownVariables(sources, heap, own), own.length);
    }
  }
  const call = sources.state.calls[frame.call];
  if (call === undefined) return scopes;
  const keys = keysOf(call.address, call.view, sources);
  const ref = references.add((page) => kvPage(call.address, call.view, keys, sources, page));
  scopes.push({ name: "Kv", ref, named: keys.length, indexed: 0 });
  add("Ledger", () => balances(call.view, sources), sources.state.accounts.size);
  const gas = sources.gas();
  add("Gas", () => gas.map(([name, units]) => plainVariable(name, String(units))), gas.length);
  return scopes;
}

/** Variables that the program has names for; of two with one name the inner one that has a value. */
function visible(heap: HeapReader, variables: readonly Variable[]): Variable[] {
  const found = new Map<string, Variable>();
  for (const variable of variables) {
    const { name } = variable;
    if (name === "" || name.startsWith("<") || name.startsWith("#")) continue;
    const other = found.get(name);
    const isUnset = ["undefined", "uninitialized"].includes(heap.value(variable.bits).kind);
    if (other === undefined || (variable.level >= other.level && !isUnset)) found.set(name, variable);
  }
  return [...found.values()];
}

function shownVariables(
  { references, lazily }: ScopeSources,
  heap: HeapReader,
  variables: readonly Variable[],
): SessionVariable[] {
  const showing: Showing = { references, heap, lazily };
  return variables.map(({ name, bits }) => variableOf(showing, name, { kind: "value", bits }, name));
}

/** Keys that have a value, or had one before the operation. */
function keysOf(address: string, view: LedgerView, { keys, state, before }: ScopeSources): string[] {
  const all = new Set([...keys(address), ...(state.written.get(address) ?? [])]);
  return [...all]
    .filter((key) => view.value(address, key) !== undefined || before.value(address, key) !== undefined)
    .sort();
}

function kvPage(
  address: string,
  view: LedgerView,
  keys: readonly string[],
  { references, before }: ScopeSources,
  { kind, start, count }: Page,
): SessionVariable[] {
  if (kind !== "named") return [];
  return keys.slice(start, start + count).map((key): SessionVariable => {
    const dataId = valueId(address, key);
    const now = view.value(address, key);
    const was = before.value(address, key);
    if (now === undefined) return plainVariable(key, `(deleted, was ${short(was)})`, { dataId });
    const shown = jsonVariable(references, key, now);
    const mark = now === was ? "" : was === undefined ? " (new)" : ` (was ${short(was)})`;
    return { ...shown, value: `${shown.value}${mark}`, dataId };
  });
}

const MAX_WAS = 60;
const short = (text = ""): string => (text.length > MAX_WAS ? `${text.slice(0, MAX_WAS)}…` : text);

function balances(view: LedgerView, { state, before }: ScopeSources): SessionVariable[] {
  return [...state.accounts].map((account) => {
    const now = view.account(account)?.amount ?? 0n;
    const was = before.account(account)?.amount ?? 0n;
    const mark = now === was ? "" : ` (was ${was})`;
    return plainVariable(account, `${now} mutez${mark}`, { dataId: balanceId(account) });
  });
}
