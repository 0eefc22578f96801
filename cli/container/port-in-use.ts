// Finds the holder of a port that a container cannot be published on, and a free port: the holder is another container,
// known to the engine, or a program on this machine, if the engine runs here.
import { canBind, nextFreePort, portHolder } from "../../daemon/local/port-holder.ts";
import { isError, SandboxError } from "../../daemon/protocol/errors.ts";
import type { Engine } from "./engine.ts";

/** Adds holder and free port to a PORT_IN_USE error as far as possible; other errors stay unchanged. */
export async function namePublishedPortHolder(error: unknown, engine: Engine): Promise<unknown> {
  if (!isError(error, "PORT_IN_USE")) return error;
  const { host, port } = error.data;
  const container = await containerOf(engine, port);
  // If the port is free here, the engine is elsewhere: its programs and free ports cannot be seen.
  const isHere = engine.remoteHost === undefined && !(await canBind(host, port));
  const [program, free] = isHere
    ? await Promise.all([portHolder(port), nextFreePort(host, port)])
    : [undefined, undefined];
  const holder = container ?? program;
  return new SandboxError(
    "PORT_IN_USE",
    { ...error.data, ...(holder && { holder }), ...(free && { free }) },
    { cause: error.cause },
  );
}

/** Describes the container that publishes a port. */
async function containerOf({ docker }: Engine, port: number): Promise<string | undefined> {
  try {
    const all = await docker.listContainers();
    const found = all.find(({ Ports }) => (Ports ?? []).some(({ PublicPort }) => PublicPort === port));
    if (!found) return undefined;
    const name = found.Names[0]?.replace(/^\//, "") ?? found.Id.slice(0, 12);
    return `the container ${name} (${found.Image})`;
  } catch {
    return undefined; // an optional detail of a message must never cause an error
  }
}
