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
  const report = await read<HealthReport>("../health").catch(() => undefined);
  // Another sandbox in the place of the last one: nothing that was seen is in it.
  if (report && knownStart !== undefined && report.startedAt !== knownStart) operations.value = [];
  knownStart = report?.startedAt ?? knownStart;
  health.value = report;
}

let knownStart: string | undefined;

/** Reads what was there before the page, each part shown as it comes. @throws Failure */
async function fill(): Promise<void> {
  const healthRead = refreshHealth();
  if (knownStart !== undefined) await healthRead; // it forgets what was of another sandbox, so it comes first
  await Promise.all([
    healthRead,
    read<Settings>("../config/").then((config) => (settings.value = config)),
    read<AccountsReport>("../accounts").then((report) => (accounts.value = report?.accounts ?? [])),
    readRuntime<RuntimeRow[]>("traces?limit=100&trees=false").then(
      (rows = []) => (operations.value = joined(rows, operations.value)),
    ),
  ]);
  isFilled.value = true;
  runtimeChanges.value++;
}

/** Milliseconds between two tries. */
const RETRY_MS = 1_000;
let isFilling = false;

/** Reads everything, and again until it succeeds: a sandbox that starts does not have all answers yet. */
async function keepFilling(): Promise<void> {
  if (isFilling) return;
  isFilling = true;
  while (
    !(await fill().then(
      () => true,
      () => false,
    ))
  )
    await new Promise((done) => setTimeout(done, RETRY_MS));
  isFilling = false;
}

/** Begins to follow the sandbox; called once, and again after the browser has given up. */
export function follow(): void {
  let isFresh = true;
  void keepFilling(); // at once: the first answers are there before the stream is
  const source = new EventSource("../events");
  source.onopen = () => {
    isConnected.value = true;
    // After a break the state may be another sandbox's.
    if (!isFresh) void keepFilling();
    isFresh = false;
  };
  source.onerror = () => {
    isConnected.value = false;
    // The browser gives up when the answer is no stream, as from a sandbox that starts.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, RETRY_MS);
  };
  for (const name of Object.keys(on))
    source.addEventListener(name, ({ data }: MessageEvent<string>) => on[name]!(JSON.parse(data) as never));
}
