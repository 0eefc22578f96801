// `functez sandbox snapshot`, `restore`, `snapshots`: states of the whole sandbox, kept by the running sandbox.
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { SNAPSHOT_NAME } from "../../daemon/protocol/snapshot-name.ts";
import type { CliContext } from "../context.ts";
import { interruptible } from "../interruptible.ts";

/** Takes a snapshot with a name or a number. */
export async function takeSnapshot(
  { terminal, signal }: CliContext,
  client: SandboxClient,
  name: string | undefined,
  { force = false }: { readonly force?: boolean },
): Promise<void> {
  if (name !== undefined && !new RegExp(SNAPSHOT_NAME).test(name)) {
    throw new SandboxError("BAD_OPTION", {
      option: "[name]",
      found: name,
      expected: "a letter, then at most 63 letters, digits, hyphens and underscores",
    });
  }
  await terminal.withStep("Taking the snapshot", async (step) => {
    const taking = name === undefined ? client.takeSnapshot() : client.saveSnapshot(name, { replace: force });
    const { id, level } = await interruptible(
      signal,
      {
        what: "Taking the snapshot",
        next: "It may have been taken: `functez sandbox snapshots` lists them.",
      },
      taking,
    );
    step.done();
    terminal.print(`Snapshot ${id} taken at level ${level}.`);
    terminal.note(`Restore it with \`functez sandbox restore ${id}\`; it is kept until the sandbox stops.`);
    terminal.data({ id, level });
  });
}

/** Restores a snapshot; without a name, the latest one. */
export async function restoreSnapshot(
  { terminal, signal }: CliContext,
  client: SandboxClient,
  name: string | undefined,
): Promise<void> {
  const id = name ?? (await client.snapshots()).at(-1)?.id;
  if (id === undefined) throw new SandboxError("SNAPSHOT_NONE");
  await terminal.withStep(`Restoring snapshot ${id}`, async (step) => {
    const { level } = await interruptible(
      signal,
      {
        what: "Restoring the snapshot",
        next: "The snapshot may have been restored, completely or not at all: check a balance.",
      },
      client.restoreSnapshot(id),
    );
    step.done();
    terminal.print(`Restored snapshot ${id} with the block at level ${level}.`);
    terminal.data({ id, level });
  });
}

export async function listSnapshots({ terminal }: CliContext, client: SandboxClient): Promise<void> {
  const snapshots = await client.snapshots();
  if (snapshots.length === 0) terminal.note("No snapshots yet. `functez sandbox snapshot [name]` takes one.");
  else
    terminal.print(
      snapshots.map(({ id, level, takenAt }) => `${id}: level ${level}, taken ${takenAt}`).join("\n"),
    );
  terminal.data({ snapshots });
}
