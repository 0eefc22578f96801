// Snapshots over both parts: whatever fails, the two halves of one belong together.
import { createServer, type Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { MAX_PART_SNAPSHOTS, MAX_SNAPSHOTS, createSnapshotShelf } from "../parts/snapshot-shelf.ts";
import { SandboxError } from "../protocol/errors.ts";
import { createSnapshots } from "./snapshots.ts";

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A part whose state is a number. */
async function startPart(snapshotOf: (take: () => void) => object) {
  const shelf = createSnapshotShelf<number>({ maxSnapshots: MAX_PART_SNAPSHOTS });
  const part = { state: 0, endpoint: "", fails: false };
  const answer = (action: string, { id }: { id?: string }): object => {
    if (action === "snapshot") {
      if (part.fails) throw new SandboxError("SANDBOX_BUSY", { reason: "a test" });
      return snapshotOf(() => shelf.put(id!, part.state, 1));
    }
    if (action === "hold" && id !== undefined) shelf.use(id);
    if (action === "restore") part.state = shelf.use(id!);
    return { level: 1 };
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      try {
        response.end(JSON.stringify(answer(request.url!.replace("/admin/", ""), JSON.parse(text))));
      } catch (error) {
        const { status } = error as SandboxError;
        response.writeHead(status).end(JSON.stringify((error as SandboxError).toBody()));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  part.endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return part;
}

async function sandbox() {
  const arriving = { deposits: 0 };
  const layer1 = await startPart((take) => (take(), { level: 1 }));
  const runtime = await startPart((take) => {
    if (arriving.deposits-- > 0) return { taken: false };
    take();
    return { taken: true };
  });
  const partOf = (of: typeof layer1) => ({ endpoint: () => of.endpoint, secret: undefined });
  const snapshots = createSnapshots({ layer1: partOf(layer1), runtime: partOf(runtime) });
  const change = (state: number) => (layer1.state = runtime.state = state);
  return { layer1, runtime, arriving, snapshots, change };
}

it.each<[string, (made: Awaited<ReturnType<typeof sandbox>>) => void]>([
  ["deposits keep arriving", ({ arriving }) => (arriving.deposits = 1_000)],
  ["the runtime fails", ({ runtime }) => (runtime.fails = true)],
])("a snapshot that cannot be replaced, as %s, stays whole", async (_why, disturb) => {
  const made = await sandbox();
  const { layer1, runtime, snapshots, change } = made;
  change(1);
  await snapshots.take("a");
  change(2);
  disturb(made);
  await expect(snapshots.take("a", { replace: true })).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
  await snapshots.restore("a");
  expect([layer1.state, runtime.state]).toEqual([1, 1]);
});

it("a snapshot is taken although some deposits arrive, and may be replaced", async () => {
  const { layer1, runtime, arriving, snapshots, change } = await sandbox();
  for (const state of [1, 2, 3]) {
    change(state);
    arriving.deposits = 3;
    await snapshots.take("a", { replace: true });
  }
  change(4);
  await snapshots.restore("a");
  expect([layer1.state, runtime.state]).toEqual([3, 3]);
  expect(snapshots.list().snapshots.map(({ id }) => id)).toEqual(["a"]);
});

it("failed and replaced snapshots take the place of no other", async () => {
  const { layer1, runtime, arriving, snapshots, change } = await sandbox();
  for (let i = 1; i <= MAX_SNAPSHOTS; i++) {
    change(i);
    await snapshots.take(`s${i}`);
  }
  for (let i = 0; i < 5; i++) {
    arriving.deposits = 10;
    await expect(snapshots.take("no")).rejects.toMatchObject({ code: "SANDBOX_BUSY" });
    await snapshots.take(`s${MAX_SNAPSHOTS}`, { replace: true });
  }
  for (let i = 1; i <= MAX_SNAPSHOTS; i++) {
    await snapshots.restore(`s${i}`);
    expect([layer1.state, runtime.state]).toEqual([i, i]);
  }
  await expect(snapshots.restore("no")).rejects.toMatchObject({
    code: "SNAPSHOT_UNKNOWN",
    data: { found: "no" },
  });
});
