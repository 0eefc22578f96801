// Where places in deployed code come from, by the source shelf. What was found is kept, so a stack that repeats in a log
// costs one look.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { requestField } from "../../parts/request-field.ts";
import { type CodePlace, MAX_CODE_PLACES, type SourcePlace } from "../../protocol/debug-api.ts";
import { reasonOf, SandboxError } from "../../protocol/errors.ts";
import { afterRunning, type RunningTimer } from "../../protocol/running-timer.ts";
import { fieldsOf, integerField, MalformedJson, textField } from "../../tezos/json-fields.ts";
import type { ShelvedSource } from "./debug-messages.ts";
import type { PlaceThreadInput } from "./place-worker.ts";
import type { SourceShelf } from "./source-shelf.ts";

/** An unpacked map of 16 MB, at up to two bytes a character, with its parts. */
const HEAP_MB = 256;
const PATIENCE_MS = 10_000;
/** Places that wait for the thread under way. */
const MAX_WAITING = 2_000;
/** Places kept of a function. */
const MAX_KEPT = 10_000;
const MAX_POSITION = 2 ** 31;

type Found = SourcePlace | null;

export class PlaceFinder {
  readonly #shelf: SourceShelf;
  readonly #directory: string;
  /** By `line:column`. */
  readonly #kept = new WeakMap<ShelvedSource, Map<string, Found>>();
  /** What the next thread looks for. */
  #next: { readonly places: CodePlace[]; readonly done: Promise<void> } | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;

  /** @param directory of the threads' bundles */
  constructor(shelf: SourceShelf, directory: string) {
    this.#shelf = shelf;
    this.#directory = directory;
  }

  /** @returns the places in their order; null where no source is known @throws SandboxError SANDBOX_BUSY, REPLAY_LIMIT */
  async find(asked: readonly CodePlace[]): Promise<Found[]> {
    const missing = asked.filter((place) => this.#foundOf(place) === undefined);
    if (missing.length > 0) await this.#look(missing);
    return asked.map((place) => this.#foundOf(place) ?? null);
  }

  /** Undefined when nobody has looked yet. */
  #foundOf({ address, line, column }: CodePlace): Found | undefined {
    const source = this.#shelf.all.get(address);
    if (source === undefined) return null;
    return this.#kept.get(source)?.get(`${line}:${column}`);
  }

  /** One thread at a time: what is asked meanwhile waits for the next one. */
  async #look(asked: readonly CodePlace[]): Promise<void> {
    if (this.#next === undefined) {
      const places: CodePlace[] = [];
      const done = this.#last.then(() => {
        this.#next = undefined;
        return this.#answer(places);
      });
      this.#last = done.catch(() => undefined);
      this.#next = { places, done };
    }
    const { places, done } = this.#next;
    if (places.length + asked.length > MAX_WAITING)
      throw new SandboxError("SANDBOX_BUSY", { reason: `${places.length} places are already waiting` });
    places.push(...asked);
    await done;
  }

  async #answer(asked: readonly CodePlace[]): Promise<void> {
    const { all } = this.#shelf;
    const sources = new Map(
      asked.flatMap(({ address }) => {
        const source = all.get(address);
        return source === undefined ? [] : [[address, source] as const];
      }),
    );
    const found = await this.#inThread({ asked, sources });
    for (const source of sources.values()) {
      const kept = this.#kept.get(source);
      if (kept === undefined || kept.size >= MAX_KEPT) this.#kept.set(source, new Map());
    }
    asked.forEach(({ address, line, column }, i) => {
      const source = sources.get(address);
      if (source) this.#kept.get(source)?.set(`${line}:${column}`, found[i] ?? null);
    });
  }

  async #inThread(workerData: PlaceThreadInput): Promise<readonly Found[]> {
    const worker = new Worker(join(this.#directory, "place-worker.cjs"), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    this.#worker = worker;
    let timer: RunningTimer | undefined;
    try {
      return await new Promise<readonly Found[]>((resolve, reject) => {
        const giveUp = (reason: string): void => reject(new SandboxError("REPLAY_LIMIT", { reason }));
        timer = afterRunning(PATIENCE_MS, () => giveUp(`it took longer than ${PATIENCE_MS / 1000} s`));
        worker.once("message", resolve);
        worker.once("error", (error) => giveUp(reasonOf(error)));
        worker.once("exit", () => giveUp("its thread ended"));
      });
    } finally {
      timer?.cancel();
      this.#worker = undefined;
      void worker.terminate();
    }
  }

  close(): void {
    void this.#worker?.terminate();
  }
}

/** @throws SandboxError BAD_REQUEST */
export function codePlacesOf(body: unknown): CodePlace[] {
  return requestField(body, "places", (value, at) => {
    if (!Array.isArray(value) || value.length > MAX_CODE_PLACES)
      throw new MalformedJson(at, `a list of at most ${MAX_CODE_PLACES} places`, value);
    return value.map((each, i): CodePlace => {
      const { address, line, column } = fieldsOf(each, `${at}[${i}]`);
      const position = (found: unknown, name: string): number =>
        integerField(found, `${at}[${i}].${name}`, { least: 1, most: MAX_POSITION }, "a position from 1");
      return {
        address: textField(address, `${at}[${i}].address`),
        line: position(line, "line"),
        column: position(column, "column"),
      };
    });
  });
}
