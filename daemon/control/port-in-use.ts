// What an error says of a port that is in use.
import { nextFreePort, portHolder } from "../local/port-holder.ts";
import { isError, SandboxError } from "../protocol/errors.ts";

/** Adds the holder of the port and a free port to a PORT_IN_USE error; other errors stay unchanged. */
export async function namePortHolder(error: unknown): Promise<unknown> {
  if (!isError(error, "PORT_IN_USE")) return error;
  const { host, port } = error.data;
  const [holder, free] = await Promise.all([portHolder(port), nextFreePort(host, port)]);
  return new SandboxError("PORT_IN_USE", { ...error.data, holder, free }, { cause: error.cause });
}
