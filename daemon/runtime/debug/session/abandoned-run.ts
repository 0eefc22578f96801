// Abandons a run between two bytecodes: an error unwinds the engine, and every call that the executor makes into it
// afterwards fails too.
import type { GuestEngine, GuestStep } from "../../call/guest.ts";
import type { Vm } from "../../engine/vm.ts";
import { steppedGuest } from "../stepped-guest.ts";

/** Thrown out of the engine to end a run. */
export class RunAbandoned extends Error {}

/**
 * The engine, whose calls end once the run is abandoned: nothing goes on without the program that was cut off.
 * @param abandoned the instance in which the run was abandoned
 */
export function abandonable(guests: GuestEngine, abandoned: () => Vm | undefined): GuestEngine {
  const abandon = (vm: Vm): never => {
    // It was cut off between two bytecodes, as where gas ends: restoring it, with a check, makes it as good as new.
    vm.memory.trust = "checked";
    throw new RunAbandoned();
  };
  const step = (act: () => GuestStep): GuestStep => {
    const result = act();
    const vm = abandoned();
    return vm === undefined ? result : abandon(vm);
  };
  return {
    check: (code, specifier, gas) => guests.check(code, specifier, gas),
    liveBytes: () => guests.liveBytes(),
    open: (program) => {
      const guest = guests.open(program);
      const vm = abandoned();
      if (vm !== undefined) {
        guest?.close();
        abandon(vm);
      }
      return guest && steppedGuest(guest, step);
    },
  };
}
