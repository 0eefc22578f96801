import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createTerminal } from "./render/terminal.ts";
import { printBody, responseBody } from "./response-body.ts";

const bodyOf = (content: string | Buffer, type?: string) =>
  responseBody({
    body: Buffer.from(content).toString("base64"),
    headers: type === undefined ? {} : { "content-type": type },
  });

it.each([
  ["5", "application/json; charset=utf-8", "json"],
  ["{}", "application/problem+json", "json"],
  ["{", "application/json", "text"],
  [" [1]", "text/plain;charset=UTF-8", "json"],
  [" [1]", undefined, "json"],
  ["[1]", "text/csv", "text"],
  ["5", "text/plain", "text"],
  ["\ufeffa", undefined, "text"],
  [Buffer.from([0xff]), "application/json", "base64"],
])("reads %j of type %s as %s", (content, type, kind) => {
  expect(bodyOf(content, type)).toMatchObject({ kind });
});

function show(content: string | Buffer, isTTY: boolean): { readonly out: string; readonly err: string } {
  const stream = () => Object.assign(new PassThrough({ encoding: "latin1" }), { isTTY });
  const [stdout, stderr] = [stream(), stream()];
  const streams = { stdout, stderr, stdin: process.stdin } as unknown as Parameters<typeof createTerminal>[0];
  printBody(createTerminal({ ...streams, json: false }), bodyOf(content));
  return { out: String(stdout.read() ?? ""), err: String(stderr.read() ?? "") };
}

it("gives control characters and bytes to a pipe, and keeps them from a terminal", () => {
  expect(show("\u001b[2Ja\n", false)).toEqual({ out: "\u001b[2Ja\n", err: "" });
  expect(show("\u001b[2Ja\n", true)).toEqual({ out: "\\u001b[2Ja\n", err: "" });
  const bytes = Buffer.from([0xff, 0x1b, 0x00]);
  expect(show(bytes, false)).toEqual({ out: "\u00ff\u001b\u0000", err: "" });
  expect(show(bytes, true)).toEqual({ out: "", err: expect.stringContaining("3 bytes") as string });
});
