// The operations that a debug session holds: one session at a time, as long as its connection is open.
import { randomBytes } from "node:crypto";
import { requestField } from "../../parts/request-field.ts";
import { HOLD_SECONDS, type HoldEvents } from "../../protocol/debug-session-api.ts";
import { SandboxError } from "../../protocol/errors.ts";
import { integerField } from "../../tezos/json-fields.ts";
import type { GateExecutor, JobGate } from "../job-entrance.ts";
import type { OperationJob } from "../operations/jobs.ts";
import { HoldGate } from "./hold-gate.ts";

/** Puts a gate before the executor; returns what takes it away. */
export type PutGate = (make: (executor: GateExecutor) => JobGate) => () => void;

export type SendHoldEvent = <Name extends keyof HoldEvents>(event: Name, data: HoldEvents[Name]) => void;

export interface Hold {
  /** Holds operations from now on, and tells of them. */
  start(send: SendHoldEvent): void;
  /** All go on. */
  end(): void;
}

interface Holding {
  readonly id: string;
  gate: HoldGate | undefined;
  end(): void;
}

export class HeldOperations {
  readonly #putGate: PutGate;
  #current: Holding | undefined;

  constructor(putGate: PutGate) {
    this.#putGate = putGate;
  }

  /** @param body `seconds` for which an operation is held at most @throws SandboxError HOLD_TAKEN, BAD_REQUEST */
  take(body: unknown): Hold {
    const seconds = requestField(body, "seconds", (value, at) => integerField(value, at, HOLD_SECONDS));
    if (this.#current !== undefined) throw new SandboxError("HOLD_TAKEN", {});
    const id = randomBytes(12).toString("hex");
    let takeAway: () => void = () => undefined;
    const holding: Holding = {
      id,
      gate: undefined,
      end: () => {
        if (this.#current !== holding) return;
        this.#current = undefined;
        takeAway();
      },
    };
    this.#current = holding;
    return {
      start: (send) => {
        if (this.#current !== holding) return;
        send("open", { hold: id });
        takeAway = this.#putGate((executor) => {
          holding.gate = new HoldGate(executor, {
            holdMs: seconds * 1000,
            onHeld: (hash) => send("held", { hash, seconds }),
            onReleased: (hash, by) => send("released", { hash, by }),
          });
          return holding.gate;
        });
      },
      end: () => holding.end(),
    };
  }

  /** The operation that this hold keeps back. */
  find(hold: string, hash: string): OperationJob | undefined {
    return this.#gateOf(hold)?.heldJob(hash);
  }

  /** The operation goes on; the session may still look at it. */
  release(hold: string, hash: string): void {
    this.#gateOf(hold)?.release(hash);
  }

  /** The session no longer looks at the operation. */
  done(hold: string, hash: string): void {
    this.#gateOf(hold)?.done(hash);
  }

  end(): void {
    this.#current?.end();
  }

  #gateOf(hold: string): HoldGate | undefined {
    return this.#current?.id === hold ? this.#current.gate : undefined;
  }
}
