// Live logs of smart functions in a separate output channel.
import * as vscode from "vscode";
import { reasonOf } from "../../daemon/protocol/errors.ts";
import { chooseFunction, targetOf } from "./choose.ts";
import { type CommandDependencies, ensureRunning } from "./dependencies.ts";

/** Follows the logs of functions, each at most once; ends with the sandbox. */
export class FunctionLogs implements vscode.Disposable {
  readonly #channel: vscode.LogOutputChannel;
  readonly #following = new Map<string, AbortController>();

  constructor(session: CommandDependencies["session"]) {
    this.#channel = vscode.window.createOutputChannel("functez: Smart Functions", { log: true });
    session.onChange((change) => {
      if (change === "state" && session.state.kind !== "running") this.#end();
    });
  }

  async show(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
    if (!(await ensureRunning(dependencies))) return;
    const target = targetOf(argument) ?? (await chooseFunction(dependencies, vscode.l10n.t("Show Logs")));
    if (target === undefined) return;
    const address = dependencies.known.list.find(({ alias }) => alias === target)?.address ?? target;
    this.#channel.show(true);
    if (this.#following.has(address)) return;
    const abort = new AbortController();
    this.#following.set(address, abort);
    void this.#follow(dependencies, target, address, abort.signal);
  }

  async #follow(
    { session }: CommandDependencies,
    name: string,
    address: string,
    signal: AbortSignal,
  ): Promise<void> {
    this.#channel.info(`following ${name} (${address})`);
    try {
      for await (const { level, text } of session.runtime()?.logs(address, signal) ?? []) {
        const line = `${name}: ${text.trimEnd()}`;
        if (level === "ERROR") this.#channel.error(line);
        else if (level === "WARN") this.#channel.warn(line);
        else if (level === "DEBUG") this.#channel.debug(line);
        else this.#channel.info(line);
      }
    } catch (error) {
      if (!signal.aborted) this.#channel.warn(`${name}: ${reasonOf(error)}`);
    } finally {
      this.#following.delete(address);
    }
  }

  #end(): void {
    for (const abort of this.#following.values()) abort.abort();
    this.#following.clear();
  }

  dispose(): void {
    this.#end();
    this.#channel.dispose();
  }
}
