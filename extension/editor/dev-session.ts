// F5 on a file: runs `functez dev` on it, with its output in the debug console, until Stop. Breakpoints belong to the session
// below it, which looks at the calls.
import type { ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { spawnScript } from "../session/child-environment.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

export interface DevConfiguration extends vscode.DebugConfiguration {
  /** File to deploy on every save. */
  readonly program?: string;
  /** Alias; by default from the file name. */
  readonly alias?: string;
}

/** A message of the debug adapter protocol, with the fields used here. */
interface Request {
  readonly seq: number;
  readonly type: string;
  readonly command: string;
  readonly arguments?: unknown;
}

/** Lines of `functez dev` about its work begin with the time; it writes them beside the logs of the function. */
const PROGRESS = /^\[\d\d:\d\d:\d\d\] /;

export class DevSession implements vscode.DebugAdapter {
  readonly #script: string;
  readonly #session: SandboxSession;
  readonly #messages = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly onDidSendMessage = this.#messages.event;
  #child: ChildProcess | undefined;
  #seq = 0;

  constructor(script: string, session: SandboxSession) {
    this.#script = script;
    this.#session = session;
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    const request = message as Request;
    if (request.type !== "request") return;
    switch (request.command) {
      case "initialize":
        this.#answer(request, { supportsTerminateRequest: true });
        this.#send({ type: "event", event: "initialized" });
        return;
      case "launch":
        this.#launch(request.arguments as DevConfiguration);
        return this.#answer(request);
      case "setBreakpoints": {
        const { breakpoints = [] } = request.arguments as { breakpoints?: readonly object[] };
        const reason = vscode.l10n.t("Calls stop here once the function is deployed.");
        return this.#answer(request, {
          breakpoints: breakpoints.map(() => ({ verified: false, message: reason })),
        });
      }
      case "threads":
        return this.#answer(request, { threads: [] });
      case "terminate":
      case "disconnect":
        this.#child?.kill("SIGINT");
        return this.#answer(request);
      default:
        return this.#answer(request);
    }
  }

  #launch({ program = "", alias }: DevConfiguration): void {
    const { sandbox } = this.#session;
    const child = spawnScript(
      this.#script,
      // Its stdin is our pipe: it ends with us, even when we are killed.
      ["dev", program, "--lifeline", ...(alias === undefined ? [] : ["--name", alias])],
      {
        cwd: dirname(program),
        env: sandbox ? { FUNCTEZ_SANDBOX_URL: sandbox.sandboxd } : {},
      },
    );
    this.#child = child;
    const print = (category: string) => (line: string) =>
      this.#send({ type: "event", event: "output", body: { category, output: `${line}\n` } });
    createInterface({ input: child.stdout! }).on("line", print("stdout"));
    createInterface({ input: child.stderr! }).on("line", (line) =>
      print(PROGRESS.test(line) ? "console" : "stderr")(line),
    );
    child.once("error", (error) => print("stderr")(error.message));
    child.once("close", (code) => {
      this.#send({ type: "event", event: "exited", body: { exitCode: code ?? 0 } });
      this.#send({ type: "event", event: "terminated" });
    });
  }

  #answer({ seq, command }: Request, body: object = {}): void {
    this.#send({ type: "response", request_seq: seq, command, success: true, body });
  }

  #send(message: object): void {
    this.#messages.fire({ seq: ++this.#seq, ...message });
  }

  dispose(): void {
    this.#child?.kill("SIGINT");
    this.#messages.dispose();
  }
}
