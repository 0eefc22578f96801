// `functez sandbox status|logs`, without a container.
import { findAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { liveOwnerRecords } from "../../daemon/local/owner-record.ts";
import { readableLogLine } from "../../daemon/text/log-line.ts";
import { SANDBOX_URL_VARIABLE } from "../config/locate-sandbox.ts";
import { runningSandbox, sandboxClient } from "../config/network.ts";
import { type CliContext, endLine } from "../context.ts";
import { partLines, warnOfVersion, withReachableEndpoints } from "./sandbox-report.ts";

/** @returns the exit code of the command */
export async function sandboxStatus(context: CliContext): Promise<number> {
  const client = sandboxClient(context);
  const answer = await client.health();
  if (!answer) {
    context.terminal.print("The sandbox is not running.");
    context.terminal.note("Start it with `functez sandbox start`.");
    for (const { endpoint, pid } of liveOwnerRecords(context.env)) {
      if (endpoint === client.endpoint) continue;
      context.terminal.note(
        `Another sandbox is running at ${endpoint} (process ${pid}): set ${SANDBOX_URL_VARIABLE} to use it.`,
      );
    }
    context.terminal.data({ running: false });
    return 1;
  }
  const endpoints = await client.endpoints();
  const health = withReachableEndpoints(answer, endpoints);
  context.terminal.print(
    [
      `Sandbox ${health.status}: functez ${health.version}, process ${health.pid}, since ${health.startedAt}`,
      `  ${"sandboxd".padEnd(13)} ${client.endpoint}`,
      ...partLines(health),
    ].join("\n"),
  );
  warnOfVersion(context, health);
  // Only in JSON, for programs: a secret does not belong on a screen. And only from a sandbox that knows it itself:
  // programs will send it to whatever answers there.
  const adminSecret = (await client.isOwner())
    ? findAdminSecret(client.endpoint, context.env)?.text
    : undefined;
  context.terminal.data({
    running: true,
    ...health,
    endpoints: { sandboxd: client.endpoint, ...endpoints },
    ...(adminSecret === undefined ? {} : { adminSecret }),
  });
  return health.status === "healthy" ? 0 : 1;
}

/** `sandbox logs`: the latest lines of the daemon's log, and with `--follow` each further one. */
export async function sandboxLogs(
  context: CliContext,
  options: { readonly follow?: boolean },
): Promise<void> {
  const { client } = await runningSandbox(context, "look");
  // Without --follow the existing lines arrive at once; a short silence ends the command.
  const end = new AbortController();
  context.signal.addEventListener("abort", () => end.abort(), { once: true });
  let quiet = options.follow ? undefined : setTimeout(() => end.abort(), LOG_QUIET_MS);
  for await (const line of client.logLines(end.signal)) {
    context.terminal.print(readableLogLine(line));
    context.terminal.data(JSON.parse(line));
    if (quiet) {
      clearTimeout(quiet);
      quiet = setTimeout(() => end.abort(), LOG_QUIET_MS);
    }
  }
  endLine(context);
}

const LOG_QUIET_MS = 150;
