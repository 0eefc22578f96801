import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readPiped } from "./prompt.ts";

function input(): {
  pipe: PassThrough;
  abort: AbortController;
  read: (patienceMs?: number) => Promise<string>;
} {
  const pipe = new PassThrough();
  const abort = new AbortController();
  const stdin = pipe as unknown as NodeJS.ReadStream;
  const read = async (patienceMs?: number) =>
    (await readPiped({ stdin, signal: abort.signal }, patienceMs)).toString("utf8");
  return { pipe, abort, read };
}

it("reads a pipe to its end, however long that takes once it has started", async () => {
  const { pipe, read } = input();
  pipe.write("export ");
  const text = read(30);
  await new Promise((resolve) => setTimeout(resolve, 90)); // longer than the patience with a silent pipe
  pipe.end("default 1");
  expect(await text).toBe("export default 1");
});

it("treats an open but silent pipe as no input", async () => {
  expect(await input().read(20)).toBe("");
});

it("returns at once for an empty pipe, and when the command is interrupted", async () => {
  const empty = input();
  empty.pipe.end();
  expect(await empty.read()).toBe("");
  const interrupted = input();
  const text = interrupted.read();
  interrupted.abort.abort();
  await expect(text).rejects.toMatchObject({ code: "CANCELLED" });
  await expect(interrupted.read()).rejects.toMatchObject({ code: "CANCELLED" });
});

it("gives up on a pipe without an end", async () => {
  const { pipe, read } = input();
  const text = read();
  const chunk = Buffer.alloc(1024 ** 2);
  for (let sent = 0; sent <= 20; sent++) pipe.write(chunk);
  await expect(text).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
});
