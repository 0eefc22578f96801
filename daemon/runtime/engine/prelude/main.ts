// The guest's side of the engine: sets up the globals and gives the host six functions to drive a call. It is evaluated
// once, for the base snapshot; every guest environment starts as a copy of that state.

import { AbortController, AbortSignal } from "./abort.ts";
import { ring } from "./alarms.ts";
import { Blob, File } from "./blob.ts";
import { bodyOf, takeBody, takeSource } from "./body.ts";
import { guestConsole } from "./console.ts";
import { Crypto, crypto, SubtleCrypto } from "./crypto.ts";
import { installDateTexts } from "./dates.ts";
import { TextDecoder, TextEncoder } from "./encoding.ts";
import { allowAnyStack, CompileModuleError, NotSupported, notSupported, RuntimeError } from "./errors.ts";
import * as eventClasses from "./event-classes.ts";
import { Event, EventTarget } from "./events.ts";
import { deliver, fetch } from "./fetch.ts";
import { FileReader } from "./file-reader.ts";
import { FormData } from "./form-data.ts";
import { headerList, type HeaderList, Headers } from "./headers.ts";
import { callHost, phase } from "./host.ts";
import { errorText } from "./inspect.ts";
import { installLocaleMethods, Intl } from "./intl.ts";
import { MessageChannel, MessagePort } from "./message-channel.ts";
import { PerformanceObserver, PerformanceObserverEntryList } from "./performance-observer.ts";
import {
  Performance,
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
} from "./performance.ts";
import { Kv, Ledger, SmartFunction } from "./protocol-objects.ts";
import { hostRequest, Request } from "./request.ts";
import { Response, responseParts } from "./response.ts";
import { streamGlobals } from "./streams.ts";
import { structuredClone } from "./structured-clone.ts";
import * as transformStreams from "./transform-streams.ts";
import { URLPattern } from "./url-pattern.ts";
import { URL, URLSearchParams } from "./url.ts";
import { expose } from "./webidl.ts";
import {
  DedicatedWorkerGlobalScope,
  globalEvents,
  ImageData,
  WorkerGlobalScope,
  WorkerLocation,
} from "./worker-scope.ts";

type Content = string | Uint8Array<ArrayBuffer> | undefined;
type Handler = (request: Request) => unknown;
interface Namespace {
  readonly default?: unknown;
}

let handler: unknown;

/** The real runtime's fixed value, so that programs behave alike on every run. */
Math.random = () => 0.42;

const timers = Object.fromEntries(
  ["setTimeout", "setInterval", "clearTimeout", "clearInterval"].map((name) => [
    name,
    {
      [name]: () => {
        throw notSupported(`'${name}()' is not supported`);
      },
    }[name],
  ]),
);

function reportError(error: unknown): void {
  if (arguments.length === 0)
    throw new TypeError("reportError requires at least 1 argument, but only 0 present");
  const log = guestConsole["error"] as (...values: unknown[]) => void;
  log("Uncaught", error);
}

expose({
  ...eventClasses,
  ...streamGlobals,
  ...timers,
  ...transformStreams,
  ...globalEvents,
  AbortController,
  AbortSignal,
  Blob,
  CompileModuleError,
  Crypto,
  DedicatedWorkerGlobalScope,
  Event,
  EventTarget,
  File,
  FileReader,
  FormData,
  Headers,
  ImageData,
  Intl,
  Kv,
  Ledger,
  MessageChannel,
  MessagePort,
  NotSupported,
  Performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  PerformanceObserverEntryList,
  Request,
  Response,
  RuntimeError,
  SmartFunction,
  SubtleCrypto,
  TextDecoder,
  TextEncoder,
  URL,
  URLPattern,
  URLSearchParams,
  WorkerGlobalScope,
  WorkerLocation,
  console: guestConsole,
  crypto,
  fetch,
  performance,
  reportError,
  self: globalThis,
  structuredClone,
});
installDateTexts();
installLocaleMethods();
allowAnyStack();
delete (globalThis as { SharedArrayBuffer?: unknown }).SharedArrayBuffer;

/** Reports a thrown value: [class, message, stack]. */
function fail(thrown: unknown): void {
  if (thrown instanceof Error) {
    const name = typeof thrown.name === "string" ? thrown.name : "Error";
    callHost("fail", JSON.stringify([name, thrown.message, errorText(thrown)]));
  } else {
    const text = typeof thrown === "symbol" ? String(thrown) : `${thrown as string}`;
    callHost("fail", JSON.stringify(["", text, `Uncaught ${text}`]));
  }
}

async function respond(request: Request): Promise<void> {
  const call = handler as Handler;
  const parts = responseParts(await call(request));
  if (parts === undefined) {
    callHost("invalid");
    return;
  }
  const { body } = parts;
  const content = body === null ? undefined : (takeSource(body) ?? (await takeBody(body)));
  callHost(
    "done",
    JSON.stringify([parts.status, parts.statusText, headerList(parts.headers), parts.type]),
    content,
  );
}

function start(head: string, body: Content): void {
  const [url, method, headers] = JSON.parse(head) as [string, string, HeaderList];
  const request = hostRequest(url, method, headers, body === undefined ? null : bodyOf(body));
  respond(request).catch(fail);
}

/** @returns the kind of the default export; the host words the failure */
function adopt(namespace: Namespace): string {
  let value: unknown;
  try {
    value = namespace.default;
  } catch {
    // The binding is uninitialised: the module is in a top-level await. Accepted, as the reference recommends.
    return "function";
  }
  handler = value;
  if (value === undefined || value === null) return "none";
  if (typeof value === "function") return "function";
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return typeof value === "object" ? tag : `${typeof value}`.replace(/^./, (c) => c.toUpperCase());
}

/** What the host calls. Bodies are strings or byte arrays; requests and responses travel as JSON beside them. */
const control = {
  /** The next module is evaluated without protocol access. */
  check(): void {
    phase.checking = true;
    delete (globalThis as { Ledger?: unknown }).Ledger;
  },
  /** Reports the module's default export, or its failure, when its promise settles. */
  settle(promise: Promise<Namespace>): void {
    promise.then((namespace) => callHost("module", adopt(namespace)), fail);
  },
  /** Runs the handler of the adopted module. */
  invoke(head: string, body: Content): void {
    start(head, body);
  },
  /** Evaluates the module's top level to its end, then runs its handler. */
  run(promise: Promise<Namespace>, head: string, body: Content): void {
    promise.then((namespace) => {
      const kind = adopt(namespace);
      if (kind === "function") start(head, body);
      else callHost("module", kind);
    }, fail);
  },
  deliver,
  ring,
};

// The completion value of the bundle: its banner and footer make it the value of the script.
(globalThis as { __control?: unknown }).__control = control;
