// Warm instances. Building and first filling one costs tens of milliseconds, restoring a used one a fraction of a
// millisecond, so instances are reused. One is replaced when its memory swelled, when a call ended in a way that leaves
// its state undefined, or when a restore was incomplete.

import {
  LIVE_BYTES,
  MAX_LIVE_CALLS,
  MAX_PAGES,
  READY_INSTANCES,
  RESTORES_PER_CHECK,
  RETIRE_BYTES,
  WARM_INSTANCES,
} from "./limits.ts";
import type { EngineFiles } from "./manifest.ts";
import type { ImageDifference } from "./memory-image.ts";
import type { VmHost } from "./vm-imports.ts";
import { Vm } from "./vm.ts";
import type { Watcher } from "./watcher.ts";

/** Host of an idle instance; nothing runs in it. */
const IDLE: VmHost = {
  call: () => undefined,
  now: () => 0,
  interrupted: () => true,
  imported: () => undefined,
};

/** An instance differed from its image after a restore. The code is stable, since logs are searched for it. */
export interface RestoreFault {
  readonly code: "RESTORE_DIFFERS";
  /** What showed it: the marks below the stack, or the comparison. */
  readonly found: "written below the stack" | "memory differs";
}

export class InstancePool {
  readonly #files: EngineFiles;
  readonly #onFault: (fault: RestoreFault) => void;
  readonly #idle: Vm[] = [];
  readonly #live = new Set<Vm>();
  #retired = 0;
  #restores = 0;
  readonly #watcher: Watcher | undefined;

  constructor(files: EngineFiles, onFault: (fault: RestoreFault) => void, watcher?: Watcher) {
    this.#files = files;
    this.#onFault = onFault;
    this.#watcher = watcher;
  }

  /** Instances leased to calls. */
  get live(): number {
    return this.#live.size;
  }

  /** False when the live calls are too many or use too much memory for another. */
  hasRoom(): boolean {
    return this.#live.size < MAX_LIVE_CALLS && this.liveBytes < LIVE_BYTES;
  }

  /** Linear memory of the leased instances, in bytes. */
  get liveBytes(): number {
    let bytes = 0;
    for (const vm of this.#live) bytes += vm.memory.realBytes;
    return bytes;
  }

  /** Instances discarded so far. */
  get retired(): number {
    return this.#retired;
  }

  /** Linear memory of the idle instances, in bytes. */
  get idleBytes(): number {
    return this.#idle.reduce((sum, vm) => sum + vm.memory.realBytes, 0);
  }

  /** Creates an idle instance unless there are enough. @returns whether it did */
  warm(): boolean {
    if (this.#idle.length + this.#live.size >= READY_INSTANCES) return false;
    this.#idle.push(this.#make());
    return true;
  }

  /** An instance that equals the base image with these blocks applied. */
  lease(over?: ImageDifference): Vm {
    const vm = this.#idle.pop() ?? this.#make();
    this.#live.add(vm);
    return this.restored(vm, over);
  }

  /** Restores a leased instance to an image. @returns that instance, or another when it cannot be reused */
  restored(vm: Vm, over?: ImageDifference): Vm {
    let instance = vm;
    for (let isNew = false; ;) {
      if (this.#restore(instance, over)) return instance;
      this.discard(instance);
      if (isNew) throw new Error("a new instance could not be restored");
      const idle = this.#idle.pop();
      isNew = idle === undefined;
      instance = idle ?? this.#make();
      this.#live.add(instance);
    }
  }

  release(vm: Vm): void {
    if (!this.#live.has(vm)) return;
    if (vm.memory.trust === "none" || vm.memory.realBytes > RETIRE_BYTES) {
      this.discard(vm);
      // The call that used up the instance pays for its successor, not the next call.
      if (this.#idle.length === 0) this.#idle.push(this.#make());
      return;
    }
    this.#live.delete(vm);
    vm.host = IDLE;
    if (this.#idle.length < WARM_INSTANCES) this.#idle.push(vm);
  }

  /** Discards an instance. */
  discard(vm: Vm): void {
    if (!this.#live.delete(vm)) return;
    vm.host = IDLE;
    this.#retired += 1;
  }

  #restore(vm: Vm, over: ImageDifference | undefined): boolean {
    if (vm.memory.trust === "none") return false;
    if (!vm.memory.restore(this.#files.base, over, this.#files.manifest.scratch)) {
      this.#onFault({ code: "RESTORE_DIFFERS", found: "written below the stack" });
      return false;
    }
    this.#restores += 1;
    if (vm.memory.trust === "full" && this.#restores % RESTORES_PER_CHECK !== 0) return true;
    if (!vm.memory.isRestored()) {
      this.#onFault({ code: "RESTORE_DIFFERS", found: "memory differs" });
      return false;
    }
    vm.memory.trust = "full";
    return true;
  }

  #make(): Vm {
    const vm = new Vm(this.#files.module, IDLE, this.#watcher);
    vm.memory.setMaxPages(MAX_PAGES);
    // The first restore touches every page; do that here rather than in a call.
    vm.memory.restore(this.#files.base, undefined, this.#files.manifest.scratch);
    return vm;
  }
}
