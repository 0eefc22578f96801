// The debug adapter: speaks the Debug Adapter Protocol with an editor, and asks the sandbox for what it shows. Knows no
// editor: the command line pipes messages to it, and an extension may call it in its own process.
import type { Arrival, Motion } from "../protocol/debug-session-api.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { type Fields, integerField, isObject, optionalField, textField } from "../tezos/json-fields.ts";
import { type AdapterHost, historyOf, openRemoteSession, type RemoteSession } from "./adapter-host.ts";
import { printEnd, printOutput, sendHeld, sendReleased, sendStopped, THREAD } from "./arrival-events.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { CurrentSession } from "./current-session.ts";
import { EditorBreakpoints } from "./editor-breakpoints.ts";
import { EditorChannel, requestError, sentencesOf } from "./editor-channel.ts";
import { EditorPlaces } from "./editor-places.ts";
import { Inspection } from "./inspection.ts";
import { holdSecondsOf, launchOf } from "./launch.ts";
import { LiveCalls } from "./live-calls.ts";
import { isRequest, type Outgoing, type Request } from "./messages.ts";
import { numberIn } from "./request-fields.ts";

/** What a request leads to: its response, and what follows once that is sent. */
interface Performed {
  readonly body?: object;
  readonly afterwards?: () => Promise<void> | void;
}

export class DebugAdapter {
  readonly #host: AdapterHost;
  readonly #channel: EditorChannel;
  readonly #onEnd: () => void;
  readonly #places: EditorPlaces;
  readonly #session = new CurrentSession();
  readonly #breakpoints: EditorBreakpoints;
  readonly #inspection: Inspection;
  #live: LiveCalls | undefined;
  #first: Motion = { kind: "continue" };
  /** For how long each call is held before it runs; undefined if none is. */
  #holdSeconds: number | undefined;
  #isBegun = false;
  #isOver = false;

  /** @param onEnd called once the editor has ended the session */
  constructor(host: AdapterHost, send: (message: Outgoing) => void, onEnd: () => void = () => undefined) {
    this.#host = host;
    this.#channel = new EditorChannel(send);
    this.#onEnd = onEnd;
    this.#places = new EditorPlaces(host);
    this.#breakpoints = new EditorBreakpoints(this.#places);
    this.#inspection = new Inspection(host, this.#session, this.#places);
  }

  /** Takes a message of the editor. Answers and events are sent. */
  async receive(message: unknown): Promise<void> {
    if (!isRequest(message)) return; // the adapter sends no requests, so it awaits no responses
    try {
      const { body, afterwards } = await this.#perform(message);
      this.#channel.respond(message, body);
      await afterwards?.();
    } catch (thrown) {
      const error = requestError(thrown);
      this.#channel.fail(message, error);
      if (error.code === "DEBUG_SESSION_GONE" || error.code === "NETWORK_UNREACHABLE")
        this.#end(sentencesOf(error));
    }
  }

  /** Ends the session of the sandbox. */
  async close(): Promise<void> {
    this.#live?.stop();
    this.#live = undefined;
    await this.#session.close();
  }

  async #perform(request: Request): Promise<Performed> {
    const args = isObject(request.arguments) ? request.arguments : {};
    switch (request.command) {
      case "initialize":
        this.#places.initialize(args);
        return { body: CAPABILITIES };
      case "launch":
        this.#begin(request.command);
        return this.#launch(args);
      case "attach":
        this.#begin(request.command);
        return this.#attach(args);
      case "configurationDone":
        return { afterwards: () => (this.#live === undefined ? this.#go(this.#first) : this.#tellReady()) };
      case "setBreakpoints":
        return { body: await this.#breakpoints.setLines(this.#session.get(), args) };
      case "setExceptionBreakpoints":
        return { body: await this.#breakpoints.setExceptions(this.#session.get(), args) };
      case "dataBreakpointInfo":
        return { body: await this.#inspection.dataBreakpointInfo(args) };
      case "setDataBreakpoints":
        return { body: await this.#breakpoints.setData(this.#session.get(), args) };
      case "breakpointLocations":
        return { body: await this.#breakpoints.locations(this.#session.get(), args) };
      case "threads": {
        const name = this.#session.get()?.opened.title ?? "smart functions";
        return { body: { threads: [{ id: THREAD, name }] } };
      }
      case "stackTrace":
        return { body: await this.#inspection.stackTrace(args) };
      case "scopes":
        return { body: await this.#inspection.scopes(args) };
      case "variables":
        return { body: await this.#inspection.variables(args) };
      case "evaluate":
        return { body: await this.#inspection.evaluate(args) };
      case "exceptionInfo":
        return { body: await this.#inspection.exceptionInfo() };
      case "source":
        return { body: await this.#inspection.source(args) };
      case "loadedSources": {
        const sources = this.#session.get()?.opened.sources ?? [];
        return { body: { sources: sources.map((each) => this.#places.shownSource(each)) } };
      }
      case "gotoTargets":
        return { body: await this.#inspection.gotoTargets(args) };
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
        await this.#session.need().pause();
        return {};
      case "functez/goTo":
        return this.#motion({ kind: "goto", moment: numberIn(args, "moment") });
      case "functez/goToStep": {
        const { steps } = this.#session.need().opened;
        const range = { least: 1, most: steps };
        return this.#motion({ kind: "step", step: integerField(args["step"], "step", range) });
      }
      case "functez/stepInBack":
        return this.#motion({ kind: "stepInBack" });
      case "functez/stepOutBack":
        return this.#motion({ kind: "stepOutBack" });
      case "functez/release":
        await this.#live?.release();
        return {};
      case "functez/operation":
        return { body: this.#session.need().opened };
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

  /** A session debugs one thing. A launch that fails may be tried again. @throws SandboxError BAD_REQUEST */
  #begin(command: string): void {
    if (this.#isBegun)
      throw new SandboxError("BAD_REQUEST", {
        at: "command",
        found: `${command} in a session that has begun`,
        expected: "one launch or attach in a session; a further one needs a debug adapter of its own",
      });
  }

  async #launch(args: Fields): Promise<Performed> {
    const { hash, first } = await launchOf(this.#host, args);
    this.#first = first;
    const session = await openRemoteSession(this.#host, hash);
    try {
      this.#begin("launch"); // another may have been faster
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#isBegun = true;
    this.#use(session);
    return { afterwards: () => this.#channel.event("initialized") };
  }

  async #attach(args: Fields): Promise<Performed> {
    const seconds = holdSecondsOf(args);
    this.#holdSeconds = seconds;
    /** Hash of the held operation that the editor knows. */
    let held: string | undefined;
    const live = new LiveCalls(this.#host, {
      isOpen: () => this.#session.get() !== undefined,
      canStop: () => this.#breakpoints.canStop,
      breakpoints: () => this.#breakpoints.all,
      onStop: (session, arrival, isHeld) => {
        this.#use(session);
        this.#channel.event("thread", { reason: "started", threadId: THREAD });
        if (isHeld) sendHeld(this.#channel, (held = session.opened.hash), seconds ?? 0);
        this.#arrived(arrival);
      },
      onPass: (arrival) => printOutput(this.#channel, this.#places, arrival),
      onReleased: (hash, by) => {
        if (hash !== held) return;
        held = undefined;
        sendReleased(this.#channel, { hash, by, isShown: this.#session.get()?.opened.hash === hash });
      },
      onFailed: (error) => {
        live.stop();
        this.#live = undefined;
        this.#end(reasonOf(error));
      },
      print: (text) => this.#channel.print(text),
    });
    this.#live = live;
    this.#isBegun = true;
    try {
      if (seconds !== undefined) await live.hold(seconds);
    } catch (error) {
      this.#live = undefined;
      this.#isBegun = false;
      throw error;
    }
    return { afterwards: () => live.follow(() => this.#channel.event("initialized")) };
  }

  /** Earlier calls have run past the breakpoints: the sandbox did not know them yet. */
  #tellReady(): void {
    const seconds = this.#holdSeconds;
    this.#channel.print(
      seconds === undefined
        ? "Waiting for calls: those that stop are opened here."
        : `Waiting for calls: each that stops is held before it runs, for ${seconds} s at most.`,
    );
  }

  #use(session: RemoteSession): void {
    this.#session.use(session, (error) => this.#end(reasonOf(error)));
    if (!session.opened.isWhole)
      this.#channel.print("The operation is long: only its beginning can be stepped through.", "important");
  }

  #motion(motion: Motion, body?: object): Performed {
    this.#session.need();
    return { ...(body === undefined ? {} : { body }), afterwards: () => this.#go(motion) };
  }

  /** The request has its response by now, so a failure ends the session. */
  async #go(motion: Motion): Promise<void> {
    const session = this.#session.need();
    try {
      const arrival = await session.ask({ command: "go", motion });
      if (this.#session.get() === session) this.#arrived(arrival);
    } catch (error) {
      if (this.#session.get() === session) this.#end(reasonOf(error));
    }
  }

  #arrived(arrival: Arrival): void {
    this.#inspection.clear();
    printOutput(this.#channel, this.#places, arrival);
    const { opened } = this.#session.need();
    if (arrival.reason !== "end") return sendStopped(this.#channel, arrival, opened.steps);
    printEnd(this.#channel, opened);
    if (this.#live === undefined) return void this.#session.close().then(() => this.#end());
    this.#channel.event("thread", { reason: "exited", threadId: THREAD });
    this.#channel.event("continued", { threadId: THREAD, allThreadsContinued: true });
    void this.#session.close().then(() => this.#live?.next());
  }

  async #terminate(): Promise<void> {
    await this.close();
    this.#sendTerminated();
  }

  /** Leaves an operation that can no longer be shown: goes on to the next call, or ends the editor's session. */
  #end(why?: string): void {
    if (why !== undefined) this.#channel.print(why, "important");
    this.#session.drop();
    if (this.#live !== undefined) return void this.#live.next();
    this.#sendTerminated();
  }

  #sendTerminated(): void {
    if (!this.#isOver) this.#channel.event("terminated");
    this.#isOver = true;
  }
}
