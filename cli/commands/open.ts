// `functez open`: the web page of the sandbox, in a browser where there is one.
import { spawn } from "node:child_process";
import { explorerAddress } from "../../daemon/protocol/explorer-address.ts";
import { aliasAddress } from "../config/account-lookup.ts";
import { runningSandbox } from "../config/network.ts";
import type { CliContext } from "../context.ts";

export interface OpenOptions {
  /** false: only the address is printed. */
  readonly browser: boolean;
}

/** @param subject an alias, or whatever the page's search finds */
export async function openExplorer(
  context: CliContext,
  subject: string | undefined,
  { browser }: OpenOptions,
): Promise<void> {
  const { client } = await runningSandbox(context, "look");
  const wanted = subject && (aliasAddress(await context.config.read(), subject) ?? subject);
  const url = explorerAddress(client.endpoint) + (wanted ? `#/find/${encodeURIComponent(wanted)}` : "");
  context.terminal.print(url);
  const opener = browser && !context.terminal.json ? openerOf(process.platform, context.env) : undefined;
  if (opener) await open(opener, url);
  context.terminal.data({ url });
}

/** Program and arguments that open an address; undefined where nobody would see a browser. */
export function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly string[] | undefined {
  // Editors set it in their terminals, to a program that opens the user's own browser through a forwarded port.
  const chosen = env["BROWSER"];
  if (chosen) return [chosen];
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"] ? ["xdg-open"] : undefined;
}

/** Starts the program and does not wait for its end. The address is on the screen, so a failure is none of the command. */
function open([program = "", ...args]: readonly string[], url: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve());
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
