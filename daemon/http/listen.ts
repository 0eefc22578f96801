// Binding of servers to addresses: exact bind (no connect test), located errors, close with a deadline.
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import { listenAddress } from "../protocol/endpoint.ts";
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
  const address = listenAddress(host) ?? host;
  const besideHost = OTHER_LOOPBACK[address];
  const beside = besideHost === undefined ? undefined : listenerBeside(server);
  try {
    await server.listen({ host: address, port, backlog: BACKLOG });
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
  const real = (server.server.address() as AddressInfo).port;
  if (beside && besideHost !== undefined) await beside(besideHost, real);
  return baseUrl(host, real);
}

/**
 * Connections that the system keeps until they are taken, as far as it allows. When there are more, their clients try
 * again after a second.
 */
const BACKLOG = 4_096;

/** Where `localhost` may lead to as well: on many machines it is ::1 first, on some ::1 only. */
const OTHER_LOOPBACK: Readonly<Record<string, string>> = { "127.0.0.1": "::1", "::1": "127.0.0.1" };

/**
 * Prepares to take connections at a second address too. A machine without that address, or another program
 * there, is no failure: the configured address is the one that counts and that our own clients use.
 */
function listenerBeside(server: FastifyInstance): (host: string, port: number) => Promise<void> {
  const beside = createServer((socket) => server.server.emit("connection", socket));
  server.addHook("preClose", (done) => {
    beside.close();
    done();
  });
  return (host, port) =>
    new Promise((resolve) => {
      // Also later ones, such as no file descriptor left for a connection, end nothing.
      beside.on("error", () => resolve());
      beside.listen({ host, port, exclusive: true, backlog: BACKLOG }, () => resolve());
    });
}

/** URL by which a program on the same machine reaches a server bound to the host. */
function baseUrl(host: string, port: number): string {
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
