// The terminal of a command that a tool runs: it keeps the result and forwards steps. Nothing reaches the process's own
// streams, since standard output belongs to the protocol.
import { PassThrough } from "node:stream";
import picocolors from "picocolors";
import type { Terminal } from "../render/terminal.ts";

export interface QuietTerminal extends Terminal {
  /** The last result data of the command. */
  result(): unknown;
}

/** @param onStep called with the text of each step */
export function quietTerminal(onStep: (text: string) => void): QuietTerminal {
  let last: unknown;
  const nothing = (): void => undefined;
  return {
    json: true,
    interactive: false,
    print: nothing,
    bytes: nothing,
    data: (value) => (last = value),
    note: nothing,
    warn: nothing,
    failure: nothing,
    withStep: (text, work) => {
      onStep(text);
      return work({ update: onStep, done: (final) => final !== undefined && onStep(final) });
    },
    colors: picocolors.createColors(false),
    result: () => last,
  };
}

/** Empty standard input, so that no command waits for a pipe, least of all for the protocol's. */
export function noInput(): NodeJS.ReadStream {
  return Object.assign(new PassThrough().end(), { isTTY: true, fd: -1 }) as unknown as NodeJS.ReadStream;
}
