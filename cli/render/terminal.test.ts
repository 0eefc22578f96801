import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { errorInBody, SandboxError } from "../../daemon/protocol/errors.ts";
import { createTerminal, writeFailure } from "./terminal.ts";

it("leaves signals to the command while a step is shown on a terminal", async () => {
  const stderr = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 80,
  }) as unknown as NodeJS.WriteStream;
  const terminal = createTerminal({ json: false, stdout: stderr, stderr, stdin: process.stdin });
  const listeners = () => ["SIGINT", "SIGTERM"].map((signal) => process.listenerCount(signal));
  const before = listeners();
  await terminal.withStep("Working", async () => expect(listeners()).toEqual(before));
  expect(listeners()).toEqual(before);
});

it("escapes what a terminal would obey or hide in every line of JSON, which keeps its value", async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.WriteStream &
    PassThrough;
  const terminal = createTerminal({ json: true, stdout: stream, stderr: stream, stdin: process.stdin });
  const hostile = "\u009b2J \u202e \u00ad \u{e0041} \u2028 \ufe01";
  const failure = new SandboxError("BAD_USAGE", { found: hostile });
  await terminal.withStep(hostile, async (step) => step.update(hostile));
  terminal.warn(hostile);
  terminal.failure(failure);
  terminal.data({ [hostile]: 123456789012345678901n });
  writeFailure(failure, { json: true, stdout: stream, stderr: stream });
  const lines = String(stream.read()).trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { progress: hostile },
    { progress: hostile },
    { warning: hostile },
    failure.toBody(),
    { [hostile]: Number("123456789012345678901") },
    failure.toBody(),
  ]);
});

it("reports a bug of its own as an error of the table", () => {
  const stdout = new PassThrough();
  const streams = { stdout, stderr: stdout } as unknown as {
    stdout: NodeJS.WriteStream;
    stderr: NodeJS.WriteStream;
  };
  writeFailure(new TypeError("x is not a function"), { json: true, ...streams });
  expect(errorInBody(String(stdout.read()))).toMatchObject({
    code: "INTERNAL",
    data: { reason: "x is not a function" },
  });
});
