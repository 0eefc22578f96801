// Warm instances. Building one and filling it for the first time costs tens of milliseconds, restoring a used one a
// fraction of a millisecond, so instances go from call to call and are replaced only when their memory swelled.

import {
  LIVE_BYTES,
  MAX_LIVE_CALLS,
  MAX_PAGES,
  READY_INSTANCES,
  RETIRE_BYTES,
  WARM_INSTANCES,
} from "./limits.ts";
import type { EngineFiles } from "./manifest.ts";
import { Vm, type VmHost } from "./vm.ts";

/** What an instance that serves no call answers; nothing runs in it. */
const IDLE: VmHost = {
  call: () => undefined,
  now: () => 0,
  interrupted: () => true,
  imported: () => undefined,
};

export class InstancePool {
  readonly #files: EngineFiles;
  readonly #idle: Vm[] = [];
  readonly #live = new Set<Vm>();
  #retired = 0;

  constructor(files: EngineFiles) {
    this.#files = files;
  }

  /** Instances that serve a call now. */
  get live(): number {
    return this.#live.size;
  }

  /** False when the live calls are too many or hold too much memory for one more. */
  hasRoom(): boolean {
    return this.#live.size < MAX_LIVE_CALLS && this.liveBytes < LIVE_BYTES;
  }

  /** Linear memory of the instances that serve a call now, in bytes. */
  get liveBytes(): number {
    let bytes = 0;
    for (const vm of this.#live) bytes += vm.realBytes;
    return bytes;
  }

  /** Instances thrown away so far. */
  get retired(): number {
    return this.#retired;
  }

  /** Linear memory of the idle instances, in bytes. */
  get idleBytes(): number {
    return this.#idle.reduce((sum, vm) => sum + vm.realBytes, 0);
  }

  /** Makes one more idle instance unless there are enough; @returns whether it did */
  warm(): boolean {
    if (this.#idle.length + this.#live.size >= READY_INSTANCES) return false;
    this.#idle.push(this.#make());
    return true;
  }

  lease(host: VmHost): Vm {
    const vm = this.#idle.pop() ?? this.#make();
    vm.host = host;
    this.#live.add(vm);
    return vm;
  }

  release(vm: Vm): void {
    this.#live.delete(vm);
    vm.host = IDLE;
    if (this.#idle.length >= WARM_INSTANCES) return;
    if (vm.realBytes <= RETIRE_BYTES) {
      this.#idle.push(vm);
      return;
    }
    this.#retired += 1;
    // The call that swelled the instance pays for its successor, not the next one.
    if (this.#idle.length === 0) this.#idle.push(this.#make());
  }

  #make(): Vm {
    const vm = new Vm(this.#files.module, IDLE);
    vm.setMaxPages(MAX_PAGES);
    // The first restore touches every page; better here than in a call.
    vm.restore(this.#files.base, undefined, this.#files.manifest.scratch);
    return vm;
  }
}
