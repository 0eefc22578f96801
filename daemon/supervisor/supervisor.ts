// Starts the parts in the order of their dependencies (in parallel where possible), watches them and stops them in
// reverse order. State comes from the parts and is never guessed.
import type { Log } from "../parts/log.ts";
import type { Part } from "../parts/part.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import type { PartName, PartState } from "../protocol/part-name.ts";
import { afterRunning, type RunningTimer } from "../protocol/running-timer.ts";
import { pause } from "../protocol/wait.ts";

/** Status of one part in `/health`. */
export interface PartStatus {
  readonly name: PartName;
  readonly state: PartState;
  /** ISO time of the last state change. */
  readonly since: string;
  readonly detail: string;
}

export type SandboxStatus = "starting" | "healthy" | "degraded" | "stopping";

export interface SupervisorOptions {
  readonly parts: readonly Part[];
  readonly log: Log;
  readonly now: () => Date;
  /** Called on every change of a part's state. */
  readonly onChange: (status: PartStatus) => void;
  /** Endpoint of a part in its status; default: the part's own endpoint. */
  readonly publicEndpoint?: (part: Part) => string;
  /** Interval of health checks of running parts, in ms. */
  readonly watchEveryMs?: number;
  /** A starting part that makes no progress for this long has failed. */
  readonly silenceMs?: number;
}

export interface Supervisor {
  /** Resolves when every part is healthy. @throws SandboxError with the reason of the first part that failed */
  start(): Promise<void>;
  status(): { readonly status: SandboxStatus; readonly parts: readonly PartStatus[] };
  part(name: PartName): Part | undefined;
  /** Stops everything in reverse order; idempotent. `deadlineMs` limits the whole. */
  stop(deadlineMs: number): Promise<void>;
}

const WATCH_EVERY_MS = 1000;
const SILENCE_MS = 30_000;
/** Waits between the polls of a starting part: the first ones are short, because most parts are healthy within 50 ms. */
const FIRST_WAIT_MS = 2;
const QUICK_POLLS = 25;
const LAST_WAIT_MS = 250;

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { parts, log, now, onChange } = options;
  const silenceMs = options.silenceMs ?? SILENCE_MS;
  const publicEndpoint = options.publicEndpoint ?? ((part: Part) => part.endpoint());
  const statuses = new Map<PartName, PartStatus>();
  const abort = new AbortController();
  const started: Part[] = [];
  let watch: NodeJS.Timeout | undefined;
  let stopping: Promise<void> | undefined;

  for (const { name } of parts) {
    statuses.set(name, { name, state: "waiting", since: now().toISOString(), detail: "" });
  }

  function change(name: PartName, state: PartState, detail: string): void {
    const before = statuses.get(name);
    if (before?.state === state && before.detail === detail) return;
    const since = before?.state === state ? before.since : now().toISOString();
    const status = { name, state, since, detail };
    statuses.set(name, status);
    if (state === "failed") log.error({ part: name, detail }, "part failed");
    else if (before?.state !== state) log.debug({ part: name, state, detail }, "part state");
    onChange(status);
  }

  async function startPart(part: Part, running: Map<PartName, Promise<void>>): Promise<void> {
    for (const need of part.needs) await running.get(need);
    if (abort.signal.aborted) throw new SandboxError("SHUTTING_DOWN");
    change(part.name, "starting", "");
    started.push(part);
    try {
      await withSilenceLimit(part.name, part.start(abort.signal));
      await becomeHealthy(part);
      change(part.name, "healthy", publicEndpoint(part));
    } catch (error) {
      // Whatever a part says of a start that is given up, it has not failed.
      if (abort.signal.aborted) throw new SandboxError("SHUTTING_DOWN", undefined, { cause: error });
      change(part.name, "failed", reasonOf(error));
      throw error instanceof SandboxError
        ? error
        : new SandboxError("PART_FAILED", { part: part.name, reason: reasonOf(error) }, { cause: error });
    }
  }

  function withSilenceLimit<T>(part: PartName, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = afterRunning(silenceMs, () =>
        reject(new SandboxError("PART_SILENT", { part, seconds: silenceMs / 1000 })),
      );
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  /** Waits for health; the limit applies to the time without new detail, not to the total. */
  async function becomeHealthy(part: Part): Promise<void> {
    let lastDetail = "";
    let isSilent = false;
    const listen = (): RunningTimer => afterRunning(silenceMs, () => (isSilent = true));
    let silence = listen();
    try {
      for (let poll = 1, wait = FIRST_WAIT_MS; ; poll++) {
        const { healthy, detail } = await part.health();
        if (healthy) return;
        if (abort.signal.aborted) throw new SandboxError("SHUTTING_DOWN");
        if (detail !== lastDetail) {
          lastDetail = detail;
          silence.cancel();
          silence = listen();
          change(part.name, "starting", detail);
        } else if (isSilent) {
          throw new SandboxError("PART_SILENT", { part: part.name, seconds: silenceMs / 1000 });
        }
        await pause(wait, abort.signal);
        if (poll >= QUICK_POLLS) wait = Math.min(wait * 2, LAST_WAIT_MS);
      }
    } finally {
      silence.cancel();
    }
  }

  async function watchOnce(): Promise<void> {
    for (const part of parts) {
      const current = statuses.get(part.name);
      if (current?.state !== "healthy" && current?.state !== "failed") continue;
      if (!started.includes(part)) continue;
      let healthy = false;
      let detail: string;
      try {
        ({ healthy, detail } = await part.health());
      } catch (error) {
        detail = reasonOf(error);
      }
      if (stopping) return;
      if (healthy) change(part.name, "healthy", publicEndpoint(part));
      else change(part.name, "failed", detail);
    }
  }

  function watchLoop(): void {
    watch = setTimeout(() => {
      void watchOnce().finally(() => {
        if (!stopping) watchLoop();
      });
    }, options.watchEveryMs ?? WATCH_EVERY_MS);
  }

  async function stopAll(deadlineMs: number): Promise<void> {
    clearTimeout(watch);
    abort.abort();
    const end = performance.now() + deadlineMs;
    for (const part of started.reverse()) {
      change(part.name, "stopping", "");
      try {
        await part.stop(Math.max(0, end - performance.now()));
        change(part.name, "stopped", "");
      } catch (error) {
        change(part.name, "failed", `stop failed: ${reasonOf(error)}`);
      }
    }
  }

  return {
    async start() {
      const running = new Map<PartName, Promise<void>>();
      for (const part of parts) {
        const promise = startPart(part, running);
        // The wait below reports failures; a dependent part must not cause an unhandled rejection.
        promise.catch(() => undefined);
        running.set(part.name, promise);
      }
      const results = await Promise.allSettled(running.values());
      if (stopping) throw new SandboxError("SHUTTING_DOWN");
      watchLoop();
      const failure = results.find((result) => result.status === "rejected");
      if (failure) throw failure.reason;
    },

    status() {
      const all = parts.map((part) => statuses.get(part.name)!);
      const status: SandboxStatus = stopping
        ? "stopping"
        : all.every(({ state }) => state === "healthy")
          ? "healthy"
          : all.some(({ state }) => state === "failed")
            ? "degraded"
            : "starting";
      return { status, parts: all };
    },

    part: (name) => parts.find((part) => part.name === name),

    stop(deadlineMs) {
      stopping ??= stopAll(deadlineMs);
      return stopping;
    },
  };
}
