// Runs a program, and looks into it wherever it calls its function `stop`.
import { watchedEngine } from "../engine/test-engine.ts";
import type { Vm } from "../engine/vm.ts";
import { type Frame, HeapReader } from "./heap-reader.ts";

const FILE = "jstz://probe";

export interface Stop {
  readonly vm: Vm;
  readonly heap: HeapReader;
  /** The frame of `stop` itself. */
  readonly frame: Frame;
}

/**
 * @param body statements of a handler; `stop(value)` is where `look` is called
 * @returns the text of the response
 */
export async function stopIn(body: string, look: (stop: Stop) => void): Promise<string> {
  const code = `function stop(value) { return value; }
export default async (request) => {
${body}
  return new Response("ended");
};`;
  let isCalled = false;
  const engine = await watchedEngine({
    bytecode(vm, pc) {
      if (!isCalled) return;
      const heap = new HeapReader(vm);
      const frame = heap.frame(heap.word(heap.runningFrameAt));
      if (frame?.fn.name === "stop" && frame.fn.file === FILE && pc === frame.fn.code)
        look({ vm, heap, frame });
    },
    thrown: () => undefined,
    evaluating: () => undefined,
    evaluated: () => undefined,
  });
  const call = engine.open(code, FILE, { gas: 400_000_000, now: 0, seed: "" });
  isCalled = true;
  const step = call.invoke(
    { op: () => undefined, fetch: () => undefined },
    { url: `${FILE}/a?b=c`, method: "GET", headers: [["x-one", "1"]], body: null },
  );
  isCalled = false;
  call.close();
  return step.kind === "response" ? String(step.response.body) : JSON.stringify(step);
}
