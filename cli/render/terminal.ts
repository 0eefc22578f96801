// Output of commands: results on stdout, everything else on stderr, JSON instead of text with `--json`.
import type { Colors } from "picocolors/types";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { canSpin, type Spinner, startSpinner } from "./spinner.ts";
import { styledOutput, writeJson } from "./styled-output.ts";

export interface Terminal {
  readonly json: boolean;
  /** True when the user can be asked: stdin and stderr are terminals. */
  readonly interactive: boolean;
  /** A result: on stdout, nothing with `--json`. */
  print(text: string): void;
  /** A result that is no text: as it is to a pipe or file, never to a terminal; nothing with `--json`. */
  bytes(content: Uint8Array): void;
  /** The result as a value: printed with `--json` only. */
  data(value: unknown): void;
  /** Progress and remarks: on stderr, nothing with `--json`. */
  note(text: string): void;
  /** On stderr; with `--json` as a line `{"warning":"…"}`. */
  warn(text: string): void;
  /** Reports a failure, on stderr; with `--json` as a line `{"error":{…}}`. The command continues. */
  failure(error: unknown): void;
  /** Shows a step that takes time while the work runs. Work that ends without a `done`, or fails, leaves no line. */
  withStep<T>(text: string, work: (step: Step) => Promise<T>): Promise<T>;
  readonly colors: Colors;
}

export interface Step {
  update(text: string): void;
  /** Ends it before the work does; a given text stays as a line. */
  done(text?: string): void;
}

interface EndingStep extends Step {
  /** Ends it without a final line, if it has not ended. */
  abandon(): void;
}

export interface TerminalOptions {
  readonly json: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
}

export function createTerminal({ json, stdout, stderr, stdin }: TerminalOptions): Terminal {
  const out = styledOutput(stdout);
  const err = styledOutput(stderr, { always: true });
  const { colors, write: writeError } = err;
  const note = (text: string) => {
    if (!json) writeError(`${text}\n`);
  };
  return {
    json,
    interactive: stdin.isTTY === true && stderr.isTTY === true && !json,
    print: (text) => {
      if (!json) out.write(text.endsWith("\n") ? text : `${text}\n`);
    },
    bytes: (content) => {
      if (json) return;
      if (stdout.isTTY !== true) return void stdout.write(content);
      note(`The body is ${content.length} bytes that are no text. Send them to a file: functez run … > file`);
    },
    data: (value) => {
      if (json) writeJson(stdout, value);
    },
    note,
    warn: (text) =>
      json ? writeJson(stderr, { warning: text }) : writeError(`${colors.yellow("warning:")} ${text}\n`),
    failure: (error) =>
      json ? writeJson(stderr, errorAsJson(error)) : writeError(describeError(error, colors)),
    withStep: async (text, work) => {
      const step = json
        ? jsonStep(text, stderr)
        : canSpin(stderr, process.env)
          ? movingStep(startSpinner(text, stderr, err))
          : plainStep(note);
      try {
        return await work(step);
      } finally {
        step.abandon();
      }
    },
    colors,
  };
}

/** Without a terminal only the outcome of a step is written. */
function plainStep(note: (text: string) => void): EndingStep {
  return {
    update: () => undefined,
    done: (text) => text !== undefined && note(text),
    abandon: () => undefined,
  };
}

/** Each step as a line `{"progress":"…"}` on stderr, for programs that show it (the editor extension). */
function jsonStep(first: string, stderr: NodeJS.WriteStream): EndingStep {
  const report = (progress: string) => writeJson(stderr, { progress });
  report(first);
  return { update: report, done: () => undefined, abandon: () => undefined };
}

/** Each ending counts once: a command may be interrupted while it reports that it is done. */
function movingStep(spinner: Spinner): EndingStep {
  let isOver = false;
  const end = (text?: string): void => {
    if (!isOver) spinner.stop(text);
    isOver = true;
  };
  return { update: (text) => spinner.update(text), done: end, abandon: () => end() };
}

/** Text of anything thrown: one paragraph with code and next step for our errors, a bug report request for others. */
function describeError(error: unknown, colors: Colors): string {
  const label = colors.bold(colors.red("ERROR"));
  if (error instanceof SandboxError) {
    // After a list the next step starts on a new line.
    const between = error.message.includes("\n") ? "\n" : " ";
    return `${label} ${colors.dim(error.code)}: ${error.message}${between}${error.next}\n`;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${label} This is a bug in functez; please report it with these lines:\n${stack}\n`;
}

/** Reports the error that ends the process: one paragraph on stderr, or with `--json` one object on stdout. */
export function writeFailure(
  error: unknown,
  streams: Pick<TerminalOptions, "json" | "stdout" | "stderr">,
): void {
  if (streams.json) return writeJson(streams.stdout, errorAsJson(error));
  const { colors, write } = styledOutput(streams.stderr, { always: true });
  write(describeError(error, colors));
}

function errorAsJson(error: unknown): unknown {
  if (error instanceof SandboxError) return error.toBody();
  return new SandboxError("INTERNAL", { reason: reasonOf(error) }).toBody();
}
