// The two errors on the border between host and guest: one raised into the guest, one that escaped from it.

/** Thrown by a host call to raise an error in the guest. `name` is the class the guest sees. */
export class GuestError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** An exception that left the guest; `uncatchable` for out of memory and interruption. */
export class GuestException extends Error {
  override readonly name = "GuestException";
  readonly uncatchable: boolean;
  readonly guestStack: string;
  constructor(message: string, guestStack: string, uncatchable: boolean) {
    super(message);
    this.guestStack = guestStack;
    this.uncatchable = uncatchable;
  }
}
