// Launch type `functez`: F5 runs `functez dev` on a file, with its output in the debug console, until Stop. Smart
// functions run inside the sandbox's own engine, which has no breakpoints: they are reported as not set.
import type { ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { ensureRunning } from "../commands/dependencies.ts";
import { DEBUG_TYPE } from "../ids.ts";
import { spawnScript } from "../session/child-environment.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";

interface LaunchConfiguration extends vscode.DebugConfiguration {
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

export function registerDevSessions(script: string, session: SandboxSession): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, {
      // F5 without a launch.json passes an empty configuration: use the open file.
      resolveDebugConfiguration: (_folder, configuration: LaunchConfiguration) => ({
        ...configuration,
        type: DEBUG_TYPE,
        request: "launch",
        name: configuration.name || "functez dev",
        program: configuration.program ?? "${file}",
      }),
      resolveDebugConfigurationWithSubstitutedVariables: async (_folder, configuration) =>
        (await ensureRunning({ session })) ? configuration : undefined,
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
      createDebugAdapterDescriptor: () =>
        new vscode.DebugAdapterInlineImplementation(new DevSession(script, session)),
    }),
  );
}

/** Lines of `functez dev` about its work begin with the time; it writes them beside the logs of the function. */
const PROGRESS = /^\[\d\d:\d\d:\d\d\] /;

class DevSession implements vscode.DebugAdapter {
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
        this.#launch(request.arguments as LaunchConfiguration);
        return this.#answer(request);
      case "setBreakpoints": {
        const { breakpoints = [] } = request.arguments as { breakpoints?: readonly object[] };
        const reason = vscode.l10n.t(
          "Smart functions run in the sandbox's engine, which has no breakpoints.",
        );
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

  #launch({ program = "", alias }: LaunchConfiguration): void {
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
