// The live state of the sandbox: one event stream, shared by all views. Events are gathered and shown four times a second,
// so that a sandbox under load keeps a page that can be used.
import { computed, signal } from "@preact/signals";
import type { DepositEvent, OperationEvent } from "../../daemon/protocol/runtime-event.ts";
import type { AccountRow, AccountsReport, HealthReport } from "../../daemon/protocol/sandbox-api.ts";
import { read, readRuntime } from "./api.ts";

export interface RuntimeRow extends OperationEvent {
  /** ISO time. */
  readonly at: string;
}

interface Head {
  readonly level: number;
  readonly hash: string;
  readonly timestamp: string;
}

/** Rows that are kept. */
const KEPT = 500;
/** Milliseconds between two changes of the page. */
const PACE_MS = 250;

export const health = signal<HealthReport | undefined>(undefined);
export const head = signal<Head | undefined>(undefined);
export const accounts = signal<readonly AccountRow[]>([]);
export const operations = signal<readonly RuntimeRow[]>([]);
/** Whether the event stream is open; undefined before the first try. */
export const isConnected = signal<boolean | undefined>(undefined);
/** Grows with each change of the runtime: views that read its state depend on it. */
export const runtimeChanges = signal(0);
/** Whether the list of operations has been read once. */
export const isFilled = signal(false);
/** Where the bridge is, and the endpoints. */
export const settings = signal<Settings | undefined>(undefined);

export interface Settings {
  readonly server_port: number;
  readonly layer1_node: {
    readonly rpc_endpoint: string;
    readonly bridge_address: string;
    readonly exchanger_address: string;
    readonly rollup_address: string;
  };
  readonly runtime_node: { readonly endpoint: string };
}

const labels = computed(() => new Map(accounts.value.map(({ address, label }) => [address, label])));

/** Name of an account of the sandbox. */
export function labelOf(address: string): string | undefined {
  const { layer1_node: layer1 } = settings.value ?? {};
  if (address === layer1?.bridge_address) return "bridge";
  if (address === layer1?.exchanger_address) return "exchanger";
  if (address === layer1?.rollup_address) return "rollup";
  return labels.value.get(address);
}

let waiting: RuntimeRow[] = [];
let nextHead: Head | undefined;
let changedBalances = new Map<string, AccountRow>();
let changes = 0;
let timer: number | undefined;

/** Shows what has come in. */
function flush(): void {
  timer = undefined;
  if (waiting.length > 0) operations.value = joined(waiting.reverse(), operations.value);
  if (nextHead) head.value = nextHead;
  if (changedBalances.size > 0)
    accounts.value = accounts.value.map((row) => changedBalances.get(row.address) ?? row);
  if (changes > 0) runtimeChanges.value += changes;
  waiting = [];
  nextHead = undefined;
  changedBalances = new Map();
  changes = 0;
}

function soon(): void {
  timer ??= window.setTimeout(flush, PACE_MS);
}

/** Newest first, each hash once. */
function joined(newer: readonly RuntimeRow[], older: readonly RuntimeRow[]): RuntimeRow[] {
  const rows = new Map<string, RuntimeRow>();
  for (const row of [...newer, ...older]) {
    if (rows.size === KEPT) break;
    if (!rows.has(row.hash)) rows.set(row.hash, row);
  }
  return [...rows.values()];
}

function add(row: OperationEvent): void {
  waiting.push({ ...row, at: new Date().toISOString() });
  if (waiting.length > KEPT) waiting.splice(0, waiting.length - KEPT); // the oldest would not be shown
  changes++;
  soon();
}

const on: Readonly<Record<string, (data: never) => void>> = {
  status: () => void refreshHealth(),
  part: () => void refreshHealth(),
  head: (data: Head) => {
    nextHead = data;
    soon();
  },
  balances: (data: AccountsReport) => {
    for (const row of data.accounts) changedBalances.set(row.address, row);
    soon();
  },
  operation: (data: OperationEvent) => add(data),
  deposit: ({ hash, receiver, success }: DepositEvent) =>
    add({
      hash,
      operation: "Deposit",
      sender: receiver,
      target: null,
      success,
      statusCode: null,
      failure: null,
      call: null,
    }),
};

async function refreshHealth(): Promise<void> {
  health.value = await read<HealthReport>("../health").catch(() => undefined);
}

/** Reads what was there before the page; failures show as a lost connection. */
async function fill(): Promise<void> {
  const [, config, report, rows] = await Promise.all([
    refreshHealth(),
    read<Settings>("../config/"),
    read<AccountsReport>("../accounts"),
    readRuntime<RuntimeRow[]>("traces?limit=100&trees=false"),
  ]);
  settings.value = config;
  accounts.value = report?.accounts ?? [];
  operations.value = joined(rows ?? [], operations.value);
  isFilled.value = true;
  runtimeChanges.value++;
}

/** Begins to follow the sandbox; called once. */
export function follow(): void {
  const source = new EventSource("../events");
  source.onopen = () => {
    isConnected.value = true;
    // After a break the state may be another sandbox's.
    fill().catch(() => (isConnected.value = false));
  };
  source.onerror = () => {
    isConnected.value = false;
    // The browser gives up when the answer is no stream, as from a sandbox that starts.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 1_000);
  };
  for (const name of Object.keys(on))
    source.addEventListener(name, ({ data }: MessageEvent<string>) => on[name]!(JSON.parse(data) as never));
}
