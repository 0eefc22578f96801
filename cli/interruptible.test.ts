import { getEventListeners } from "node:events";
import { expect, it, vi } from "vitest";
import { SandboxError } from "../daemon/protocol/errors.ts";
import { interruptible, pollUntil } from "./interruptible.ts";

const WORDS = { what: "Waiting", next: "It continues." };
const never = new Promise<never>(() => undefined);
const late = () => new SandboxError("NOT_FOUND", { what: "it" });

it("ends at once when the signal aborts, whatever the work waits for, and explains what happens next", async () => {
  const { signal, ...controller } = controllerOf();
  const wait = interruptible(signal, WORDS, never);
  controller.abort();
  await expect(wait).rejects.toMatchObject({ code: "CANCELLED", data: WORDS });
  await expect(interruptible(signal, WORDS, Promise.resolve(1))).rejects.toMatchObject({ code: "CANCELLED" });
});

it("passes on the result and error of the work, and leaves no listener", async () => {
  const { signal } = controllerOf();
  expect(await interruptible(signal, WORDS, Promise.resolve(1))).toBe(1);
  await expect(interruptible(signal, WORDS, Promise.reject(late()))).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("polls until there is a value, until the deadline, or until the signal aborts during a read", async () => {
  const { signal, ...controller } = controllerOf();
  const options = { ...WORDS, signal, limitMs: 20, pollMs: 1, late };
  const read = vi.fn<() => Promise<number | undefined>>().mockResolvedValue(undefined);
  read.mockResolvedValueOnce(undefined).mockResolvedValueOnce(7);
  expect(await pollUntil(options, read)).toBe(7);
  await expect(pollUntil(options, read)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const stuck = pollUntil({ ...options, limitMs: 60_000 }, () => never);
  controller.abort();
  await expect(stuck).rejects.toMatchObject({ code: "CANCELLED" });
});

function controllerOf(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
