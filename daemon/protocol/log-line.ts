// A line of the daemon's structured log, for people.

/** `12:03:04.567 INFO  part healthy  part=layer1_node`; a line that is no JSON stays as it is. */
export function readableLogLine(line: string): string {
  let record: { level: string; time: string; msg: string };
  try {
    record = JSON.parse(line) as typeof record;
  } catch {
    return line.trimEnd(); // something a library printed past the log
  }
  const { level, time, msg, ...data } = record;
  const fields = Object.entries(data).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${[msg, ...fields].join("  ")}`;
}
