import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { errorInBody } from "../../daemon/protocol/errors.ts";
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
