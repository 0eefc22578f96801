import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { canSpin, startSpinner } from "./spinner.ts";
import { styledOutput } from "./styled-output.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A terminal that records its output. */
function terminal(columns: number) {
  const written: string[] = [];
  const stream = { isTTY: true, columns, write: (text: string) => written.push(text) };
  return { stream, written, out: stream as unknown as NodeJS.WriteStream };
}

it.each([
  [0, {}, false],
  [1, {}, false],
  [19, {}, false],
  [20, {}, true],
  [80, { TERM: "dumb" }, false],
  [80, { CI: "1" }, false],
])("on %i columns with %j: %s", (columns, env, expected) => {
  expect(canSpin(terminal(columns).out, env)).toBe(expected);
});

it("writes one line at a time, however long its text and however the terminal changes", () => {
  const { stream, written, out } = terminal(30);
  const spinner = startSpinner(`a${"long ".repeat(1000)}\nand\u001b[2Jmore`, out, styledOutput(out));
  vi.advanceTimersByTime(1_000);
  for (const line of written.join("").split("\r\u001b[2K").slice(1)) expect(line.length).toBeLessThan(60);
  expect(written.join("")).not.toContain("\u001b[2J");
  const before = written.length;
  stream.columns = 0;
  vi.advanceTimersByTime(10_000);
  expect(written.length).toBe(before);
  stream.columns = 30;
  spinner.update("next");
  vi.advanceTimersByTime(100);
  expect(written.join("")).toContain(" next");
  spinner.stop();
  vi.advanceTimersByTime(1_000);
  expect(written.at(-1)).toBe("\r\u001b[2K\u001b[?25h");
});
