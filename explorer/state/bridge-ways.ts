// The progress of deposits and withdrawals, combined from both layers. The layers share no identifier for them, so equal
// ones are matched in order.
import type { Receipt } from "../../daemon/protocol/runtime-receipt.ts";
import { layer1Failure, type Layer1Row } from "./layer1.ts";
import type { Micheline } from "./michelson.ts";
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
  /** The receiver; undefined until the runtime has read the message. */
  readonly to: string | undefined;
  /** Mutez; undefined for tokens. */
  readonly tez?: string | undefined;
  readonly tokens?: string | undefined;
  readonly steps: readonly Step[];
  /** What it waits for, or why it failed; undefined once it has arrived. */
  readonly waitsFor?: string | undefined;
}

/** A deposit that the runtime has processed. */
export interface Deposit {
  readonly hash: string;
  readonly level: number;
  readonly index: number;
  readonly at: string;
  readonly kind: string;
  readonly source: string;
  readonly receiver: string;
  readonly amount: string;
  readonly receipt: Receipt;
}

/** Records of both layers, newest first. */
interface BridgeRecords {
  /** Calls of the tez bridge contract. */
  readonly sent: readonly Layer1Row[];
  /** Calls of the rollup: each is an inbox message. */
  readonly toInbox: readonly Layer1Row[];
  readonly credited: readonly Deposit[];
  readonly traces: readonly Operation[];
  /** Calls by the rollup: each is an executed outbox message. */
  readonly executed: readonly Layer1Row[];
  /** The ticketer of tez. */
  readonly exchanger: string;
  /** The latest level whose outbox can be executed. */
  readonly cemented: number | undefined;
  /** Level of layer 1. */
  readonly head: number;
}

/** Most entries to show per direction. */
export const LATEST = 50;

export function waysOf({ sent, toInbox, credited, head, ...records }: BridgeRecords) {
  const deposits = [...depositsOf(sent, credited, head), ...tokenDepositsOf(toInbox, credited, head)];
  return {
    deposits: deposits.sort(newestFirst).slice(0, LATEST),
    withdrawals: withdrawalsOf(records),
  };
}

/** Times of layer 1 are whole seconds. */
const newestFirst = (one: Way, other: Way): number =>
  Date.parse(other.at) - Date.parse(one.at) || (other.steps[0]?.level ?? 0) - (one.steps[0]?.level ?? 0);

function depositsOf(sent: readonly Layer1Row[], credited: readonly Deposit[], head: number): Way[] {
  const left = credited.filter(({ kind }) => kind === "tez").reverse();
  // Oldest first, as in the inbox.
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
      waitsFor: `Waits for the runtime: it has not credited the message of level ${row.level} yet; the chain is at ${head}.`,
    };
  const { result } = arrived.receipt;
  const isGood = result._type === "Success";
  return {
    steps: [
      { ...first, state: "done" },
      { name: "Inbox", state: "done", level: arrived.level },
      { name: "Runtime", state: isGood ? "done" : "failed", operation: arrived.hash },
    ],
    ...(isGood ? {} : { waitsFor: `Stopped in the runtime: ${result.inner.split("\n")[0]}` }),
  };
}

/** Token deposits begin at arbitrary contracts, so on layer 1 they are recognised by their message to the rollup. */
function tokenDepositsOf(toInbox: readonly Layer1Row[], credited: readonly Deposit[], head: number): Way[] {
  const left = credited.filter(({ kind }) => kind !== "tez").reverse();
  const ways = [...toInbox].reverse().flatMap((row): Way[] => {
    const amount = tokensIn(row.parameter?.value);
    if (amount === undefined) return [];
    const at = left.findIndex((one) => one.level === row.level && one.amount === amount);
    const arrived = at < 0 ? undefined : left.splice(at, 1)[0];
    const from = row.initiator?.address ?? row.sender?.address ?? "";
    const base = { id: `${row.hash}/${row.id}`, at: row.timestamp, from, to: arrived?.receiver };
    return [{ ...base, tokens: amount, ...progressOf(row, arrived, head) }];
  });
  // Deposits whose operation has left the history.
  const rest = left.map(({ hash, at, level, source, receiver, amount, receipt }): Way => ({
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
  return [...ways, ...rest];
}

/** Ticket amount in a message to the rollup, `Right (Pair receiver proxy? ticketer content amount)`; otherwise undefined. */
function tokensIn(value: unknown): string | undefined {
  let node = value as Micheline | undefined;
  if (node === undefined || node === null || !("prim" in node) || node.prim !== "Right") return undefined;
  for (; node !== undefined && "prim" in node; node = node.args?.at(-1));
  return node !== undefined && "int" in node ? node.int : undefined;
}

interface Wanted {
  readonly hash: string;
  readonly at: string;
  readonly from: string;
  readonly receiver: string;
  readonly amount: string;
  /** Ticketer of a token; undefined for tez. */
  readonly ticketer?: string;
}

function withdrawalsOf({
  traces,
  executed,
  exchanger,
  cemented,
}: Pick<BridgeRecords, "traces" | "executed" | "exchanger" | "cemented">): Way[] {
  const left = executed.map((row) => ({ row, paid: paidBy(row) })).reverse();
  const wanted = traces.flatMap(wantedOf).reverse();
  const ways = wanted.map(({ hash, at, from, receiver, amount, ticketer }, i): Way => {
    const found = left.findIndex(
      ({ row, paid }) =>
        paid?.receiver === receiver &&
        paid.amount === amount &&
        paid.ticketer === (ticketer ?? exchanger) &&
        Date.parse(row.timestamp) >= Date.parse(at) - 1_000,
    );
    const row = found < 0 ? undefined : left.splice(found, 1)[0]!.row;
    const refused = row && layer1Failure(row);
    const steps: Step[] = [
      { name: "Runtime", state: "done", operation: hash },
      { name: "Outbox", state: row ? "done" : "waiting" },
      {
        name: "Layer 1",
        state: row ? (refused === undefined ? "done" : "failed") : "ahead",
        level: row?.level,
        layer1: row?.hash,
      },
    ];
    const next = cemented === undefined ? "" : `; level ${cemented} is the latest one`;
    const waitsFor = row
      ? refused && `Stopped on layer 1: ${refused}`
      : `Waits in the outbox: its message can be executed when its level is cemented${next}.`;
    const moved = ticketer === undefined ? { tez: amount } : { tokens: amount };
    return {
      ...{ id: `${hash}/${i}`, at, from, to: receiver, ...moved, steps },
      ...(waitsFor !== undefined && { waitsFor }),
    };
  });
  return ways.reverse().slice(0, LATEST);
}

/** Withdrawals in an operation, by the signer or by called functions. */
function wantedOf({ hash, at, trace }: Operation): Wanted[] {
  const calls = trace === null ? [] : lastingCalls(trace.call);
  return calls.flatMap(({ address, path, transfers, tickets = [] }) =>
    address !== "jstz"
      ? []
      : [
          ...(path === "/withdraw" ? transfers : []).map(({ from, to, amount }) => ({ from, to, amount })),
          ...tickets.map(({ from, to, amount, ticketer }) => ({ from, to, amount, ticketer })),
        ].map(({ to, ...rest }) => ({ hash, at, receiver: to, ...rest })),
  );
}

/** The payment in an outbox message, which transfers a ticket to a contract and names the receiver. */
function paidBy({ parameter }: Layer1Row): Omit<Wanted, "hash" | "at" | "from"> | undefined {
  const value = parameter?.value;
  if (!isRecord(value)) return undefined;
  const receiver = value["receiver"] ?? value["address"];
  const ticket = Object.values(value).find((part) => isRecord(part) && "amount" in part);
  if (typeof receiver !== "string" || !isRecord(ticket)) return undefined;
  return { receiver, amount: String(ticket["amount"]), ticketer: String(ticket["address"]) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
