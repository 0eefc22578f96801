// Looks up host names as the system does, in a process of its own. A look-up cannot be aborted: in this process, one that no
// name server answers would hold it back when it ends, and take one of the few threads that look-ups have.
import { type ChildProcess, spawn } from "node:child_process";
import type { LookupAddress } from "node:dns";

/** Looks up each name that it is sent, and ends with the process that started it, whatever it is waiting for. */
const PROGRAM = `
const { lookup } = require("node:dns");
process.on("message", ([id, host]) =>
  lookup(host, { all: true, verbatim: true }, (error, addresses) =>
    process.send([id, error === null ? null : error.message, addresses])));
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));`;

/** Half of them can look up names at a time. */
const THREADS = 32;
/** Unused for this long it is ended, for its memory (40 MB). */
const IDLE_MS = 10_000;

type Found = readonly [id: number, failure: string | null, addresses: LookupAddress[]];

interface Waiting {
  resolve(addresses: readonly LookupAddress[]): void;
  reject(error: Error): void;
}

export class NameLookups {
  readonly #idleMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #process: ChildProcess | undefined;
  #count = 0;
  #idle: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** All addresses of a host. @throws Error when it has none, or the process has ended */
  lookUp(host: string): Promise<readonly LookupAddress[]> {
    if (this.#isStopped) return Promise.reject(new Error(`the look-up of ${host} was ended`));
    clearTimeout(this.#idle);
    const id = this.#count++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process ??= this.#start();
      this.#process.send([id, host], () => undefined); // a process that has ended is noticed by its exit
    });
  }

  /** Ends the process with all open look-ups. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#idle);
    this.#end(this.#process);
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, ["-e", PROGRAM], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
    });
    child.on("message", ([id, failure, addresses]: Found) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failure === null) waiting?.resolve(addresses);
      else waiting?.reject(new Error(failure));
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#end(child), this.#idleMs).unref();
    });
    child.once("error", () => this.#end(child)); // it could not be started
    child.once("exit", () => this.#end(child));
    child.unref();
    child.channel?.unref();
    return child;
  }

  #end(child: ChildProcess | undefined): void {
    child?.kill("SIGKILL");
    if (child !== this.#process) return;
    this.#process = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error("the look-up of the name has ended"));
    this.#waiting.clear();
  }
}
