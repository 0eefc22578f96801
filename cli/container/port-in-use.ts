// Who holds a port that a container cannot be published on, and which port is free instead: another container, which
// the engine knows, or a program of this machine, where the engine is on it.
import { canBind, nextFreePort, portHolder } from "../../daemon/local/port-holder.ts";
import { isError, SandboxError } from "../../daemon/protocol/errors.ts";
import type { Engine } from "./engine.ts";

/** Completes a PORT_IN_USE error as far as holder and free port can be known; others stay as they are. */
export async function withHolder(error: unknown, engine: Engine): Promise<unknown> {
  if (!isError(error, "PORT_IN_USE")) return error;
  const { host, port } = error.data;
  const container = await containerOf(engine, port);
  // Where the port is free, the engine is elsewhere: neither its programs nor its free ports are to be seen.
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

/** The container that publishes a port, in words. */
async function containerOf({ docker }: Engine, port: number): Promise<string | undefined> {
  try {
    const all = await docker.listContainers();
    const found = all.find(({ Ports }) => (Ports ?? []).some(({ PublicPort }) => PublicPort === port));
    if (!found) return undefined;
    const name = found.Names[0]?.replace(/^\//, "") ?? found.Id.slice(0, 12);
    return `the container ${name} (${found.Image})`;
  } catch {
    return undefined; // a nicety of a message must never become an error of its own
  }
}
