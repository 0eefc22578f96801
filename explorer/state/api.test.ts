import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { post, read } from "./api.ts";

/** Answers in order; undefined is a connection that broke. */
let answers: (string | undefined)[];
let asked: number;
beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  vi.stubGlobal("fetch", () => {
    const answer = answers[asked++];
    return answer === undefined
      ? Promise.reject(new TypeError("Failed to fetch"))
      : Promise.resolve(new Response(answer));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const unreachable = expect.objectContaining({ code: "UNREACHABLE" }) as unknown;

it("reads once more when no answer came", async () => {
  answers = [undefined, "[1]"];
  const reading = read("api/x");
  await vi.runAllTimersAsync();
  expect(await reading).toEqual([1]);
  expect(asked).toBe(2);
});

it("says that the sandbox does not answer when it does not the second time either", async () => {
  answers = [];
  const reading = read("api/x").catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await reading).toEqual(unreachable);
  expect(asked).toBe(2);
});

it("sends nothing twice", async () => {
  answers = [];
  const sending = post("api/x", {}).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await sending).toEqual(unreachable);
  expect(asked).toBe(1);
});
