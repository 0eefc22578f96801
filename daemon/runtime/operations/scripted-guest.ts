// A guest engine for tests whose functions follow a script in their request, and which notes in order what each of them
// saw of the state and changed. Much faster than the real engine, so that many schedules can be tried.
import { mutez } from "../../tezos/mutez.ts";
import type { GuestCall, GuestEffects, GuestEngine, GuestStep } from "../call/guest.ts";
import { GuestFailure } from "../call/guest.ts";
import type { CallRequest, CallResponse } from "../call/http-message.ts";

export type Action =
  | { readonly do: "get" | "delete"; readonly key: string }
  | { readonly do: "set"; readonly key: string }
  | { readonly do: "balance"; readonly of: string }
  | { readonly do: "pay"; readonly to: string; readonly amount: number }
  | { readonly do: "create"; readonly credit: number }
  | { readonly do: "outside"; readonly wait: boolean }
  | { readonly do: "withdraw"; readonly amount: number }
  | {
      readonly do: "call";
      readonly to: string;
      readonly amount: number;
      readonly wait: boolean;
      readonly script: Script;
    }
  /** Waits for all started requests, or only for the next answer. */
  | { readonly do: "all" | "next" };

export interface Script {
  readonly actions: readonly Action[];
  readonly end: { readonly status: number; readonly amount: number } | "throw";
}

/** The events of one operation, in order. `call` numbers the calls of all operations. */
export type Note =
  | { readonly what: "begin"; readonly call: number; readonly parent: number; readonly address: string }
  | { readonly what: "received"; readonly call: number; readonly from: string; readonly amount: number }
  | {
      readonly what: "get" | "set";
      readonly call: number;
      readonly key: string;
      readonly value: string | undefined;
    }
  | { readonly what: "balance"; readonly call: number; readonly of: string; readonly value: bigint }
  | {
      readonly what: "pay";
      readonly call: number;
      readonly to: string;
      readonly amount: number;
      readonly done: boolean;
    }
  | {
      readonly what: "create";
      readonly call: number;
      readonly credit: number;
      readonly created: string | undefined;
    }
  | { readonly what: "withdraw"; readonly call: number; readonly amount: number; readonly done: boolean }
  | { readonly what: "end"; readonly call: number; readonly end: Script["end"] }
  | {
      readonly what: "answer";
      readonly call: number;
      readonly to: string;
      readonly child: number;
      readonly status: number;
    };

type Started = Extract<Action, { do: "outside" | "withdraw" | "call" }>;

export class ScriptedEngine implements GuestEngine {
  /** By operation hash. */
  readonly notes = new Map<string, Note[]>();
  #calls = 0;

  check(): { problem: undefined; gasUsed: bigint } {
    return { problem: undefined, gasUsed: 0n };
  }

  liveBytes(): number {
    return 0;
  }

  open(program: Parameters<GuestEngine["open"]>[0]): GuestCall {
    const hash = program.seed.split("/")[0]!;
    const notes = this.notes.get(hash) ?? [];
    this.notes.set(hash, notes);
    const call = ++this.#calls;
    const waited = new Set<number>();
    const arrived: { id: number; response: CallResponse }[] = [];
    let run: Iterator<undefined, { end: Script["end"]; step: GuestStep }>;

    let end: Script["end"] | undefined;

    const go = (): GuestStep => {
      const { done, value } = run.next();
      if (!done) return { kind: "waiting" };
      end = value.end;
      return value.step;
    };
    return {
      invoke: (request) => {
        const asked = JSON.parse(String(request.body)) as { script?: Script; parent?: number };
        // Deposits call with their own body.
        const { parent, script = JSON.parse(program.code) as Script } = asked;
        notes.push({ what: "begin", call, parent: parent ?? 0, address: program.address });
        const amount = headerOf(request, "x-jstz-amount");
        const from = headerOf(request, "referer")!;
        if (amount !== undefined) notes.push({ what: "received", call, from, amount: Number(amount) });
        run = play({ script, call, notes, waited, arrived, effects: program.effects });
        return go();
      },
      deliver: (id, response) => {
        arrived.push({ id, response });
        return go();
      },
      charge: () => undefined,
      raisedBy: 0n,
      gasUsed: () => 0n,
      // Not earlier: work that was not awaited runs between the handler's end and that of the call.
      close: () => {
        if (end !== undefined) notes.push({ what: "end", call, end });
        end = undefined;
      },
    };
  }
}

interface Play {
  readonly script: Script;
  readonly call: number;
  readonly notes: Note[];
  readonly waited: Set<number>;
  readonly arrived: { id: number; response: CallResponse }[];
  readonly effects: GuestEffects;
}

/** Runs a script; yields where it waits. What it has seen goes into its writes and its answer. */
function* play({
  script,
  call,
  notes,
  waited,
  arrived,
  effects,
}: Play): Generator<undefined, { end: Script["end"]; step: GuestStep }> {
  let seen = 7;
  const started = new Map<number, Started>();
  const see = (value: unknown): void => {
    for (const char of String(value)) seen = (seen * 31 + char.charCodeAt(0)) % 1_000_003;
  };
  const attempt = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch (error) {
      if (error instanceof GuestFailure) return undefined;
      throw error;
    }
  };
  function start(action: Started): number {
    const id = started.size + 1;
    started.set(id, action);
    waited.add(id);
    effects.fetch(id, requestOf(action, call));
    return id;
  }
  function* take(until: () => boolean): Generator<undefined, void> {
    for (;;) {
      for (let next = arrived.shift(); next !== undefined; next = arrived.shift()) {
        waited.delete(next.id);
        const { status, body } = next.response;
        const action = started.get(next.id)!;
        see(`${status} ${String(body)}`);
        if (action.do === "withdraw")
          notes.push({ what: "withdraw", call, amount: action.amount, done: status === 200 });
        if (action.do === "call") {
          const child = (attemptJson(body) as { call?: number } | undefined)?.call ?? 0;
          notes.push({ what: "answer", call, to: action.to, child, status });
        }
      }
      if (until()) return;
      yield undefined;
    }
  }

  for (const action of script.actions) {
    switch (action.do) {
      case "get": {
        const value = effects.kvGet(action.key);
        notes.push({ what: "get", call, key: action.key, value });
        see(value);
        break;
      }
      case "set":
      case "delete": {
        const value = action.do === "set" ? `"${call}-${seen}"` : undefined;
        if (value === undefined) effects.kvDelete(action.key);
        else effects.kvSet(action.key, value);
        notes.push({ what: "set", call, key: action.key, value });
        break;
      }
      case "balance": {
        const value = effects.balance(action.of);
        notes.push({ what: "balance", call, of: action.of, value });
        see(value);
        break;
      }
      case "pay": {
        const done =
          attempt(() => (effects.transfer(action.to, mutez(BigInt(action.amount))), true)) ?? false;
        notes.push({ what: "pay", call, to: action.to, amount: action.amount, done });
        see(done);
        break;
      }
      case "create": {
        const { credit } = action;
        const created = attempt(() => effects.create(`created by ${call}`, mutez(BigInt(credit))));
        notes.push({ what: "create", call, credit, created });
        see(created);
        break;
      }
      case "withdraw":
      case "outside":
      case "call": {
        const id = start(action);
        if (action.do === "withdraw" || action.wait) yield* take(() => !waited.has(id));
        break;
      }
      case "all":
        yield* take(() => waited.size === 0);
        break;
      case "next": {
        const open = waited.size;
        yield* take(() => waited.size < open || open === 0);
      }
    }
  }
  return { end: script.end, step: stepOf(script.end, JSON.stringify({ call, seen })) };
}

function stepOf(end: Script["end"], body: string): GuestStep {
  if (end === "throw") return { kind: "error", class: "RuntimeError", message: "thrown" };
  const headers: [string, string][] = end.amount === 0 ? [] : [["x-jstz-transfer", String(end.amount)]];
  return { kind: "response", response: { status: end.status, statusText: "", headers, body } };
}

function requestOf(action: Started, parent: number): CallRequest {
  const post = { method: "POST", headers: [] as [string, string][] };
  switch (action.do) {
    case "outside":
      return { ...post, url: "https://example.com/", method: "GET", body: null };
    case "withdraw": {
      const body = JSON.stringify({
        amount: action.amount,
        receiver: "tz1W8rEphWEjMcD1HsxEhsBFocfMeGsW7Qxg",
      });
      return { ...post, url: "jstz://jstz/withdraw", body };
    }
    case "call": {
      if (action.amount > 0) post.headers.push(["x-jstz-transfer", String(action.amount)]);
      return {
        ...post,
        url: `jstz://${action.to}/`,
        body: JSON.stringify({ script: action.script, parent }),
      };
    }
  }
}

const headerOf = (request: CallRequest, name: string): string | undefined =>
  request.headers.find(([other]) => other === name)?.[1];

function attemptJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
