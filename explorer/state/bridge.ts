// The ways of deposits and withdrawals, put together from what each layer says: the layers do not know each other's names
// for them, so equal ones are matched in their order.
import { readHistory, readLayer1, readRuntime } from "./api.ts";
import { layer1Failure, type Layer1Row } from "./layer1.ts";
import { lastingCalls, type Operation } from "./trace.ts";

export interface Step {
  readonly name: "Layer 1" | "Inbox" | "Runtime" | "Outbox";
  readonly state: "done" | "waiting" | "failed" | "ahead";
  readonly level?: number | undefined;
  /** Hash of an operation of layer 1. */
  readonly layer1?: string | undefined;
  /** Hash of an operation of the runtime. */
  readonly operation?: string | undefined;
}

export interface Way {
  readonly id: string;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** Mutez; undefined for tokens. */
  readonly tez?: string | undefined;
  readonly tokens?: string | undefined;
  readonly steps: readonly Step[];
  /** What it waits for, or why it ended; undefined when it has arrived. */
  readonly waitsFor?: string | undefined;
}

export interface BridgePlaces {
  readonly bridge_address: string;
  readonly exchanger_address: string;
}

interface Deposit {
  readonly hash: string;
  readonly level: number;
  readonly index: number;
  readonly at: string;
  readonly kind: string;
  readonly source: string;
  readonly receiver: string;
  readonly amount: string;
  readonly receipt: { readonly result: { readonly _type: string; readonly inner: unknown } };
}

const LATEST = 50;

export async function readBridge(places: BridgePlaces, head: number, signal: AbortSignal) {
  const [sent, credited, traces, executed, cemented] = await Promise.all([
    readHistory<Layer1Row[]>(
      `operations/transactions?target=${places.bridge_address}&entrypoint=deposit&sort.desc=id&limit=${LATEST}`,
      signal,
    ),
    readRuntime<Deposit[]>(`deposits?limit=${4 * LATEST}`, signal),
    readRuntime<Operation[]>(`traces?limit=400`, signal),
    readHistory<Layer1Row[]>(
      `operations/transactions?sender=${places.exchanger_address}&sort.desc=id&limit=${4 * LATEST}`,
      signal,
    ),
    readLayer1<{ level: number }>("global/last_cemented_commitment", signal).catch(() => undefined),
  ]);
  return {
    deposits: [...depositsOf(sent ?? [], credited ?? [], head), ...tokensOf(credited ?? [])].sort(
      newestFirst,
    ),
    withdrawals: withdrawalsOf(traces ?? [], executed ?? [], cemented?.level),
  };
}

const newestFirst = (one: Way, other: Way): number => Date.parse(other.at) - Date.parse(one.at);

function depositsOf(sent: readonly Layer1Row[], credited: readonly Deposit[], head: number): Way[] {
  const left = credited.filter(({ kind }) => kind === "tez").reverse();
  // The oldest first, as the inbox has them.
  return [...sent].reverse().map((row) => {
    const receiver = String(row.parameter?.value ?? "");
    const isIts = (one: Deposit): boolean =>
      one.level === row.level && one.amount === String(row.amount) && one.receiver === receiver;
    const at = left.findIndex(isIts);
    const arrived = at < 0 ? undefined : left.splice(at, 1)[0];
    const base = {
      id: `${row.hash}/${row.id}`,
      at: row.timestamp,
      from: row.sender?.address ?? "",
      to: receiver,
    };
    return { ...base, tez: String(row.amount ?? 0), ...progressOf(row, arrived, head) };
  });
}

function progressOf(
  row: Layer1Row,
  arrived: Deposit | undefined,
  head: number,
): Pick<Way, "steps" | "waitsFor"> {
  const first = { name: "Layer 1", level: row.level, layer1: row.hash } as const;
  const refused = layer1Failure(row);
  if (refused !== undefined)
    return {
      steps: [
        { ...first, state: "failed" },
        { name: "Inbox", state: "ahead" },
        { name: "Runtime", state: "ahead" },
      ],
      waitsFor: `Stopped on layer 1: ${refused}`,
    };
  if (arrived === undefined)
    return {
      steps: [
        { ...first, state: "done" },
        { name: "Inbox", state: "done", level: row.level },
        { name: "Runtime", state: "waiting" },
      ],
      waitsFor: `Waits for the runtime: it has not credited message of level ${row.level} yet; the chain is at ${head}.`,
    };
  const isGood = arrived.receipt.result._type === "Success";
  return {
    steps: [
      { ...first, state: "done" },
      { name: "Inbox", state: "done", level: arrived.level },
      { name: "Runtime", state: isGood ? "done" : "failed", operation: arrived.hash },
    ],
    ...(isGood
      ? {}
      : { waitsFor: `Stopped in the runtime: ${String(arrived.receipt.result.inner).split("\n")[0]}` }),
  };
}

/** Deposits of tokens begin at contracts of their own: what is known begins in the inbox. */
function tokensOf(credited: readonly Deposit[]): Way[] {
  return credited
    .filter(({ kind }) => kind !== "tez")
    .slice(0, LATEST)
    .map(({ hash, at, level, source, receiver, amount, receipt }) => ({
      id: hash,
      at,
      from: source,
      to: receiver,
      tokens: amount,
      steps: [
        { name: "Inbox", state: "done", level },
        { name: "Runtime", state: receipt.result._type === "Success" ? "done" : "failed", operation: hash },
      ],
    }));
}

interface Wanted {
  readonly hash: string;
  readonly at: string;
  readonly from: string;
  readonly receiver: string;
  readonly amount: string;
}

function withdrawalsOf(
  traces: readonly Operation[],
  executed: readonly Layer1Row[],
  cemented: number | undefined,
): Way[] {
  const left = executed.filter(({ parameter }) => !parameter).reverse();
  const wanted = traces.flatMap(wantedOf).reverse();
  const ways = wanted.map(({ hash, at, from, receiver, amount }, i): Way => {
    const isIts = (row: Layer1Row): boolean =>
      row.target?.address === receiver &&
      String(row.amount) === amount &&
      Date.parse(row.timestamp) >= Date.parse(at) - 1_000;
    const found = left.findIndex(isIts);
    const row = found < 0 ? undefined : left.splice(found, 1)[0];
    const steps: Step[] = [
      { name: "Runtime", state: "done", operation: hash },
      { name: "Outbox", state: row ? "done" : "waiting" },
      { name: "Layer 1", state: row ? "done" : "ahead", level: row?.level, layer1: row?.hash },
    ];
    const waitsFor = row
      ? undefined
      : `Waits in the outbox: its message can be executed when its level is cemented${cemented === undefined ? "" : `; level ${cemented} is the latest one`}.`;
    return {
      id: `${hash}/${i}`,
      at,
      from,
      to: receiver,
      tez: amount,
      steps,
      ...(waitsFor !== undefined && { waitsFor }),
    };
  });
  return ways.reverse().slice(0, LATEST);
}

/** Withdrawals of an operation: by the signer, or by functions that it called. */
function wantedOf({ hash, at, trace }: Operation): Wanted[] {
  const calls = trace === null ? [] : lastingCalls(trace.call);
  return calls
    .filter(({ address, path }) => address === "jstz" && path === "/withdraw")
    .flatMap(({ transfers }) =>
      transfers.map(({ from, to, amount }) => ({ hash, at, from, receiver: to, amount })),
    );
}
