// Formats a line of the daemon's structured log for people.

/** Local time of day of an ISO time, to the millisecond. */
function localTime(iso: string): string {
  const date = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, "0");
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

/** `12:03:04.567 INFO  part healthy  part=layer1_node`; a line that is not JSON stays unchanged. */
export function readableLogLine(line: string): string {
  let record: { level: string; time: string; msg: string };
  try {
    record = JSON.parse(line) as typeof record;
  } catch {
    return line.trimEnd(); // printed by a library, bypassing the log
  }
  const { level, time, msg, ...data } = record;
  const fields = Object.entries(data).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${localTime(time)} ${level.toUpperCase().padEnd(5)} ${[msg, ...fields].join("  ")}`;
}
