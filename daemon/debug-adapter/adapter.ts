// The debug adapter: speaks the Debug Adapter Protocol with an editor, and asks the sandbox for what it shows. Knows no
// editor: the command line pipes messages to it, and an extension may call it in its own process.
import type { Arrival, Motion, SessionVariable, SourceBreakpoint } from "../protocol/debug-session-api.ts";
import { valueId } from "../protocol/debug-session-api.ts";
import { isError, reasonOf, SandboxError } from "../protocol/errors.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  MalformedJson,
  optionalField,
  textField,
} from "../tezos/json-fields.ts";
import { type AdapterHost, historyOf, openRemoteSession, type RemoteSession } from "./adapter-host.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { type Event, isRequest, type Outgoing, type Request, type Response } from "./messages.ts";
import { SourceNames } from "./source-names.ts";

/** One program at a time: the operation. */
const THREAD = 1;
/** Well within the lease of a session. */
const PING_MS = 15_000;
/** Operations that wait while one is looked at. */
const MAX_QUEUE = 100;
/** Numbers of frames that only say which function calls which. */
const LABELS = 1_000_000;

interface LiveFollow {
  readonly stop: AbortController;
  readonly queue: string[];
  isBusy: boolean;
}

export class DebugAdapter {
  readonly #host: AdapterHost;
  readonly #send: (message: Outgoing) => void;
  readonly #onEnd: () => void;
  readonly #sources: SourceNames;
  #seq = 0;
  #session: RemoteSession | undefined;
  #pings: NodeJS.Timeout | undefined;
  #live: LiveFollow | undefined;
  #base = { line: 1, column: 1 };
  #first: Motion = { kind: "continue" };
  readonly #breakpoints = new Map<string, readonly SourceBreakpoint[]>();
  #filters: readonly string[] = [];
  #dataIds: readonly string[] = [];
  /** Data that variables of the last stop stand for. */
  readonly #dataOf = new Map<string, string>();
  #isOver = false;

  /** @param onEnd called once the editor has ended the session */
  constructor(host: AdapterHost, send: (message: Outgoing) => void, onEnd: () => void = () => undefined) {
    this.#host = host;
    this.#send = send;
    this.#onEnd = onEnd;
    this.#sources = new SourceNames(host);
  }

  /** Takes a message of the editor. Answers and events are sent. */
  async receive(message: unknown): Promise<void> {
    if (!isRequest(message)) return; // it answers nothing that was asked
    try {
      const { body, afterwards } = await this.#perform(message);
      this.#respond(message, { success: true, ...(body === undefined ? {} : { body }) });
      await afterwards?.();
    } catch (error) {
      this.#fail(message, error);
    }
  }

  /** Ends the session of the sandbox. */
  async close(): Promise<void> {
    this.#live?.stop.abort();
    this.#live = undefined;
    await this.#leave();
  }

  #respond({ seq, command }: Request, rest: Pick<Response, "success" | "message" | "body">): void {
    this.#send({ seq: ++this.#seq, type: "response", request_seq: seq, command, ...rest });
  }

  #fail(request: Request, error: unknown): void {
    const shown =
      error instanceof MalformedJson
        ? new SandboxError("BAD_REQUEST", {
            at: error.at,
            found: error.found ?? "nothing",
            expected: error.expected,
          })
        : error instanceof SandboxError
          ? error
          : new SandboxError("INTERNAL", { reason: reasonOf(error) });
    const { code, message, next } = shown.toBody().error;
    // Editors show failed hovers nowhere, and failed watches in their place.
    const showUser = !["evaluate", "variables", "exceptionInfo", "source"].includes(request.command);
    const format = next === undefined ? message : `${message} ${next}`;
    this.#respond(request, {
      success: false,
      message: message,
      body: { error: { id: 1, format, variables: { code }, showUser } },
    });
    if (code === "DEBUG_SESSION_GONE" || code === "NETWORK_UNREACHABLE") this.#end(format);
  }

  #event(event: string, body?: object): void {
    const message: Event = { type: "event", event, ...(body === undefined ? {} : { body }) };
    this.#send({ seq: ++this.#seq, ...message });
  }

  #print(output: string, category: "console" | "stdout" | "important" = "console", place: object = {}): void {
    this.#event("output", { category, output: `${output}\n`, ...place });
  }

  /** The operation can no longer be looked at. */
  #end(why?: string): void {
    if (why !== undefined) this.#print(why, "important");
    clearInterval(this.#pings);
    this.#session = undefined;
    if (this.#live !== undefined) return void this.#nextOperation();
    if (!this.#isOver) this.#event("terminated");
    this.#isOver = true;
  }

  async #perform(request: Request): Promise<{ body?: object; afterwards?: () => Promise<void> | void }> {
    const args = isObject(request.arguments) ? request.arguments : {};
    switch (request.command) {
      case "initialize":
        this.#base = {
          line: args["linesStartAt1"] === false ? 0 : 1,
          column: args["columnsStartAt1"] === false ? 0 : 1,
        };
        return { body: CAPABILITIES };
      case "launch":
        return this.#launch(args);
      case "attach":
        return this.#attach();
      case "configurationDone":
        return this.#live === undefined ? { afterwards: () => this.#go(this.#first) } : {};
      case "setBreakpoints":
        return { body: await this.#setBreakpoints(args) };
      case "setExceptionBreakpoints":
        this.#filters = Array.isArray(args["filters"]) ? args["filters"].map(String) : [];
        await this.#session?.ask({ command: "exceptions", filters: this.#filters });
        return { body: { breakpoints: this.#filters.map(() => ({ verified: true })) } };
      case "dataBreakpointInfo":
        return { body: await this.#dataBreakpointInfo(args) };
      case "setDataBreakpoints":
        return { body: await this.#setDataBreakpoints(args) };
      case "breakpointLocations":
        return { body: await this.#breakpointLocations(args) };
      case "threads": {
        const name = this.#session?.opened.title ?? "smart functions";
        return { body: { threads: [{ id: THREAD, name }] } };
      }
      case "stackTrace":
        return { body: await this.#stackTrace(args) };
      case "scopes":
        return { body: await this.#scopes(args) };
      case "variables":
        return { body: await this.#variables(args) };
      case "evaluate":
        return { body: await this.#evaluate(args) };
      case "exceptionInfo":
        return { body: await this.#exceptionInfo() };
      case "source": {
        const source = isObject(args["source"]) ? args["source"] : args;
        const { text } = await this.#need().ask({ command: "source", source: this.#sources.meant(source) });
        return { body: { content: text, mimeType: "text/javascript" } };
      }
      case "loadedSources": {
        const sources = this.#session?.opened.sources ?? [];
        return { body: { sources: sources.map((each) => this.#sources.of(each)) } };
      }
      case "gotoTargets":
        return { body: await this.#gotoTargets(args) };
      case "goto":
        return this.#motion({ kind: "goto", moment: numberIn(args, "targetId") });
      case "continue":
        return this.#motion({ kind: "continue" }, { allThreadsContinued: true });
      case "reverseContinue":
      case "next":
      case "stepIn":
      case "stepOut":
      case "stepBack":
        return this.#motion({ kind: request.command });
      case "restartFrame":
        return this.#motion({ kind: "restartFrame", frame: numberIn(args, "frameId") - 1 });
      case "pause":
        await this.#need().pause();
        return {};
      case "functez/goTo":
        return this.#motion({ kind: "goto", moment: numberIn(args, "moment") });
      case "functez/stepInBack":
        return this.#motion({ kind: "stepInBack" });
      case "functez/stepOutBack":
        return this.#motion({ kind: "stepOutBack" });
      case "functez/operation":
        return { body: this.#need().opened };
      case "functez/history": {
        const address = textField(args["address"], "address");
        const key = optionalField(args["key"], (value) => textField(value, "key"));
        return { body: await historyOf(this.#host, { address, ...(key === undefined ? {} : { key }) }) };
      }
      case "terminate":
        return { afterwards: () => this.#terminate() };
      case "disconnect":
        this.#isOver = true;
        await this.close();
        return { afterwards: this.#onEnd };
      default:
        throw new SandboxError("BAD_REQUEST", {
          at: "command",
          found: request.command,
          expected: "a request that this adapter supports",
        });
    }
  }

  #need(): RemoteSession {
    if (this.#session === undefined) throw new SandboxError("DEBUG_NOT_PAUSED", {});
    return this.#session;
  }

  async #launch(args: Fields) {
    const operation = optionalField(args["operation"], (value) => textField(value, "operation"));
    const change = optionalField(args["lastChange"], (value) => fieldsOf(value, "lastChange"));
    const hash = await this.#operationOf(operation, change);
    this.#first = { kind: "continue" };
    if (args["stopOnEntry"] === true) this.#first = { kind: "start" };
    if (args["stopOnError"] === true) this.#first = { kind: "error" };
    if (change !== undefined) {
      const address = textField(change["address"], "lastChange.address");
      const key = textField(change["key"], "lastChange.key");
      this.#first = { kind: "lastChange", dataId: valueId(address, key) };
    }
    this.#use(await openRemoteSession(this.#host, hash));
    return { afterwards: () => this.#event("initialized") };
  }

  /** The operation that is named; else the one that last wrote the key, or the last call. */
  async #operationOf(operation: string | undefined, change: Fields | undefined): Promise<string> {
    if (operation !== undefined || change === undefined) return this.#host.operationOf(operation ?? "last");
    const address = textField(change["address"], "lastChange.address");
    const key = textField(change["key"], "lastChange.key");
    const { entries } = await historyOf(this.#host, { address, key });
    const newest = entries[0]?.hash;
    if (newest === undefined) throw new SandboxError("VALUE_UNCHANGED", { address, key });
    return newest;
  }

  #use(session: RemoteSession): void {
    this.#session = session;
    clearInterval(this.#pings);
    this.#pings = setInterval(() => {
      session.ping().catch((error: unknown) => {
        if (this.#session === session) this.#end(reasonOf(error));
      });
    }, PING_MS);
    this.#pings.unref();
    const { isWhole } = session.opened;
    if (!isWhole)
      this.#print("The operation is long: only its beginning can be stepped through.", "important");
  }

  /** Calls run as ever; each that would have stopped is opened at its first stop. */
  #attach() {
    const live: LiveFollow = { stop: new AbortController(), queue: [], isBusy: false };
    this.#live = live;
    const take = (hash: string): void => {
      if (live.queue.length >= MAX_QUEUE) return this.#print(`Not looked at, since many wait: ${hash}`);
      live.queue.push(hash);
      void this.#nextOperation();
    };
    const { signal } = live.stop;
    const failed = (error: unknown): void => {
      if (signal.aborted) return;
      this.#live = undefined;
      this.#end(reasonOf(error));
    };
    return {
      afterwards: () => {
        const onOpen = (): void => this.#event("initialized");
        this.#host
          .follow({ onOperation: take, onOpen, signal })
          .then(() => failed(new SandboxError("SANDBOX_NOT_RUNNING", { endpoint: "" })), failed);
      },
    };
  }

  /** Looks through the operations that wait until one of them stops. */
  async #nextOperation(): Promise<void> {
    const live = this.#live;
    if (live === undefined || live.isBusy || this.#session !== undefined) return;
    live.isBusy = true;
    try {
      for (let hash = live.queue.shift(); hash !== undefined; hash = live.queue.shift())
        if (await this.#stopsIn(hash)) return;
    } finally {
      live.isBusy = false;
    }
  }

  async #stopsIn(hash: string): Promise<boolean> {
    let session: RemoteSession;
    try {
      session = await openRemoteSession(this.#host, hash);
    } catch (error) {
      // It runs no function, or is gone already.
      if (!isError(error, "REPLAY_IMPOSSIBLE")) this.#print(reasonOf(error));
      return false;
    }
    for (const [source, breakpoints] of this.#breakpoints)
      await session.ask({ command: "breakpoints", source, breakpoints });
    await session.ask({ command: "exceptions", filters: this.#filters });
    await session.ask({
      command: "dataBreakpoints",
      breakpoints: this.#dataIds.map((dataId) => ({ dataId })),
    });
    const arrival = await session.ask({ command: "go", motion: { kind: "continue" } });
    if (arrival.reason === "end") {
      this.#printAll(arrival);
      await session.close();
      return false;
    }
    this.#use(session);
    this.#event("thread", { reason: "started", threadId: THREAD });
    this.#arrived(arrival);
    return true;
  }

  async #leave(): Promise<void> {
    clearInterval(this.#pings);
    const session = this.#session;
    this.#session = undefined;
    await session?.close().catch(() => undefined); // it ends by itself where it can no longer be asked
  }

  async #terminate(): Promise<void> {
    await this.close();
    if (!this.#isOver) this.#event("terminated");
    this.#isOver = true;
  }

  #motion(motion: Motion, body?: object): { body?: object; afterwards: () => Promise<void> } {
    this.#need();
    return { ...(body === undefined ? {} : { body }), afterwards: () => this.#go(motion) };
  }

  /** The request is answered by now: failures end the session, or are told. */
  async #go(motion: Motion): Promise<void> {
    const session = this.#need();
    try {
      const arrival = await session.ask({ command: "go", motion });
      if (this.#session === session) this.#arrived(arrival);
    } catch (error) {
      if (this.#session === session) this.#end(reasonOf(error));
    }
  }

  #printAll({ output }: Arrival): void {
    for (const { text, source, line } of output)
      this.#print(text, "stdout", {
        ...(source === undefined ? {} : { source: this.#sources.of(source) }),
        ...(line === undefined ? {} : { line: this.#shownLine(line) }),
      });
  }

  #arrived(arrival: Arrival): void {
    const { reason, moment, description } = arrival;
    this.#dataOf.clear();
    this.#printAll(arrival);
    if (reason !== "end") {
      const more = description === undefined ? {} : { text: description };
      const label = reason === "data breakpoint" ? { description: `Changed: ${description}` } : {};
      return this.#event("stopped", {
        reason,
        threadId: THREAD,
        allThreadsStopped: true,
        moment,
        ...label,
        ...more,
      });
    }
    const { failure, gas } = this.#need().opened;
    this.#print(
      failure === null ? `The operation has ended, with ${gas} gas.` : `The operation has failed: ${failure}`,
    );
    if (this.#live === undefined) return void this.#leave().then(() => this.#end());
    this.#event("thread", { reason: "exited", threadId: THREAD });
    this.#event("continued", { threadId: THREAD, allThreadsContinued: true });
    void this.#leave().then(() => this.#nextOperation());
  }

  readonly #shownLine = (line: number): number => line - 1 + this.#base.line;
  readonly #shownColumn = (column: number): number => column - 1 + this.#base.column;
  readonly #ownLine = (line: number): number => line + 1 - this.#base.line;
  readonly #ownColumn = (column: number): number => column + 1 - this.#base.column;

  async #setBreakpoints(args: Fields): Promise<object> {
    const source = this.#sources.meant(sourceIn(args));
    const list = Array.isArray(args["breakpoints"]) ? args["breakpoints"] : [];
    const breakpoints = list.map((each: unknown, i): SourceBreakpoint => {
      const at = `breakpoints[${i}]`;
      const fields = fieldsOf(each, at);
      const text = (name: string): object => {
        const value = fields[name];
        return typeof value === "string" && value !== "" ? { [name]: value } : {};
      };
      const column = fields["column"];
      return {
        line: this.#ownLine(numberIn(fields, "line", at)),
        ...(typeof column === "number" ? { column: this.#ownColumn(column) } : {}),
        ...text("condition"),
        ...text("hitCondition"),
        ...text("logMessage"),
      };
    });
    this.#breakpoints.set(source, breakpoints);
    if (this.#session === undefined) {
      const message = "It is placed once an operation runs this file.";
      return { breakpoints: breakpoints.map(() => ({ verified: false, message, reason: "pending" })) };
    }
    const { breakpoints: placed } = await this.#session.ask({ command: "breakpoints", source, breakpoints });
    return {
      breakpoints: placed.map(({ line, column, ...rest }) => ({
        ...rest,
        ...(line === undefined ? {} : { line: this.#shownLine(line) }),
        ...(column === undefined ? {} : { column: this.#shownColumn(column) }),
        ...(rest.verified ? {} : { reason: "failed" }),
      })),
    };
  }

  async #dataBreakpointInfo(args: Fields): Promise<object> {
    const name = textField(args["name"], "name");
    const ref = args["variablesReference"];
    const known = typeof ref === "number" && ref > 0 ? this.#dataOf.get(`${ref} ${name}`) : name;
    if (known === undefined)
      return { dataId: null, description: "Only keys of stores and balances are watched." };
    const { dataId, description } = await this.#need().ask({ command: "dataBreakpointInfo", name: known });
    return { dataId, description, accessTypes: ["write"], canPersist: true };
  }

  async #setDataBreakpoints(args: Fields): Promise<object> {
    const list = Array.isArray(args["breakpoints"]) ? args["breakpoints"] : [];
    this.#dataIds = list.map((each: unknown, i) => {
      const at = `breakpoints[${i}]`;
      return textField(fieldsOf(each, at)["dataId"], `${at}.dataId`);
    });
    const breakpoints = this.#dataIds.map((dataId) => ({ dataId }));
    await this.#session?.ask({ command: "dataBreakpoints", breakpoints });
    return { breakpoints: breakpoints.map(() => ({ verified: true })) };
  }

  async #breakpointLocations(args: Fields): Promise<object> {
    if (this.#session === undefined) return { breakpoints: [] };
    const line = this.#ownLine(numberIn(args, "line"));
    const endLine = typeof args["endLine"] === "number" ? this.#ownLine(args["endLine"]) : line;
    const source = this.#sources.meant(sourceIn(args));
    const { locations } = await this.#session.ask({ command: "locations", source, line, endLine });
    return {
      breakpoints: locations.map((each) => ({
        line: this.#shownLine(each.line),
        column: this.#shownColumn(each.column),
      })),
    };
  }

  async #stackTrace(args: Fields): Promise<object> {
    const { frames } = await this.#need().ask({ command: "stack" });
    const shown: object[] = [];
    frames.forEach(({ name, source, line, column, address, state }, i) => {
      const called = frames[i - 1];
      if (called !== undefined && called.address !== address) {
        const label = `${this.#host.nameOf(address)} calls ${this.#host.nameOf(called.address)}`;
        shown.push({ id: LABELS + i, name: label, line: 0, column: 0, presentationHint: "label" });
      }
      shown.push({
        id: i + 1,
        name: state === "running" || state === "calls" ? name : `${name} (${state})`,
        source: this.#sources.of(source),
        line: this.#shownLine(line),
        column: this.#shownColumn(column),
        canRestart: true,
        ...(state === "returned" ? { presentationHint: "subtle" } : {}),
      });
    });
    const start = typeof args["startFrame"] === "number" ? args["startFrame"] : 0;
    const levels = typeof args["levels"] === "number" && args["levels"] > 0 ? args["levels"] : shown.length;
    return { stackFrames: shown.slice(start, start + levels), totalFrames: shown.length };
  }

  async #scopes(args: Fields): Promise<object> {
    const id = numberIn(args, "frameId");
    if (id >= LABELS) return { scopes: [] };
    const { scopes } = await this.#need().ask({ command: "scopes", frame: id - 1 });
    return {
      scopes: scopes.map(({ name, ref, named, indexed }) => ({
        name,
        variablesReference: ref,
        namedVariables: named,
        indexedVariables: indexed,
        // Those that editors need not open by themselves.
        expensive: name !== "Local",
        ...(name === "Local" ? { presentationHint: "locals" } : {}),
      })),
    };
  }

  async #variables(args: Fields): Promise<object> {
    const ref = numberIn(args, "variablesReference");
    const { filter, start, count } = args;
    const { variables } = await this.#need().ask({
      command: "variables",
      ref,
      ...(filter === "indexed" || filter === "named" ? { filter } : {}),
      ...(typeof start === "number" ? { start } : {}),
      ...(typeof count === "number" ? { count } : {}),
    });
    for (const { name, dataId } of variables)
      if (dataId !== undefined) this.#dataOf.set(`${ref} ${name}`, dataId);
    return { variables: variables.map(shownVariable) };
  }

  async #evaluate(args: Fields): Promise<object> {
    const expression = textField(args["expression"], "expression");
    const id = args["frameId"];
    const isWhole = args["context"] === "clipboard" || args["context"] === "repl";
    const frame = typeof id === "number" && id < LABELS ? { frame: id - 1 } : {};
    const { value, type, ref, named, indexed } = await this.#need().ask({
      command: "evaluate",
      expression,
      isWhole,
      ...frame,
    });
    return {
      result: value,
      type,
      variablesReference: ref,
      namedVariables: named,
      indexedVariables: indexed,
      presentationHint: { attributes: ["readOnly"] },
    };
  }

  async #exceptionInfo(): Promise<object> {
    const { text, isUncaught, stack } = await this.#need().ask({ command: "exception" });
    return {
      exceptionId: /^\w+(?=:|$)/.exec(text)?.[0] ?? "Thrown value",
      description: text,
      breakMode: isUncaught ? "unhandled" : "always",
      ...(stack === null ? {} : { details: { message: text, stackTrace: stack } }),
    };
  }

  async #gotoTargets(args: Fields): Promise<object> {
    const source = this.#sources.meant(sourceIn(args));
    const line = this.#ownLine(numberIn(args, "line"));
    const { targets } = await this.#need().ask({ command: "gotoTargets", source, line });
    return {
      targets: targets.map(({ moment, label, line: at, column }) => ({
        id: moment,
        label,
        line: this.#shownLine(at),
        column: this.#shownColumn(column),
      })),
    };
  }
}

function shownVariable(variable: SessionVariable): object {
  const { name, value, type, ref, named, indexed, evaluateName, isLazy, isInternal } = variable;
  const attributes = ["readOnly"];
  return {
    name,
    value,
    type,
    variablesReference: ref,
    namedVariables: named,
    indexedVariables: indexed,
    ...(evaluateName === undefined ? {} : { evaluateName }),
    presentationHint: {
      attributes,
      ...(isLazy === true ? { lazy: true } : {}),
      ...(isInternal === true ? { visibility: "internal" } : {}),
    },
  };
}

function numberIn(fields: Fields, name: string, at?: string): number {
  const value = fields[name];
  if (typeof value === "number") return value;
  throw new MalformedJson(at === undefined ? name : `${at}.${name}`, "a number", value);
}

function sourceIn(args: Fields): { path?: string; sourceReference?: number } {
  const { path, sourceReference } = fieldsOf(args["source"], "source");
  return {
    ...(typeof path === "string" ? { path } : {}),
    ...(typeof sourceReference === "number" ? { sourceReference } : {}),
  };
}
