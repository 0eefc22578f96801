// Connects the call semantics to the guest engine: maps host operations to effects on accounts.
import { timeOfDay } from "../../local/time-of-day.ts";
import type { FunctionLogLevel } from "../../protocol/log-level.ts";
import { parseMutez } from "../../protocol/tez.ts";
import { type Mutez, NO_TEZ } from "../../tezos/mutez.ts";
import { type Engine, FIXED_NOW } from "../engine/engine.ts";
import type { GuestCall as EngineCall, GuestStep as EngineStep } from "../engine/guest-call.ts";
import { GuestError } from "../engine/guest-error.ts";
import type { GuestHost, GuestResponse, HostOp } from "../engine/host-ops.ts";
import {
  type GuestCall,
  type GuestEffects,
  type GuestEngine,
  GuestFailure,
  type GuestStep,
} from "./guest.ts";
import type { CallResponse } from "./http-message.ts";
import { smartFunctionSpecifier } from "./specifier.ts";

export interface AdapterOptions {
  /** True: guests see the time of day; false: the fixed date of the real runtime. */
  readonly realTime: boolean;
  /** The time of day, if not the machine's. */
  readonly clock?: () => number;
}

export function adaptEngine(engine: Engine, options: AdapterOptions): GuestEngine {
  return {
    check(code, specifier, gas) {
      const result = engine.check(code, { gas: Number(gas), specifier });
      return { problem: result.ok ? undefined : result.message, gasUsed: BigInt(Math.ceil(result.gasUsed)) };
    },
    liveBytes: () => engine.statistics().liveBytes,
    open(program) {
      if (!engine.hasRoom()) return undefined;
      const time = options.realTime ? (options.clock ?? timeOfDay)() : undefined;
      const call = engine.open(program.code, smartFunctionSpecifier(program.address), {
        gas: Number(program.gas),
        moduleGas: Number(program.moduleGas),
        now: time ?? FIXED_NOW,
        seed: program.seed,
      });
      return adaptCall(call, program.effects, time);
    },
  };
}

function adaptCall(call: EngineCall, effects: GuestEffects, time: number | undefined): GuestCall {
  const host: GuestHost = {
    op: (name, args) => orGuestError(() => perform(effects, name, args)),
    fetch(id, request) {
      orGuestError(() => effects.fetch(id, request));
      return undefined;
    },
  };
  return {
    time,
    invoke: (request) => adaptStep(call.invoke(host, request)),
    deliver: (id, response) => adaptStep(call.deliver(id, toGuest(response))),
    charge: (units) => call.charge(Number(units)),
    gasUsed: () => BigInt(Math.ceil(call.gasUsed())),
    raisedBy: BigInt(Math.ceil(call.raisedBy)),
    close: () => call.close(),
  };
}

function orGuestError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof GuestFailure) throw new GuestError(error.guestClass, error.message);
    throw error;
  }
}

/** A network error has status 0, which the guest's `Response` rejects. */
function toGuest(response: CallResponse): GuestResponse {
  return response.status === 0 ? { ...response, type: "error" } : response;
}

function perform(effects: GuestEffects, name: HostOp, args: readonly string[]): string | undefined {
  const [first = "", second = ""] = args;
  switch (name) {
    case "kv.get":
      return effects.kvGet(first);
    case "kv.set":
      effects.kvSet(first, second);
      return undefined;
    case "kv.delete":
      effects.kvDelete(first);
      return undefined;
    case "kv.has":
      return effects.kvHas(first) ? "1" : "";
    case "ledger.self":
      return effects.selfAddress;
    case "ledger.balance":
      return effects.balance(first).toString();
    case "ledger.transfer":
      effects.transfer(first, amountOf(second));
      return undefined;
    case "function.create":
      return effects.create(first, second === "" ? NO_TEZ : amountOf(second));
    case "console":
      // The real runtime ends every line with a line break, and clients print the text unchanged.
      effects.log(Object.hasOwn(LEVELS, first) ? LEVELS[first]! : "INFO", `${second}\n`);
      return undefined;
  }
}

const LEVELS: Readonly<Record<string, FunctionLogLevel>> = {
  debug: "DEBUG",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
};

/** Amounts arrive as the text the program passed. */
function amountOf(text: string): Mutez {
  const amount = parseMutez(text);
  if (amount === undefined) throw new GuestFailure("TypeError", `${text} is not an amount of mutez`);
  return amount;
}

function adaptStep(step: EngineStep): GuestStep {
  switch (step.kind) {
    case "response":
      return {
        kind: "response",
        response: { ...step.response, status: step.response.type === "error" ? 0 : step.response.status },
      };
    case "waiting":
      return { kind: "waiting" };
    case "failure":
      // An exception is shown with its stack; an invalid return value has none.
      return step.code === "INVALID_RESPONSE"
        ? { kind: "error", class: "TypeError", message: step.message }
        : { kind: "error", class: "RuntimeError", message: step.stack };
  }
}
