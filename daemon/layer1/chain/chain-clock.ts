// Time of the chain: the machine's time plus the requested jumps.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export class ChainClock {
  readonly #clock: Clock;
  #offsetSeconds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds since 1970. */
  seconds(): bigint {
    return BigInt(Math.floor(this.#clock.now() / 1000) + this.#offsetSeconds);
  }

  jump(seconds: number): void {
    this.#offsetSeconds += seconds;
  }
}
