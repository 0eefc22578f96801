// Live logs of smart functions in a separate output channel.
import * as vscode from "vscode";
import { indentFurtherLines } from "../../daemon/client/call-tree.ts";
import { reasonOf } from "../../daemon/protocol/errors.ts";
import { visible } from "../../daemon/text/visible-text.ts";
import type { SourceLinks } from "../editor/source-links.ts";
import { ensureRunning } from "../session/dependencies.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import { chooseFunction, targetOf } from "./choose.ts";
import type { CommandDependencies } from "./dependencies.ts";

interface Following {
  readonly address: string;
  readonly abort: AbortController;
}

/** Follows the logs of functions, each at most once; ends with the sandbox. An alias is followed through its redeploys. */
export class FunctionLogs implements vscode.Disposable {
  readonly #channel: vscode.LogOutputChannel;
  readonly #session: CommandDependencies["session"];
  readonly #known: KnownAccounts;
  readonly #links: SourceLinks;
  /** By alias, or by address where there is none. */
  readonly #following = new Map<string, Following>();
  readonly #subscription: vscode.Disposable;

  constructor({ session, known, links }: Pick<CommandDependencies, "session" | "known" | "links">) {
    this.#channel = vscode.window.createOutputChannel("functez: Smart Functions", { log: true });
    this.#session = session;
    this.#known = known;
    this.#links = links;
    this.#subscription = vscode.Disposable.from(
      session.onChange((change) => {
        if (change === "state" && session.state.kind !== "running") this.#end();
      }),
      known.onChange(() => this.#followRedeploys()),
    );
  }

  async show(dependencies: CommandDependencies, argument?: unknown): Promise<void> {
    if (!(await ensureRunning(dependencies))) return;
    const target = targetOf(argument) ?? (await chooseFunction(dependencies, vscode.l10n.t("Show Logs")));
    if (target === undefined) return;
    this.#channel.show(true);
    const name = this.#known.list.find(({ address }) => address === target)?.alias ?? target;
    if (!this.#following.has(name)) this.#start(name, this.#addressOf(name) ?? target);
  }

  #addressOf(name: string): string | undefined {
    return this.#known.list.find(({ alias }) => alias === name)?.address;
  }

  #followRedeploys(): void {
    for (const [name, { address, abort }] of this.#following) {
      const now = this.#addressOf(name);
      if (now === undefined || now === address) continue;
      abort.abort();
      this.#start(name, now);
    }
  }

  #start(name: string, address: string): void {
    const following = { address, abort: new AbortController() };
    this.#following.set(name, following);
    void this.#follow(name, following);
  }

  async #follow(name: string, following: Following): Promise<void> {
    const { address, abort } = following;
    this.#channel.info(`following ${name} (${address})`);
    try {
      for await (const { level, text } of this.#session.runtime()?.logs(address, abort.signal) ?? []) {
        const shown = visible(await this.#links.inSources(text.trimEnd()));
        const line = `${name}: ${indentFurtherLines(shown, "  ")}`; // no line looks like one of another function
        if (level === "ERROR") this.#channel.error(line);
        else if (level === "WARN") this.#channel.warn(line);
        else if (level === "DEBUG") this.#channel.debug(line);
        else this.#channel.info(line);
      }
    } catch (error) {
      if (!abort.signal.aborted) this.#channel.warn(`${name}: ${reasonOf(error)}`);
    } finally {
      if (this.#following.get(name) === following) this.#following.delete(name);
    }
  }

  #end(): void {
    for (const { abort } of this.#following.values()) abort.abort();
    this.#following.clear();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#end();
    this.#channel.dispose();
  }
}
