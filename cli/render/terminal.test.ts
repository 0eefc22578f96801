import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createTerminal } from "./terminal.ts";

it("leaves signals to the command while a step is shown on a terminal", () => {
  const stderr = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 80,
  }) as unknown as NodeJS.WriteStream;
  const terminal = createTerminal({ json: false, stdout: stderr, stderr, stdin: process.stdin });
  const listeners = () => ["SIGINT", "SIGTERM"].map((signal) => process.listenerCount(signal));
  const before = listeners();
  const step = terminal.step("Working");
  expect(listeners()).toEqual(before);
  step.abandon();
  expect(listeners()).toEqual(before);
});
