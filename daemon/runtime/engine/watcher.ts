// What the debugger sees of guests: it is told before each bytecode and at each throw. Only the module with hooks
// (`tools/engine/hook-wasm.mjs`) tells anything; the engine of the sandbox runs without.
import type { Vm } from "./vm.ts";

/** A watcher reads; whatever it did to an instance would change what it looks at. */
export interface Watcher {
  /** @param pc address of the bytecode that comes next */
  bytecode(vm: Vm, pc: number): void;
  /** Called once more for an error that the engine itself throws. @param value the bits of the thrown JSValue */
  thrown(vm: Vm, value: bigint): void;
  /** The top level of a module runs ahead of its call, so that later calls need not run it. */
  evaluating(vm: Vm, gasLimit: number): void;
  /** @param gas what the call pays for it in one piece as it begins; undefined when it is evaluated in the call again */
  evaluated(vm: Vm, gas: number | undefined): void;
}
