// Reads the bridge's records on both layers.
import { readHistory, readLayer1, readRuntime } from "./api.ts";
import { type Deposit, LATEST, waysOf } from "./bridge-ways.ts";
import type { Layer1Row } from "./layer1.ts";
import type { Operation } from "./trace.ts";

export interface BridgePlaces {
  readonly bridge_address: string;
  readonly exchanger_address: string;
  readonly rollup_address: string;
}

export async function readBridge(places: BridgePlaces, head: number, signal: AbortSignal) {
  const to = `operations/transactions?target=${places.rollup_address}`;
  const [sent, toInbox, credited, traces, executed, cemented] = await Promise.all([
    readHistory<Layer1Row[]>(
      `operations/transactions?target=${places.bridge_address}&entrypoint=deposit&sort.desc=id&limit=${LATEST}`,
      signal,
    ),
    readHistory<Layer1Row[]>(`${to}&sort.desc=id&limit=${4 * LATEST}`, signal),
    readRuntime<Deposit[]>(`deposits?limit=${4 * LATEST}`, signal),
    readRuntime<Operation[]>(`traces?limit=400`, signal),
    readHistory<Layer1Row[]>(
      `operations/transactions?sender=${places.rollup_address}&sort.desc=id&limit=${4 * LATEST}`,
      signal,
    ),
    readLayer1<{ level: number }>("global/last_cemented_commitment", signal).catch(() => undefined),
  ]);
  return waysOf({
    sent: sent ?? [],
    toInbox: toInbox ?? [],
    credited: credited ?? [],
    traces: traces ?? [],
    executed: executed ?? [],
    exchanger: places.exchanger_address,
    cemented: cemented?.level,
    head,
  });
}
