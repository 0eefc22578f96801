// Client of the debugger's routes of sandboxd. Apart from the other client, so that the daemon does not carry it.
import type { OwnerSecret } from "../protocol/admin-secret.ts";
import {
  type CoverageReport,
  type CoveredSource,
  type CodePlace,
  type CpuProfile,
  DEBUG_TIMEOUT_MS,
  type DebugAction,
  type LineReport,
  type ProfileNode,
  type ProfileReport,
  type SourceLine,
  type SourcePlace,
} from "../protocol/debug-api.ts";
import type { HoldEvents } from "../protocol/debug-session-api.ts";
import { errorInBody, SandboxError } from "../protocol/errors.ts";
import type { FunctionSource } from "../protocol/sandbox-api.ts";
import {
  booleanField,
  fieldsOf,
  listField,
  nullableField,
  numberField,
  optionalField,
  textField,
} from "../tezos/json-fields.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { httpRequestText, LARGE_ANSWER_BYTES } from "./http-json.ts";
import { OwnerConnections } from "./owner-connections.ts";
import { eventsAsOwner } from "./owner-request.ts";
import { readEvents } from "./server-sent-events.ts";

export interface DebugClient {
  /**
   * Replays an operation, for its gas by function and line.
   * @throws SandboxError OWNER_ONLY, REPLAY_IMPOSSIBLE, REPLAY_LIMIT, REPLAY_DIFFERS, SANDBOX_BUSY, DEBUG_UNSUPPORTED
   */
  profile(hash: string): Promise<ProfileReport>;
  /** Replays an operation, for the lines that ran. @throws SandboxError as above */
  lines(hash: string): Promise<LineReport>;
  /**
   * Replays the operations after a position, for the lines and functions that ran.
   * @throws SandboxError OWNER_ONLY, REPLAY_LIMIT, SANDBOX_BUSY, DEBUG_UNSUPPORTED
   */
  coverage(after: number): Promise<CoverageReport>;
  /** Gives the sandbox the source of a deployed function. @throws SandboxError OWNER_ONLY, DEBUG_UNSUPPORTED */
  shelve(source: FunctionSource): Promise<void>;
  /** The sources of places in deployed code, in their order. @throws SandboxError OWNER_ONLY, DEBUG_UNSUPPORTED */
  places(places: readonly CodePlace[]): Promise<readonly (SourcePlace | null)[]>;
  /** A command of debug sessions (`debug-session-api.ts`). @throws SandboxError OWNER_ONLY and those of sessions */
  session(body: object): Promise<unknown>;
  /**
   * Holds each call of a smart function until the session has looked at it, as long as the stream is read.
   * @param seconds for which one is held at most, `HOLD_SECONDS`
   * @throws SandboxError HOLD_TAKEN, OWNER_ONLY, BAD_REQUEST, DEBUG_UNSUPPORTED
   */
  hold(seconds: number, signal: AbortSignal): AsyncGenerator<HoldEvent>;
}

/** An event of a hold. */
export type HoldEvent = {
  [Name in keyof HoldEvents]: { readonly event: Name; readonly data: HoldEvents[Name] };
}[keyof HoldEvents];

export interface DebugClientOptions {
  /** Aborts requests in flight. */
  readonly signal?: AbortSignal | undefined;
  /** The owner's secret, sent only after a proof. */
  readonly adminSecret: () => OwnerSecret | undefined;
}

/** @param endpoint of sandboxd */
export function createDebugClient(endpoint: string, options: DebugClientOptions): DebugClient {
  const base = endpoint.replace(/\/$/, "");
  const what = "The sandbox";
  const owner = new OwnerConnections(base);

  async function ask<T>(action: DebugAction, content: object, read: (json: unknown) => T): Promise<T> {
    const path = `/debug/${action}`;
    const request = {
      what,
      maxBytes: LARGE_ANSWER_BYTES,
      method: "POST",
      body: JSON.stringify(content),
      timeoutMs: DEBUG_TIMEOUT_MS,
      ...(options.signal && { signal: options.signal }),
    };
    const secret = options.adminSecret();
    const { status, body } = await (secret === undefined
      ? httpRequestText(`${base}${path}`, request) // the sandbox rejects it with a reason
      : owner.request(path, secret, request));
    if (status === 200) return decodeAnswer({ what, url: `${base}${path}` }, body, read);
    throw (
      errorInBody(body) ??
      new SandboxError("NETWORK_UNREACHABLE", { what, endpoint: base, reason: `status ${status}` })
    );
  }

  return {
    profile: (hash) => ask("profile", { hash }, profileReportOf),
    lines: (hash) => ask("lines", { hash }, lineReportOf),
    coverage: (after) => ask("coverage", { after }, coverageReportOf),
    shelve: (source) => ask("source-map", source, () => undefined),
    places: (places) => ask("places", { places }, sourcePlacesOf),
    session: (body) => ask("session", body, (json) => fieldsOf(json, "body")),
    async *hold(seconds, signal) {
      const secret = options.adminSecret();
      const request = { what, body: JSON.stringify({ seconds }), signal };
      const events =
        secret === undefined
          ? readEvents(`${base}/debug/hold`, request) // the sandbox rejects it with a reason
          : eventsAsOwner(base, "/debug/hold", secret, request);
      // The sandbox that answers is our own: its events are trusted.
      for await (const { event, data } of events) yield { event, data: JSON.parse(data) } as HoldEvent;
    },
  };
}

function headOf(json: unknown) {
  const { hash, gas, isWhole } = fieldsOf(json, "body");
  return {
    hash: textField(hash, "hash"),
    gas: numberField(gas, "gas"),
    isWhole: booleanField(isWhole, "isWhole"),
  };
}

function profileReportOf(json: unknown): ProfileReport {
  return { ...headOf(json), profile: profileOf(fieldsOf(json, "body")["profile"]) };
}

function profileOf(json: unknown): CpuProfile {
  const { nodes, samples, timeDeltas, endTime } = fieldsOf(json, "profile");
  const numbers = (value: unknown, at: string): number[] =>
    listField(value, at, "a list of numbers").map((each, i) => numberField(each, `${at}[${i}]`));
  return {
    nodes: listField(nodes, "profile.nodes", "a list of nodes").map((node, i) =>
      nodeOf(node, `profile.nodes[${i}]`, numbers),
    ),
    startTime: 0,
    endTime: numberField(endTime, "profile.endTime"),
    samples: numbers(samples, "profile.samples"),
    timeDeltas: numbers(timeDeltas, "profile.timeDeltas"),
  };
}

function nodeOf(json: unknown, at: string, numbers: (value: unknown, at: string) => number[]): ProfileNode {
  const { id, callFrame, hitCount, children, positionTicks } = fieldsOf(json, at);
  const frame = fieldsOf(callFrame, `${at}.callFrame`);
  const ticks = optionalField(positionTicks, (list) =>
    listField(list, `${at}.positionTicks`, "a list of lines").map((tick) => {
      const { line, ticks: gas } = fieldsOf(tick, `${at}.positionTicks`);
      return { line: numberField(line, `${at}.line`), ticks: numberField(gas, `${at}.ticks`) };
    }),
  );
  return {
    id: numberField(id, `${at}.id`),
    callFrame: {
      functionName: textField(frame["functionName"], `${at}.functionName`),
      scriptId: "0",
      url: textField(frame["url"], `${at}.url`),
      lineNumber: numberField(frame["lineNumber"], `${at}.lineNumber`),
      columnNumber: numberField(frame["columnNumber"], `${at}.columnNumber`),
    },
    hitCount: numberField(hitCount, `${at}.hitCount`),
    children: numbers(children, `${at}.children`),
    ...(ticks && { positionTicks: ticks }),
  };
}

function lineReportOf(json: unknown): LineReport {
  const { lines } = fieldsOf(json, "body");
  return {
    ...headOf(json),
    lines: listField(lines, "lines", "a list of lines").map((one, i): SourceLine => {
      const at = `lines[${i}]`;
      const { source, line, count, gas, text } = fieldsOf(one, at);
      return {
        source: textField(source, `${at}.source`),
        line: numberField(line, `${at}.line`),
        count: numberField(count, `${at}.count`),
        gas: numberField(gas, `${at}.gas`),
        text: nullableField(text, (value) => textField(value, `${at}.text`)),
      };
    }),
  };
}

function coverageReportOf(json: unknown): CoverageReport {
  const { operations, skipped, upTo, isComplete, sources } = fieldsOf(json, "body");
  return {
    operations: numberField(operations, "operations"),
    skipped: numberField(skipped, "skipped"),
    upTo: numberField(upTo, "upTo"),
    isComplete: booleanField(isComplete, "isComplete"),
    sources: listField(sources, "sources", "a list of sources").map((each, i) =>
      coveredSourceOf(each, `sources[${i}]`),
    ),
  };
}

function coveredSourceOf(json: unknown, at: string): CoveredSource {
  const { source, functions } = fieldsOf(json, at);
  return {
    source: textField(source, `${at}.source`),
    functions: listField(functions, `${at}.functions`, "a list of functions").map((each, i) => {
      const here = `${at}.functions[${i}]`;
      const { name, line, column, count, lines } = fieldsOf(each, here);
      return {
        name: textField(name, `${here}.name`),
        line: numberField(line, `${here}.line`),
        column: numberField(column, `${here}.column`),
        count: nullableField(count, (value) => numberField(value, `${here}.count`)),
        lines: listField(lines, `${here}.lines`, "a list of lines").map((pair): [number, number] => {
          const [number, hits] = listField(pair, `${here}.lines`, "a line and a number");
          return [numberField(number, `${here}.lines`), numberField(hits, `${here}.lines`)];
        }),
      };
    }),
  };
}

function sourcePlacesOf(json: unknown): (SourcePlace | null)[] {
  return listField(fieldsOf(json, "body")["places"], "places", "a list of places").map((one, i) =>
    nullableField(one, (place): SourcePlace => {
      const at = `places[${i}]`;
      const { source, line, column } = fieldsOf(place, at);
      return {
        source: textField(source, `${at}.source`),
        line: numberField(line, `${at}.line`),
        column: numberField(column, `${at}.column`),
      };
    }),
  );
}
