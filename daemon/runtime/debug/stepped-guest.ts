// A guest with something around each of its steps: the recorder measures there, and an abandoned run ends there.
import type { GuestCall, GuestStep } from "../call/guest.ts";

/** @param around runs the step that it is given */
export function steppedGuest(guest: GuestCall, around: (step: () => GuestStep) => GuestStep): GuestCall {
  return {
    time: guest.time,
    invoke: (request) => around(() => guest.invoke(request)),
    deliver: (id, response) => around(() => guest.deliver(id, response)),
    charge: (units) => guest.charge(units),
    gasUsed: () => guest.gasUsed(),
    raisedBy: guest.raisedBy,
    close: () => guest.close(),
  };
}
