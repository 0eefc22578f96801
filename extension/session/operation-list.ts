// The list of operations that the views show: those seen as events and those fetched from before, as many as are kept.
import type { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { isSame, mergeOperations, type OperationRecord, recentOperations } from "./operation-history.ts";

const KEPT = 100;
/** The runtime keeps no more by default. */
const MAX_KEPT = 1_000;

export class OperationList {
  /** Newest first. */
  records: readonly OperationRecord[] = [];
  /** Operations that were fetched rather than seen as events. */
  #fetched: readonly OperationRecord[] = [];
  #kept = KEPT;

  /** For another sandbox: empty, and as short as at first. */
  reset(): void {
    this.clear();
    this.#kept = KEPT;
  }

  clear(): void {
    this.records = [];
    this.#fetched = [];
  }

  /** @returns whether the list has changed: not when the operation was fetched meanwhile */
  add(record: OperationRecord): boolean {
    if (this.#fetched.some((known) => isSame(known, record))) return false;
    this.records = [record, ...this.records].slice(0, this.#kept);
    return true;
  }

  /** Whether there may be operations before those in the list. */
  get hasEarlier(): boolean {
    return this.records.length >= this.#kept && this.#kept < MAX_KEPT;
  }

  /** Makes room for a hundred more. */
  keepMore(): void {
    this.#kept += KEPT;
  }

  /**
   * Adds operations that the runtime keeps.
   * @returns whether the list has changed
   * @throws SandboxError
   */
  async fetch(runtime: ReturnType<typeof createRuntimeClient>, signal: AbortSignal): Promise<boolean> {
    const kept = await recentOperations(runtime, this.#kept);
    if (signal.aborted || kept.length === 0) return false;
    this.#fetched = kept;
    this.records = mergeOperations(this.records, kept, this.#kept);
    return true;
  }
}
