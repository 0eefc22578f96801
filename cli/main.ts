#!/usr/bin/env node
// functez: the command line. Parses, runs one command, turns errors into one paragraph and an exit code.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { closeIdleConnections } from "../daemon/client/http-json.ts";
import { isError } from "../daemon/protocol/errors.ts";
import { createContext } from "./context.ts";
import { answerInJson, wantsJson } from "./json-usage.ts";
import { createProgram } from "./program.ts";
import { writeJson } from "./render/styled-output.ts";
import { writeFailure } from "./render/terminal.ts";

const interrupt = new AbortController();
process.on("SIGINT", () => {
  // A second Ctrl-C exits at once, whatever the command is waiting for.
  if (interrupt.signal.aborted) process.exit(130);
  interrupt.abort();
});
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0); // the reader (`| head`) has closed the pipe
  throw error;
});
// The program that started us may have exited with its pipes: a deploy in flight must still finish and be stored.
process.stderr.on("error", () => undefined);

/** Ctrl-C in a prompt. */
const isInterruption = (error: unknown): boolean =>
  isError(error, "CANCELLED") && error.data.interrupted === true;

const program = createProgram(
  (json) =>
    createContext({
      json,
      distFolder: dirname(fileURLToPath(import.meta.url)),
      signal: interrupt.signal,
      process,
    }),
  (code) => {
    process.exitCode = code;
  },
);

const json = wantsJson(process.argv.slice(2));
const outcome = json ? answerInJson(program) : undefined;

try {
  await program.parseAsync().catch((thrown: unknown) => {
    if (!outcome) throw thrown;
    writeJson(process.stdout, outcome(thrown).result);
  });
} catch (error) {
  // The terminal has shown `^C` at the start of the line.
  if (interrupt.signal.aborted && process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const { stdout, stderr } = process;
  writeFailure(error, { json, stdout, stderr });
  process.exitCode = interrupt.signal.aborted || isInterruption(error) ? 130 : 1;
} finally {
  closeIdleConnections();
}
