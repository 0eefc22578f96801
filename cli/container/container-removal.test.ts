import type { Container } from "dockerode";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SandboxError } from "../../daemon/protocol/errors.ts";
import { removeContainer } from "./container-removal.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A container whose removal gives these HTTP statuses, the last one again and again. */
function container(...statuses: readonly number[]) {
  const remove = vi.fn(async () => {
    const statusCode = statuses[Math.min(remove.mock.calls.length, statuses.length) - 1] ?? 0;
    if (statusCode >= 400)
      throw Object.assign(new Error(`(HTTP code ${statusCode}) conflict - in progress`), { statusCode });
  });
  return { removed: remove, container: { remove } as unknown as Container };
}

/** Error of a removal; undefined when it went well. */
async function outcome(removal: Promise<void>): Promise<SandboxError | undefined> {
  const ended = removal.then(
    () => undefined,
    (error: unknown) => error as SandboxError,
  );
  await vi.runAllTimersAsync();
  return ended;
}

it.each([
  ["is removed at once", [204], 1],
  ["is gone already", [404], 1],
  ["goes while another removal is under way", [409, 409, 409, 404], 4],
  ["stays after another removal, which failed", [409, 204], 2],
])("is done when the container %s", async (_, statuses, requests) => {
  const { container: found, removed } = container(...statuses);
  expect(await outcome(removeContainer(found))).toBeUndefined();
  expect(removed).toHaveBeenCalledTimes(requests);
});

it("gives up on a removal that does not end, and tells what to do", async () => {
  const { container: found, removed } = container(409);
  const began = performance.now();
  const error = await outcome(removeContainer(found));
  expect(error?.code).toBe("CONTAINER_FAILED");
  expect(error?.message).toContain("in progress");
  expect(error?.next).toContain("docker ps --all");
  expect(performance.now() - began).toBeGreaterThanOrEqual(10_000);
  expect(removed.mock.calls.length).toBeGreaterThan(50);
});

it("asks an engine that fails only once", async () => {
  const { container: found, removed } = container(500);
  expect((await outcome(removeContainer(found)))?.code).toBe("CONTAINER_FAILED");
  expect(removed).toHaveBeenCalledTimes(1);
});

it("ends with the command", async () => {
  const { container: found, removed } = container(409);
  const abort = new AbortController();
  const removal = removeContainer(found, abort.signal);
  abort.abort();
  expect((await outcome(removal))?.code).toBe("CANCELLED");
  expect(removed).toHaveBeenCalledTimes(1);
});
