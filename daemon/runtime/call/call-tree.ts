// One top-level call with everything it calls: routing by URL, nested transactions, transfers both ways, header
// cleaning, roll-back, and the limit of live calls. Runs synchronously; only a request to the outside can suspend it,
// and only before any state is touched. After that, every call runs to its end before its caller continues, so calls
// and operations never interleave their changes.
import type { FunctionLogLevel } from "../../protocol/log-level.ts";
import { isRuntimeAddress } from "../../protocol/runtime-address.ts";
import type { Address } from "../../tezos/address.ts";
import { ProtocolError } from "../ledger/ledger-error.ts";
import type { Transaction } from "../ledger/transaction.ts";
import { GasBudget } from "./gas-budget.ts";
import { guestEffects } from "./guest-effects.ts";
import type { GuestCall, GuestStep } from "./guest.ts";
import {
  AMOUNT_HEADER,
  areHeaders,
  cleanHeaders,
  REFERER_HEADER,
  withFetchDefaults,
  withoutProtocolHeaders,
} from "./headers.ts";
import { callHostFunction, hostFunctionGas } from "./host-functions.ts";
import {
  type CallRequest,
  type CallResponse,
  emptyResponse,
  failureResponse,
  isSuccess,
  responseLength,
  textResponse,
} from "./http-message.ts";
import type { Caller, CallWorld, Done, LiveCall } from "./live-call.ts";
import { LogLimit } from "./log-limit.ts";
import { DIRTY_REFUSAL, OutsideRequests, sizeOf } from "./outside-requests.ts";
import { parseTarget } from "./target.ts";
import { type RecordedCall, TraceRecorder } from "./trace.ts";

/** Requests that a guest may announce before it stops, and the bytes of all requests of an operation. */
const MAX_ANNOUNCED = 4_096;
const MAX_ANNOUNCED_BYTES = 32 * 1024 * 1024;
/** Bytes of undelivered responses above which no further request of a guest is started. */
const MAX_READY_BYTES = 16 * 1024 * 1024;
/** Characters that one operation may write into key-value stores, whatever its gas. */
const MAX_WRITTEN_PER_OPERATION = 32 * 1024 * 1024;

export class CallTree {
  readonly world: CallWorld;
  readonly recorder = new TraceRecorder();
  readonly gas: GasBudget;
  /** Operation hash; randomness of all calls derives from it. */
  readonly requestId: string;
  /** Set by the first access to state that others can change. A dirty operation may no longer wait. */
  dirty = false;
  /** Messages for layer 1 made by the operation, rolled-back ones included. */
  withdrawals = 0;
  readonly #outside: OutsideRequests;
  #finished = false;
  #live = 0;
  #opened = 0;
  #announcedBytes = 0;
  readonly #logLimit = new LogLimit();
  #written = 0;
  readonly #root: Caller;

  constructor(
    world: CallWorld,
    options: {
      requestId: string;
      sender: Address;
      transaction: Transaction;
      gas: bigint;
      /** For evaluations of modules, beside `gas`. */
      moduleGas: bigint;
    },
  ) {
    this.world = world;
    this.requestId = options.requestId;
    this.gas = new GasBudget(options);
    this.#outside = new OutsideRequests(world);
    this.#root = {
      address: options.sender,
      transaction: options.transaction,
      trace: undefined,
      children: new Set(),
      topLevel: true,
      ended: 0,
    };
  }

  /** Runs a top-level request; `done` is called before `run` returns, unless the call waits for the outside. */
  run(request: CallRequest, done: Done): void {
    this.#dispatch(this.#root, request, (response) => {
      this.#finished = true;
      done(response);
    });
    this.#rest();
  }

  /** Smart function calls that are running or waiting. */
  get liveCalls(): number {
    return this.#live;
  }

  /** Counts stored characters. @returns false when the operation exceeds its limit */
  mayWrite(characters: number): boolean {
    this.#written += characters;
    return this.#written <= MAX_WRITTEN_PER_OPERATION;
  }

  /** Queues a request of a guest until the guest stops. @returns false when the guest has announced too much */
  announce(call: LiveCall, id: number, request: CallRequest): boolean {
    const bytes = sizeOf(request);
    if (this.#announcedBytes + bytes > MAX_ANNOUNCED_BYTES || call.announced.length >= MAX_ANNOUNCED)
      return false;
    this.#announcedBytes += bytes;
    call.announced.push({ id, request });
    return true;
  }

  log(call: LiveCall, level: FunctionLogLevel, text: string): void {
    const kept = this.#logLimit.take(text);
    if (kept === undefined) return;
    this.recorder.log(call.trace, level, kept);
    const requestId = call.caller.topLevel ? this.requestId : "";
    this.world.log({ address: call.address, requestId, level, text: kept });
  }

  #dispatch(caller: Caller, request: CallRequest, done: Done): void {
    const target = parseTarget(request.url);
    const trace = this.recorder.call(caller.trace, {
      caller: caller.address,
      address: target?.authority ?? request.url,
      method: request.method,
      path: target ? `${target.path}${target.query}` : "",
      amount: 0n,
    });
    const answer = (response: CallResponse, committed = isSuccess(response.status)): void => {
      trace.status = response.status;
      trace.committed = committed;
      done(response);
    };
    const fail = (errorClass: string, message: string): void => {
      this.recorder.error(trace, errorClass, message);
      answer(failureResponse(errorClass, message));
    };

    const cleaned = cleanHeaders(caller.topLevel ? request.headers : withFetchDefaults(request.headers));
    if (cleaned === undefined) return fail("TypeError", "Invalid Header type");
    switch (target?.scheme) {
      case "jstz":
        break;
      case "http":
      case "https":
        if (caller.topLevel) {
          return answer(textResponse(400, "Bad Request", "HTTP requests are not callable from RunFunction"));
        }
        if (this.dirty) return answer(DIRTY_REFUSAL);
        // Only the top-level caller is not a live call.
        return this.#outside.add(caller as LiveCall, { ...request, headers: cleaned.headers }, answer);
      default:
        return fail("TypeError", `Unsupported scheme '${target?.scheme ?? request.url.split(":")[0]}'`);
    }
    const body = request.body?.length === 0 ? null : request.body;
    if (body !== null && (request.method === "GET" || request.method === "HEAD")) {
      return fail("TypeError", "Request with GET/HEAD method cannot have body.");
    }
    if (target.authority === "jstz") {
      if (!caller.topLevel) (caller as LiveCall).guest.charge(hostFunctionGas(request));
      const cleanRequest = { ...request, headers: cleaned.headers };
      const { address } = caller;
      const withdrawn = (receiver: string, amount: bigint, ticketer?: string): void =>
        ticketer === undefined
          ? this.recorder.transfer(trace, address, receiver, amount)
          : this.recorder.tickets(trace, address, receiver, { amount, ticketer });
      const response = callHostFunction(this, caller, cleanRequest, target.path, withdrawn);
      return answer(response);
    }
    const callee = target.authority;
    const transaction = caller.transaction.begin();
    const code = transaction.code(callee);
    if (!isCallable(callee, code)) return fail("RuntimeError", "InvalidAddress");
    const headers = cleaned.headers;
    headers.push([REFERER_HEADER, caller.address]);
    if (cleaned.transfer > 0n) {
      this.dirty = true;
      try {
        transaction.transfer(caller.address, callee, cleaned.transfer);
      } catch (error) {
        return fail("RuntimeError", protocolText(error));
      }
      (trace as { amount: string }).amount = cleaned.transfer.toString();
      this.recorder.transfer(trace, caller.address, callee, cleaned.transfer);
      headers.push([AMOUNT_HEADER, cleaned.transfer.toString()]);
    }
    if (!callee.startsWith("KT1") || target.path === "/-/noop") {
      transaction.commit();
      return answer(emptyResponse(200, "OK", headers));
    }
    if (code === undefined || code === "") {
      // Existing code never changes, but missing code may be deployed by another operation.
      this.dirty = true;
      // A transfer has created the account by now; without a transfer it may not exist.
      if (transaction.account(callee) === undefined) {
        return answer(textResponse(404, "Not Found", "Account does not exist"));
      }
      return fail("SyntaxError", `Smart function '${callee}' has no code`);
    }
    if (this.#live + endedAround(caller) >= this.world.maxLiveCalls) {
      return fail("RuntimeError", `Too many smart function calls (max: ${this.world.maxLiveCalls})`);
    }
    this.#open({
      caller,
      callee,
      code,
      transaction,
      trace,
      request: { ...request, headers, body },
      made: request,
      done: answer,
    });
  }

  #open(start: {
    caller: Caller;
    callee: Address;
    code: string;
    transaction: Transaction;
    trace: RecordedCall;
    request: CallRequest;
    /** The request before its headers were cleaned. */
    made: CallRequest;
    done: (response: CallResponse, committed: boolean) => void;
  }): void {
    const call: LiveCall = {
      address: start.callee,
      transaction: start.transaction,
      trace: start.trace,
      children: new Set(),
      topLevel: false,
      ended: 0,
      caller: start.caller,
      startedAt: performance.now(),
      done: (response) => {
        start.done(response, isSuccess(response.status));
      },
      announced: [],
      ready: [],
      readyBytes: 0,
      awaited: new Set(),
      outside: new Set(),
      gasSeen: this.gas.left,
      driven: true,
      closed: false,
      guest: undefined as unknown as GuestCall, // set in the next statement: effects and guest refer to each other
    };
    const guest = this.world.engine.open({
      code: start.code,
      address: start.callee,
      gas: this.gas.left,
      moduleGas: this.gas.forModules,
      seed: `${this.requestId}/${this.#opened++}`,
      request: start.made,
      effects: guestEffects(this, call),
    });
    this.world.opened(guest);
    if (guest === undefined) {
      return start.done(
        failureResponse("RuntimeError", "Too many smart functions wait for answers from outside"),
        false,
      );
    }
    (call as { guest: GuestCall }).guest = guest;
    this.gas.begin(call);
    this.#live++;
    start.caller.children.add(call);
    this.#drive(call, () => call.guest.invoke(start.request));
  }

  /** Drives a call until it finishes or waits for a pending response. */
  #drive(call: LiveCall, first: () => GuestStep): void {
    call.driven = true;
    let step = this.gas.step(call, first);
    for (;;) {
      // Responses are buffered here for the guest: when they are large, it reads some before it gets more.
      while (call.announced.length > 0 && call.readyBytes < MAX_READY_BYTES) {
        const { id, request } = call.announced.shift()!;
        this.#announcedBytes -= sizeOf(request);
        call.awaited.add(id);
        this.#dispatch(call, request, (response) => {
          call.ready.push({ id, response });
          call.readyBytes += responseLength(response);
          if (!call.driven && !call.closed) this.#drive(call, () => ({ kind: "waiting" }));
        });
      }
      if (step.kind !== "waiting") break;
      const arrived = call.ready.shift();
      if (arrived === undefined) {
        if (this.dirty) {
          this.#outside.refuseWithin(call);
          continue;
        }
        call.driven = false;
        return;
      }
      call.awaited.delete(arrived.id);
      call.ended = 0;
      call.readyBytes -= responseLength(arrived.response);
      step = this.gas.step(call, () => call.guest.deliver(arrived.id, arrived.response));
      if (step.kind === "waiting" && call.awaited.size === 0 && call.announced.length === 0) {
        step = { kind: "error", class: "RuntimeError", message: "The promise of the handler never settles" };
      }
    }
    const response = this.#conclude(call, step);
    this.#close(call);
    call.done(response);
  }

  /** Turns the last step into the response for the caller, and commits or drops the transaction. */
  #conclude(call: LiveCall, step: Exclude<GuestStep, { kind: "waiting" }>): CallResponse {
    const fail = (errorClass: string, message: string): CallResponse => {
      this.recorder.error(call.trace, errorClass, message);
      return failureResponse(errorClass, message);
    };
    if (step.kind === "error") return fail(step.class, step.message);
    const { response } = step;
    if (!isStatus(response.status) || !areHeaders(response.headers))
      return fail("TypeError", "Invalid Response type");
    if (!isSuccess(response.status)) {
      const headers = withoutProtocolHeaders(response.headers);
      return { ...response, headers };
    }
    const cleaned = cleanHeaders(response.headers);
    if (cleaned === undefined) return fail("TypeError", "Invalid Header type");
    const { headers, transfer } = cleaned;
    if (transfer > 0n) {
      this.dirty = true;
      try {
        call.transaction.transfer(call.address, call.caller.address, transfer);
      } catch (error) {
        return fail("RuntimeError", protocolText(error));
      }
      this.recorder.transfer(call.trace, call.address, call.caller.address, transfer);
      headers.push([AMOUNT_HEADER, transfer.toString()]);
    }
    call.transaction.commit();
    return { ...response, headers };
  }

  #close(call: LiveCall): void {
    if (call.closed) return;
    call.closed = true;
    // Close child calls too that the guest did not await and that are waiting themselves.
    for (const child of call.children) this.#close(child);
    for (const outside of call.outside) this.#outside.cancel(outside);
    call.caller.children.delete(call);
    if (this.world.strict) call.caller.ended++;
    call.guest.close();
    call.trace.durationMs = Math.round((performance.now() - call.startedAt) * 1000) / 1000;
    this.#live--;
  }

  /** Drops everything that is running or waiting. */
  abandon(): void {
    for (const child of this.#root.children) this.#close(child);
  }

  #rest(): void {
    if (!this.#finished) this.#outside.rest(this.#root.children, this.#live, () => this.#rest());
  }
}

/** Calls around a caller that have ended here, because they run one after another, and live on the real runtime. */
function endedAround(caller: Caller | LiveCall): number {
  return caller.ended + ("caller" in caller ? endedAround(caller.caller) : 0);
}

/** 0 is a network error; 101 is what `Response` accepts besides the response statuses. */
const isStatus = (status: number): boolean =>
  status === 0 || status === 101 || (status >= 200 && status <= 599);

/** Text of a protocol error; any other error is a bug and propagates. */
function protocolText(error: unknown): string {
  if (error instanceof ProtocolError) return error.message;
  throw error;
}

/** Whether a text can be called. An existing function has a valid address: only others need the check. */
const isCallable = (text: string, code: string | undefined): text is Address =>
  code !== undefined || isRuntimeAddress(text);
