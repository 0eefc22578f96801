// Binding of servers to addresses: exact bind (no connect test), located errors, close with a deadline.
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { SandboxError } from "../protocol/errors.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** What the port is for, and the configuration key that changes it: for the error message. */
  readonly purpose: string;
  readonly configKey: string;
}

/**
 * Starts listening and returns the base URL, `http://host:port` with the real port.
 * @throws SandboxError PORT_IN_USE, also where the system reserves the port (EACCES)
 */
export async function listen(server: FastifyInstance, options: ListenOptions): Promise<string> {
  const { host, port } = options;
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE" || code === "EACCES") {
      throw new SandboxError(
        "PORT_IN_USE",
        { host, port, for: options.purpose, key: options.configKey },
        { cause: error },
      );
    }
    throw error;
  }
  return baseUrl(host, (server.server.address() as AddressInfo).port);
}

/** URL by which a program on the same machine reaches a server bound to the host. */
export function baseUrl(host: string, port: number): string {
  // The unspecified addresses are good for binding, never for connecting.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Closes a server: no new connections, open ones get until the deadline, then are cut. */
export async function closeServer(server: FastifyInstance, deadlineMs: number): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), deadlineMs);
  try {
    await server.close();
  } finally {
    clearTimeout(cut);
  }
}
