// A line that shows what a command is waiting for. It is a single line whatever its text and the size of the terminal,
// so its output is bounded; it handles no signals, and restores the cursor however the command ends.
import { visible } from "../../daemon/text/visible-text.ts";
import type { StyledOutput } from "./styled-output.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
/**
 * Minimum width: `docker run -t` and `script` create terminals without a size, and narrower ones show nothing useful.
 */
const LEAST_COLUMNS = 20;

const CLEAR_LINE = "\r\u001b[2K";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

export interface Spinner {
  update(text: string): void;
  /** Ends it; a given text stays as a line. */
  stop(text?: string): void;
}

/** Whether a stream is a terminal that can show a spinner. */
export function canSpin(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return (
    stream.isTTY === true && (stream.columns ?? 0) >= LEAST_COLUMNS && env["TERM"] !== "dumb" && !env["CI"]
  );
}

/** Starts one on a stream for which {@link canSpin} holds. */
export function startSpinner(first: string, stream: NodeJS.WriteStream, styled: StyledOutput): Spinner {
  let text = first;
  let frame = 0;
  const draw = (): void => {
    const columns = stream.columns ?? 0;
    if (columns < LEAST_COLUMNS) return; // the terminal has become too narrow
    const line = visible(text)
      .split("\n", 1)[0]!
      .slice(0, columns - 3);
    stream.write(CLEAR_LINE);
    styled.write(`${styled.colors.yellow(FRAMES[frame])} ${line}`);
    frame = (frame + 1) % FRAMES.length;
  };
  const showCursor = (): void => void stream.write(SHOW_CURSOR);
  process.once("exit", showCursor);
  stream.write(HIDE_CURSOR);
  draw();
  const timer = setInterval(draw, FRAME_MS).unref();
  return {
    update(next) {
      text = next;
    },
    stop(last) {
      clearInterval(timer);
      process.off("exit", showCursor);
      stream.write(`${CLEAR_LINE}${SHOW_CURSOR}`);
      if (last !== undefined) styled.write(`${styled.colors.green("✔")} ${last}\n`);
    },
  };
}
