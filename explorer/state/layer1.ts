// Layer 1 from the TzKT-compatible history, and its latest operations, polled while a view shows them.
import { useEffect, useState } from "preact/hooks";
import { readHistory } from "./api.ts";
import { head } from "./live.ts";

interface Party {
  readonly address: string;
}

/** An operation, with the fields that views use. */
export interface Layer1Row {
  readonly type: string;
  readonly id: number;
  readonly level: number;
  readonly timestamp: string;
  readonly hash: string;
  readonly counter?: number;
  readonly nonce?: number;
  readonly sender?: Party | null;
  readonly initiator?: Party | null;
  readonly target?: Party | null;
  readonly rollup?: Party | null;
  readonly originatedContract?: Party | null;
  readonly amount?: number | string;
  readonly contractBalance?: number;
  readonly parameter?: { readonly entrypoint: string; readonly value: unknown } | null;
  readonly storage?: unknown;
  readonly diffs?: readonly {
    readonly bigmap: number;
    readonly path: string;
    readonly action: string;
    readonly content?: { readonly key: unknown; readonly value: unknown };
  }[];
  readonly gasUsed?: number;
  readonly gasLimit?: number;
  readonly storageUsed?: number;
  readonly bakerFee?: number;
  readonly storageFee?: number;
  readonly allocationFee?: number;
  readonly status: string;
  readonly errors?: readonly { readonly type: string; readonly [field: string]: unknown }[] | null;
}

const LATEST = 40;
/** Least milliseconds between two reads, however fast blocks are. */
const PACE_MS = 1_000;

/** The latest operations, newest first; undefined before the first read. */
export function useLatestLayer1(): readonly Layer1Row[] | undefined {
  const [rows, setRows] = useState<readonly Layer1Row[]>();
  useEffect(() => {
    const end = new AbortController();
    let timer: number | undefined;
    let seen = -1;
    const readAgain = async (): Promise<void> => {
      if (end.signal.aborted) return;
      const level = head.value?.level ?? 0;
      if (level !== seen && document.visibilityState === "visible") {
        seen = level;
        const found = await latest(end.signal).catch(() => undefined);
        if (found && !end.signal.aborted) setRows(found);
      }
      timer = window.setTimeout(readAgain, PACE_MS);
    };
    void readAgain();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, []);
  return rows;
}

const LISTS = ["transactions", "originations", "delegations", "transfer_ticket", "sr_execute"];

async function latest(signal: AbortSignal): Promise<Layer1Row[]> {
  const lists = await Promise.all(
    LISTS.map((list) => readHistory<Layer1Row[]>(`operations/${list}?sort.desc=id&limit=${LATEST}`, signal)),
  );
  return lists
    .flatMap((list) => list ?? [])
    .sort((one, other) => other.id - one.id)
    .slice(0, LATEST);
}

/** A short title of an operation. */
export function layer1Title({ type, parameter, originatedContract }: Layer1Row): string {
  if (type === "transaction") return parameter ? `Call ${parameter.entrypoint}` : "Transfer";
  if (type === "origination") return originatedContract ? "Origination" : "Failed origination";
  if (type === "sr_execute") return "Outbox message executed";
  const words = type.replaceAll("_", " ");
  return words[0]!.toUpperCase() + words.slice(1);
}

/** The reason of a failure; undefined for an applied operation. */
export function layer1Failure({ status, errors }: Layer1Row): string | undefined {
  if (status === "applied") return undefined;
  const first = errors?.[0]?.type.replace(/^proto\.[^.]+\./, "");
  return first === undefined ? status : `${status}: ${first}`;
}
