// Writes the daemon's log to the editor's log channel, each line at its own level.
import { readableLogLine } from "../../daemon/text/log-line.ts";

/** Time (the channel writes its own) and level of a readable line. */
const HEAD = /^\d\d:\d\d:\d\d\.\d{3} (ERROR|WARN|INFO|DEBUG) +/;

type Level = "error" | "warn" | "info" | "debug";

/** Writes a line of sandboxd's standard error: a log line, its final error, or other output. */
export function writeDaemonLine(log: Readonly<Record<Level, (text: string) => void>>, line: string): void {
  const text = readableLogLine(line);
  const level = (HEAD.exec(text) ?? /^(ERROR) /.exec(text))?.[1]?.toLowerCase() ?? "info";
  log[level as Level](text.replace(HEAD, ""));
}
