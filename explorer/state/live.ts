// The live state of the sandbox: one event stream for all views. Events are batched and shown four times a second, so that
// the page stays usable under load.
import { computed, signal } from "@preact/signals";
import type { OperationEvent } from "../../daemon/protocol/runtime-event.ts";
import type {
  AccountRow,
  AccountsReport,
  HealthReport,
  SandboxEventName,
  SandboxEvents,
} from "../../daemon/protocol/sandbox-api.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { read, readRuntime } from "./api.ts";

export interface RuntimeRow extends OperationEvent {
  /** ISO time. */
  readonly at: string;
}

/** Rows to keep. */
const KEPT = 500;
/** Milliseconds between two updates of the page. */
const PACE_MS = 250;

export const health = signal<HealthReport | undefined>(undefined);
export const head = signal<SandboxEvents["head"] | undefined>(undefined);
export const accounts = signal<readonly AccountRow[]>([]);
export const operations = signal<readonly RuntimeRow[]>([]);
/** Whether the event stream is open; undefined before the first try. */
export const isConnected = signal<boolean | undefined>(undefined);
/** Incremented by each change of the runtime; views of its state depend on it. */
export const runtimeChanges = signal(0);
/** Whether the list of operations has been read. */
export const isFilled = signal(false);
/** The bridge's addresses, and the endpoints. */
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

/** Label of an account of the sandbox. */
export function labelOf(address: string): string | undefined {
  const { layer1_node: layer1 } = settings.value ?? {};
  if (address === layer1?.bridge_address) return "bridge";
  if (address === layer1?.exchanger_address) return "exchanger";
  if (address === layer1?.rollup_address) return "rollup";
  return labels.value.get(address);
}

let waiting: RuntimeRow[] = [];
let nextHead: SandboxEvents["head"] | undefined;
let changedBalances = new Map<string, AccountRow>();
let changes = 0;
let timer: number | undefined;

/** Shows the batched events. */
function flush(): void {
  timer = undefined;
  if (waiting.length > 0) operations.value = merge(waiting.reverse(), operations.value);
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

/** Merges lists, newest first, without duplicate hashes. */
function merge(newer: readonly RuntimeRow[], older: readonly RuntimeRow[]): RuntimeRow[] {
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

const on: { readonly [Name in SandboxEventName]?: (data: SandboxEvents[Name]) => void } = {
  status: () => void refreshHealth(),
  part: () => void refreshHealth(),
  head: (data) => {
    nextHead = data;
    soon();
  },
  balances: (data) => {
    for (const row of data.accounts) changedBalances.set(row.address, row);
    soon();
  },
  operation: add,
  deposit: ({ hash, receiver, success }) =>
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
  store: () => {
    changes++;
    soon();
  },
};

async function refreshHealth(): Promise<void> {
  const report = await read<HealthReport>("../health").catch(() => undefined);
  // Another sandbox has replaced the last one: drop its operations.
  if (report && knownStart !== undefined && report.startedAt !== knownStart) operations.value = [];
  knownStart = report?.startedAt ?? knownStart;
  health.value = report;
}

let knownStart: string | undefined;

/** Reads the state from before the page was opened, and shows each part as it arrives. @throws Failure */
async function fill(): Promise<void> {
  const healthRead = refreshHealth();
  if (knownStart !== undefined) await healthRead; // first, since it drops another sandbox's operations
  await Promise.all([
    healthRead,
    read<Settings>("../config/").then((config) => (settings.value = config)),
    read<AccountsReport>("../accounts").then((report) => (accounts.value = report?.accounts ?? [])),
    readRuntime<RuntimeRow[]>("traces?limit=100&trees=false").then(
      (rows = []) => (operations.value = merge(rows, operations.value)),
    ),
  ]);
  isFilled.value = true;
  runtimeChanges.value++;
}

/** Milliseconds between two attempts. */
const RETRY_MS = 1_000;
let isFilling = false;

/** Reads everything, with retries: a starting sandbox cannot answer everything yet. */
async function keepFilling(): Promise<void> {
  if (isFilling) return;
  isFilling = true;
  while (
    !(await fill().then(
      () => true,
      () => false,
    ))
  )
    await pause(RETRY_MS);
  isFilling = false;
}

/** Starts following the sandbox; called once, and again when the browser gives up. */
export function follow(): void {
  let isFresh = true;
  void keepFilling(); // now: the first answers arrive before the stream opens
  const source = new EventSource("../events");
  source.onopen = () => {
    isConnected.value = true;
    // After an interruption it may be another sandbox.
    if (!isFresh) void keepFilling();
    isFresh = false;
  };
  source.onerror = () => {
    isConnected.value = false;
    // The browser gives up when the response is not a stream, as while a sandbox starts.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, RETRY_MS);
  };
  listenTo(source, on);
}

/** The events come from the server of the page itself, as its types say. */
function listenTo(source: EventSource, listeners: typeof on): void {
  for (const [name, take] of Object.entries(listeners) as [string, (data: unknown) => void][])
    source.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data)));
}
