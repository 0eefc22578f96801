// A client of the Debug Adapter Protocol over the standard streams of `functez debug --dap`.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { frame, messageReader } from "../../daemon/debug-adapter/messages.ts";
import { type BuiltCli, DIST, ROOT } from "./built-cli.ts";

export interface DapEvent {
  readonly event: string;
  readonly body: Record<string, unknown>;
}

interface Answer {
  readonly type: string;
  readonly request_seq: number;
  readonly success: boolean;
  readonly message?: string;
  readonly body?: unknown;
}

/** An editor as far as its adapter sees it: it has started it, and holds the other ends of its pipes. */
const EDITOR = `
const adapter = require("node:child_process").spawn(process.execPath, process.argv.slice(1), {
  stdio: ["pipe", "pipe", "inherit"],
});
process.stdin.pipe(adapter.stdin);
adapter.stdout.pipe(process.stdout);
`;

export class DapClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #wanted: { readonly event: string; resolve(event: DapEvent): void }[] = [];
  readonly #unseen: DapEvent[] = [];
  #seq = 0;
  readonly ended: Promise<number | null>;

  /** @param editor `process`: between this client and the adapter is a process, which `kill` ends */
  constructor(cli: BuiltCli, args: readonly string[] = [], editor: "none" | "process" = "none") {
    const adapter = [join(DIST, "functez.mjs"), "debug", ...args, "--dap"];
    this.#child = spawn(process.execPath, editor === "none" ? adapter : ["-e", EDITOR, ...adapter], {
      cwd: ROOT,
      env: cli.env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.ended = new Promise((resolve) => this.#child.once("close", (code) => resolve(code)));
    const read = messageReader((message) => this.#take(message as Answer & DapEvent));
    this.#child.stdout!.on("data", read);
  }

  #take(message: Answer & DapEvent): void {
    if (message.type === "response") {
      this.#waiting.get(message.request_seq)?.(message);
      this.#waiting.delete(message.request_seq);
      return;
    }
    const at = this.#wanted.findIndex(({ event }) => event === message.event);
    if (at < 0) this.#unseen.push(message);
    else this.#wanted.splice(at, 1)[0]!.resolve(message);
  }

  #ask(command: string, args: object): Promise<Answer> {
    const seq = ++this.#seq;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(seq, resolve));
    this.#child.stdin!.write(frame({ seq, type: "request", command, arguments: args }));
    return answer;
  }

  /** @returns the body of the answer */
  async ask<T = Record<string, unknown>>(command: string, args: object = {}): Promise<T> {
    const { success, message, body } = await this.#ask(command, args);
    if (!success) throw new Error(`${command}: ${message}`);
    return (body ?? {}) as T;
  }

  /** @returns the code of the error that a request ends with */
  async refusal(command: string, args: object = {}): Promise<string> {
    const { success, body } = await this.#ask(command, args);
    if (success) return "no failure";
    return (body as { error: { variables: { code: string } } }).error.variables.code;
  }

  /** The next event of this name that was not seen yet. */
  event(event: string): Promise<DapEvent> {
    const at = this.#unseen.findIndex((each) => each.event === event);
    if (at >= 0) return Promise.resolve(this.#unseen.splice(at, 1)[0]!);
    return new Promise((resolve) => this.#wanted.push({ event, resolve }));
  }

  /** Events of this name that were not seen yet. */
  events(event: string): DapEvent[] {
    return this.#unseen.filter((each) => each.event === event);
  }

  /** A motion, up to the `stopped` event. */
  async move(command: string, args: object = {}): Promise<Record<string, unknown>> {
    const stopped = this.event("stopped");
    await this.ask(command, { threadId: 1, ...args });
    return (await stopped).body;
  }

  /** Output that has come so far. */
  output(): string {
    return this.#unseen
      .filter(({ event }) => event === "output")
      .map(({ body }) => String(body["output"]))
      .join("");
  }

  async launch(args: object): Promise<void> {
    await this.ask("initialize", { adapterID: "functez", linesStartAt1: true, columnsStartAt1: true });
    await this.ask("launch", args);
    await this.event("initialized");
  }

  /** The editor dies. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  closeInput(): void {
    this.#child.stdin!.end();
  }
}
