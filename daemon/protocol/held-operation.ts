// What `GET /operations/held` of runtime_node tells: whether a debugger keeps an operation back.

/** An operation that a debugger keeps back, with all behind it. */
export interface HeldOperation {
  /** 64 hex digits. */
  readonly hash: string;
  /** Operations and deposits behind it. */
  readonly waiting: number;
  /** Seconds until it goes on at the latest. */
  readonly seconds: number;
}

export interface HeldReport {
  readonly held: HeldOperation | null;
}
