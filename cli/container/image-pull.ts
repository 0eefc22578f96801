// Pulls an image: a separate phase with progress in bytes and layers, cancellation, and no deadline.
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import type { Step } from "../render/terminal.ts";
import type { Engine } from "./engine.ts";
import { type ProgressLine, readProgress } from "./ndjson.ts";
import { registryCredentials } from "./registry-credentials.ts";

export interface PullOptions {
  readonly step: Step;
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws SandboxError IMAGE_UNAVAILABLE, CANCELLED */
export async function pullImage({ docker }: Engine, reference: string, options: PullOptions): Promise<void> {
  const { step, signal, env } = options;
  step.update(`Pulling ${reference}`);
  try {
    const authconfig = await registryCredentials(reference, env);
    const stream = await docker.pull(reference, {
      abortSignal: signal,
      ...(authconfig ? { authconfig } : {}),
    });
    const progress = createPullProgress(reference);
    let shown = "";
    await readProgress(
      stream,
      (line) => {
        const text = progress(line);
        if (text !== shown) step.update((shown = text));
      },
      signal,
    );
  } catch (error) {
    if (signal.aborted)
      throw new SandboxError("CANCELLED", { what: `Pulling ${reference}` }, { cause: error });
    throw new SandboxError(
      "IMAGE_UNAVAILABLE",
      { image: reference, reason: reasonOf(error).trim() },
      { cause: error },
    );
  }
}

const MEGABYTE = 1_000_000;

/** Turns progress lines into one text: finished layers, and megabytes of layers with a known size. */
export function createPullProgress(reference: string): (line: ProgressLine) => string {
  const layers = new Map<string, { current: number; total: number; done: boolean }>();
  return ({ id, status = "", progressDetail }) => {
    // The first line has the tag as its id; layers are recognised by their statuses.
    if (id !== undefined && !status.startsWith("Pulling from")) {
      const layer = layers.get(id) ?? { current: 0, total: 0, done: false };
      if (status === "Downloading") {
        layer.current = progressDetail?.current ?? layer.current;
        layer.total = progressDetail?.total ?? layer.total;
      } else if (/^(Download complete|Pull complete|Already exists)$/.test(status)) {
        layer.current = layer.total;
        layer.done ||= status !== "Download complete";
      }
      layers.set(id, layer);
    }
    if (layers.size === 0) return `Pulling ${reference}`;
    const all = [...layers.values()];
    const megabytes = (key: "current" | "total") =>
      (all.reduce((sum, layer) => sum + layer[key], 0) / MEGABYTE).toFixed(1);
    const done = all.filter((layer) => layer.done).length;
    return `Pulling ${reference}: ${done} of ${all.length} layers, ${megabytes("current")} of ${megabytes("total")} MB`;
  };
}
