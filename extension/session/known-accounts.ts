// Accounts and smart functions known to the command line, read from it and read again when its file changes.
import { watch } from "node:fs";
import { configFolder } from "../../daemon/local/config-folder.ts";
import type { Cli } from "./cli.ts";

export interface KnownAccount {
  readonly alias: string;
  readonly kind: "user" | "smart-function";
  readonly address: string;
}

export interface KnownAccounts {
  readonly list: readonly KnownAccount[];
  /** Alias of the account that signs operations. */
  readonly current: string | undefined;
  /** Why the list could not be read, if it could not. */
  readonly problem: string | undefined;
  /** The alias that an address had when this editor saw it last: after a redeploy the alias means another function. */
  formerAlias(address: string): string | undefined;
  refresh(): Promise<void>;
  onChange(listener: () => void): { dispose(): void };
  dispose(): void;
}

/** Persistent values. */
interface Memory {
  get<T>(key: string, byDefault: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

const FORMER = "functez.formerAliases";
/** Addresses whose aliases are kept; the oldest go first. */
const MAX_FORMER = 500;

/** Several writes in a row count as one change. */
const SETTLE_MS = 100;

/** @param memory where former aliases are kept: the editor's `Memento` */
export function createKnownAccounts(cli: Cli, env: NodeJS.ProcessEnv, memory: Memory): KnownAccounts {
  const former = new Map(memory.get<readonly (readonly [string, string])[]>(FORMER, []));
  const listeners = new Set<() => void>();
  let list: readonly KnownAccount[] = [];
  let current: string | undefined;
  let problem: string | undefined;
  let settle: NodeJS.Timeout | undefined;
  let watcher: { close(): void } | undefined;

  function watchFile(): void {
    if (watcher) return;
    try {
      watcher = watch(configFolder(env), (_event, name) => {
        if (name !== null && name !== "config.json") return;
        clearTimeout(settle);
        settle = setTimeout(() => void self.refresh(), SETTLE_MS);
      });
    } catch {
      watcher = undefined; // the first account creates the folder: the next refresh retries
    }
  }

  function remember(): void {
    let isNew = false;
    for (const { address, alias } of list) {
      if (former.get(address) === alias) continue;
      former.delete(address);
      former.set(address, alias);
      isNew = true;
    }
    for (const oldest of former.keys()) {
      if (former.size <= MAX_FORMER) break;
      former.delete(oldest);
    }
    if (isNew) void memory.update(FORMER, [...former]);
  }

  const self: KnownAccounts = {
    formerAlias: (address) => former.get(address),
    get list() {
      return list;
    },
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    async refresh() {
      watchFile();
      try {
        const answer = await cli.run<{ current: string | null; accounts: KnownAccount[] }>([
          "account",
          "list",
        ]);
        list = answer.accounts;
        current = answer.current ?? undefined;
        problem = undefined;
        remember();
      } catch (error) {
        problem = (error as Error).message;
      }
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    dispose() {
      clearTimeout(settle);
      watcher?.close();
      listeners.clear();
    },
  };
  return self;
}
