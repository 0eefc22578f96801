// The two gas budgets of an operation: that of its calls, and what evaluations of modules may use beside it.
import type { GuestStep } from "./guest.ts";
import type { LiveCall } from "./live-call.ts";

export class GasBudget {
  #left: bigint;
  #forModules: bigint;

  /** @param limits.moduleGas for evaluations of modules, beside `gas`; both in engine gas */
  constructor(limits: { readonly gas: bigint; readonly moduleGas: bigint }) {
    this.#left = limits.gas;
    this.#forModules = limits.moduleGas;
  }

  /** Engine gas left to the calls of the operation. */
  get left(): bigint {
    return this.#left;
  }

  /** What evaluations of modules may use beside it. */
  get forModules(): bigint {
    return this.#forModules;
  }

  /** Gas that a module which is deployed may use to be evaluated: a call of it has no more. */
  get forDeployedModule(): bigint {
    return this.#left + this.#forModules;
  }

  /** Pays for the evaluation of a module. @returns what the gas left must pay */
  payForModule(units: bigint): bigint {
    const paid = units < this.#forModules ? units : this.#forModules;
    this.#forModules -= paid;
    return units - paid;
  }

  /** Lets a call that begins pay for the evaluation of its module: moves the guest's share to the calls' budget. */
  begin(call: LiveCall): void {
    const { raisedBy } = call.guest;
    this.#forModules -= raisedBy;
    call.gasSeen = this.#left += raisedBy;
  }

  /**
   * Runs one step of a guest within the gas of the operation: gas that other calls used since its last step is deducted
   * from this call too.
   */
  step(call: LiveCall, run: () => GuestStep): GuestStep {
    const usedByOthers = call.gasSeen - this.#left;
    if (usedByOthers > 0n) call.guest.charge(usedByOthers);
    const before = call.guest.gasUsed();
    const step = run();
    const used = call.guest.gasUsed() - before;
    this.#left = this.#left > used ? this.#left - used : 0n;
    call.gasSeen = this.#left;
    call.trace.gas += Number(used);
    return step;
  }
}
