// `functez dev <file>`: deploys on every save under the same alias and shows the function's logs.
import { dirname, resolve } from "node:path";
import { aliasOfFile } from "../../daemon/protocol/alias.ts";
import { isError, SandboxError } from "../../daemon/protocol/errors.ts";
import { resolveSmartFunction } from "../config/account-lookup.ts";
import { openRuntime, resolveNetwork, runningSandbox } from "../config/network.ts";
import { type CliContext, endLine } from "../context.ts";
import { sourceTexts } from "../source-texts.ts";
import { deploy } from "./deploy.ts";
import { logLine } from "./function-logs.ts";
import { watchFiles } from "./watched-files.ts";

export interface DevOptions {
  readonly name?: string;
  /** Store of a new version: empty, as on a real network, or that of the previous version. */
  readonly store?: "reset" | "keep";
  readonly network?: string;
  /** Exit when standard input closes: the program that started this one has exited, however it ended. */
  readonly lifeline?: boolean;
}

/** Editors write a file in several steps that count as one save. */
const SETTLE_MS = 80;

export async function dev(outer: CliContext, file: string, options: DevOptions): Promise<void> {
  const context = options.lifeline === true ? endingWithStdin(outer) : outer;
  const path = resolve(file);
  const name = options.name ?? aliasOfFile(path);
  const network = options.network === undefined ? {} : { network: options.network };
  const keepsStore = options.store === "keep";
  if (keepsStore) await mustBeSandbox(context, options.network);
  let followed: AbortController | undefined;

  /** Marks the start and end of each round with the time, as compilers in watch mode do: editors look for both. */
  const say = (text: string) => context.terminal.note(`[${new Date().toLocaleTimeString("en-GB")}] ${text}`);

  async function redeploy(): Promise<void> {
    say(`Deploying ${file} as ${name}`);
    await deployOnce();
    say(
      `Watching ${file}; each save deploys a new function, ${keepsStore ? "which takes over the previous store" : "whose store is empty (--store keep takes over the previous one)"}.${options.lifeline === true ? "" : " Ctrl-C ends."}`,
    );
  }

  /** The function under the alias, if this sandbox has it. */
  const current = async () => {
    const known = (await context.config.read()).accounts[name];
    return known && "SmartFunction" in known ? known.SmartFunction.address : undefined;
  };

  /** Moves the store of the previous version to the new one. */
  async function takeStoreOf(before: string | undefined): Promise<void> {
    const now = await current();
    if (before === undefined || now === undefined) return;
    const { client } = await runningSandbox(context, "change");
    try {
      const values = await client.takeStore({ from: before, to: now });
      say(`${name} has the store of the previous version: ${values} ${values === 1 ? "value" : "values"}`);
    } catch (error) {
      // The previous version is from an earlier sandbox: there is nothing to take over.
      if (!isError(error, "FUNCTION_GONE")) throw error;
    }
  }

  /** Inputs of the last finished build; a failed one adds the files that it names. */
  let inputs: readonly string[] = [path];
  const onInputs = (files: readonly string[]) => {
    inputs = [path, ...files];
    watched.set(inputs);
  };

  async function deployOnce(): Promise<void> {
    try {
      const before = keepsStore ? await current() : undefined;
      await deploy(context, path, { name, force: true, onInputs, ...network });
      if (keepsStore) await takeStoreOf(before);
    } catch (error) {
      watched.set([...inputs, ...filesOf(error)], { besides: true }); // a missing file may appear
      context.terminal.failure(error);
      return; // keep the last good version until the next save
    }
    followed?.abort();
    if (context.signal.aborted) return; // interrupted during the deploy: nothing more to show
    followed = new AbortController();
    void follow(followed.signal);
  }

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      const config = await context.config.read();
      const address = resolveSmartFunction(config, name);
      const opened = await openRuntime(context, config, options.network, "change");
      const { named } = sourceTexts(context, opened.network);
      for await (const record of opened.runtime.logs(address, signal)) {
        const text = await named(record.text);
        context.terminal.print(logLine({ ...record, text }, context));
      }
    } catch (error) {
      if (!signal.aborted) context.terminal.failure(error);
    }
  }

  let settle: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const next = () => (running = running.then(redeploy));
  const watched = watchFiles(() => {
    clearTimeout(settle);
    settle = setTimeout(next, SETTLE_MS);
  });
  await new Promise<void>((done) => {
    watched.set(inputs); // before the first deploy, because a save during it counts too
    void next();
    context.signal.addEventListener(
      "abort",
      () => {
        watched.close();
        clearTimeout(settle);
        followed?.abort();
        void running.then(() => endLine(context)).then(done);
      },
      { once: true },
    );
  });
}

/** @throws SandboxError BAD_OPTION for a network where stores cannot be moved, and as `resolveNetwork` */
async function mustBeSandbox(context: CliContext, network: string | undefined): Promise<void> {
  const { isSandbox } = await resolveNetwork(context, await context.config.read(), network, "change");
  if (isSandbox) return;
  throw new SandboxError("BAD_OPTION", {
    option: "--store",
    found: "keep",
    expected: "reset: a store can be taken over in the local sandbox only",
  });
}

/** Files named by a failed build. */
function filesOf(error: unknown): string[] {
  if (!isError(error, "BUILD_FAILED")) return [];
  const { file, errors = [] } = error.data;
  return errors.flatMap(({ location }) => (location ? [resolve(dirname(file), location.file)] : []));
}

function endingWithStdin(context: CliContext): CliContext {
  const { stdin } = context;
  const gone = new AbortController();
  for (const event of ["end", "close", "error"]) stdin.once(event, () => gone.abort());
  stdin.resume();
  const signal = AbortSignal.any([context.signal, gone.signal]);
  signal.addEventListener("abort", () => stdin.destroy(), { once: true }); // an open stdin would keep the process alive
  return { ...context, signal };
}
