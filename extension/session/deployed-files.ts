// Which function each source file was deployed as: an alias belongs to one file, and no other takes it over silently.
import { createHash } from "node:crypto";

export interface DeployedFile {
  readonly alias: string;
  readonly address: string;
  /** Digest of the deployed text. */
  readonly digest: string;
  /** The sandbox or network that has it: a function ends with its sandbox. */
  readonly place: string;
}

/** Persistent values: the editor's `Memento`. */
interface Memory {
  get<T>(key: string, byDefault: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface DeployedFiles {
  /** All, by their files; those deployed last are the last. */
  readonly all: readonly (readonly [uri: string, file: DeployedFile])[];
  of(uri: string): DeployedFile | undefined;
  /** The file that owns an alias. */
  ownerOf(alias: string): string | undefined;
  set(uri: string, file: DeployedFile): void;
  onChange(listener: () => void): { dispose(): void };
}

const STORED = "functez.deployedFiles";
/** Files to remember; the oldest are evicted first. */
const MAX_FILES = 500;

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Names the target of deploys: a network, or this run of the sandbox. */
export const placeOfDeploys = (pid: number | undefined, networkArguments: readonly string[]): string =>
  networkArguments.length > 0 ? networkArguments.join(" ") : String(pid ?? "");

export function createDeployedFiles(memory: Memory): DeployedFiles {
  const files = new Map(memory.get<readonly (readonly [string, DeployedFile])[]>(STORED, []));
  const listeners = new Set<() => void>();
  return {
    get all() {
      return [...files];
    },
    of: (uri) => files.get(uri),
    ownerOf: (alias) => [...files].find(([, file]) => file.alias === alias)?.[0],
    set(uri, file) {
      const former = [...files].find(([other, { alias }]) => alias === file.alias && other !== uri)?.[0];
      if (former !== undefined) files.delete(former);
      files.delete(uri);
      files.set(uri, file);
      for (const oldest of files.keys()) {
        if (files.size <= MAX_FILES) break;
        files.delete(oldest);
      }
      void memory.update(STORED, [...files]);
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
}
