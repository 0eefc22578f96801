import { expect, it, vi } from "vitest";
import { silentLog } from "../parts/log.ts";
import { type Part, type PartHealth } from "../parts/part.ts";
import { SandboxError } from "../protocol/errors.ts";
import { type PartName } from "../protocol/part-name.ts";
import { createSupervisor, type PartStatus } from "./supervisor.ts";

interface FakePart extends Part {
  answer: PartHealth;
  readonly calls: string[];
}

function fakePart(name: PartName, needs: readonly PartName[] = [], over: Partial<Part> = {}): FakePart {
  const calls: string[] = [];
  return {
    name,
    needs,
    calls,
    answer: { healthy: true, detail: "" },
    start: async () => void calls.push("start"),
    endpoint: () => `http://${name}`,
    health() {
      return this.answer;
    },
    stop: async () => void calls.push("stop"),
    ...over,
  };
}

function supervise(parts: readonly Part[], silenceMs = 60) {
  const changes: PartStatus[] = [];
  const supervisor = createSupervisor({
    parts,
    log: silentLog,
    now: () => new Date(0),
    onChange: (status) => changes.push(status),
    watchEveryMs: 5,
    silenceMs,
  });
  return { supervisor, changes };
}

async function until(condition: () => boolean): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`never true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

it("starts a part only after the parts it needs are healthy", async () => {
  const order: string[] = [];
  const layer1 = fakePart("layer1_node", [], {
    start: async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      order.push("layer1");
    },
  });
  const runtime = fakePart("runtime_node", ["layer1_node"], {
    start: async () => void order.push("runtime"),
  });
  const { supervisor } = supervise([layer1, runtime]);
  expect(supervisor.status().status).toBe("starting");
  await supervisor.start();
  expect(order).toEqual(["layer1", "runtime"]);
  expect(supervisor.status().status).toBe("healthy");
  await supervisor.stop(100);
});

it("reports the part that failed to start, with its reason, and does not start its dependents", async () => {
  const layer1 = fakePart("layer1_node", [], { start: () => Promise.reject(new Error("no disk")) });
  const runtime = fakePart("runtime_node", ["layer1_node"]);
  const { supervisor } = supervise([layer1, runtime]);
  await expect(supervisor.start()).rejects.toMatchObject({
    code: "PART_FAILED",
    data: { part: "layer1_node" },
  });
  expect(supervisor.status()).toMatchObject({
    status: "degraded",
    parts: [{ state: "failed", detail: "no disk" }, {}],
  });
  expect(runtime.calls).toEqual([]);
  await supervisor.stop(100);
});

it("fails a starting part on silence, and not while it makes progress", async () => {
  const silent = fakePart("layer1_node");
  silent.answer = { healthy: false, detail: "loading" };
  const first = supervise([silent]);
  await expect(first.supervisor.start()).rejects.toMatchObject({ code: "PART_SILENT" });
  await first.supervisor.stop(100);

  let asked = 0;
  const slow = fakePart("layer1_node", [], {
    health: () => ({ healthy: ++asked > 12, detail: `step ${asked}` }),
  });
  const second = supervise([slow]);
  await second.supervisor.start();
  expect(asked).toBeGreaterThan(12);
  await second.supervisor.stop(100);
});

it("treats a jump of the clock neither as silence nor as the stop deadline", async () => {
  let jumps = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => ++jumps * 3_600_000);
  try {
    let asked = 0;
    let leftToStop = 0;
    const part = fakePart("layer1_node", [], {
      health: () => ({ healthy: ++asked > 4, detail: "loading" }),
      stop: async (deadlineMs) => void (leftToStop = deadlineMs),
    });
    const { supervisor } = supervise([part], 5000);
    await supervisor.start();
    await supervisor.stop(1000);
    expect(leftToStop).toBeGreaterThan(0);
  } finally {
    clock.mockRestore();
  }
});

it("notices a part that fails later and one that recovers", async () => {
  const layer1 = fakePart("layer1_node");
  const { supervisor } = supervise([layer1]);
  await supervisor.start();
  layer1.answer = { healthy: false, detail: "the worker is gone" };
  await until(() => supervisor.status().status === "degraded");
  expect(supervisor.status().parts[0]).toMatchObject({ state: "failed", detail: "the worker is gone" });
  layer1.answer = { healthy: true, detail: "" };
  await until(() => supervisor.status().status === "healthy");
  await supervisor.stop(100);
});

it("stops in reverse order, once, and reports its progress", async () => {
  const order: string[] = [];
  const layer1 = fakePart("layer1_node", [], { stop: async () => void order.push("layer1") });
  const runtime = fakePart("runtime_node", ["layer1_node"], { stop: async () => void order.push("runtime") });
  const { supervisor, changes } = supervise([layer1, runtime]);
  await supervisor.start();
  await Promise.all([supervisor.stop(100), supervisor.stop(100)]);
  expect(order).toEqual(["runtime", "layer1"]);
  expect(supervisor.status().status).toBe("stopping");
  expect(changes.at(-1)).toMatchObject({ name: "layer1_node", state: "stopped" });
});

it.each([
  ["its start is broken off", new Error("the port was closed while it was opened")],
  ["it says so with a code", new SandboxError("PART_FAILED", { part: "layer1_node", reason: "closed" })],
])("does not take a part for failed when it is stopped while it starts: %s", async (_, reason) => {
  const layer1 = fakePart("layer1_node", [], {
    start: (signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(reason))),
  });
  const { supervisor, changes } = supervise([layer1, fakePart("runtime_node", ["layer1_node"])], 10_000);
  const started = supervisor.start();
  await supervisor.stop(1000);
  await expect(started).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  expect(changes.map(({ state }) => state)).toEqual(["starting", "stopping", "stopped"]);
});

it("polls a starting part so often that one which is soon healthy is not waited for", async () => {
  let polls = 0;
  const health = () => ({ healthy: ++polls > 15, detail: "" });
  const { supervisor } = supervise([fakePart("layer1_node", [], { health })], 60_000);
  const begun = performance.now();
  await supervisor.start();
  expect(performance.now() - begun).toBeLessThan(1_500); // with waits that double it is 2.3 s
  await supervisor.stop(100);
});
