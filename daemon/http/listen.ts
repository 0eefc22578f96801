// Binds servers to addresses: exact bind (no connect test), errors that name their place, close with a deadline.
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import { endpointUrl, listenAddress, reachableHost } from "../protocol/endpoint.ts";
import { SandboxError } from "../protocol/errors.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 picks any free port. */
  readonly port: number;
  /** What the port is for, and the configuration key that sets it, for the error message. */
  readonly purpose: string;
  readonly configKey: string;
  /** Asked while another program has the port: whether to try again now. */
  readonly isFreed?: () => Promise<boolean>;
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
  for (;;) {
    try {
      await server.listen({ host: address, port, backlog: BACKLOG });
      break;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
      if (code === "EADDRINUSE" && (await options.isFreed?.())) continue;
      const { purpose, configKey } = options;
      throw new SandboxError("PORT_IN_USE", { host, port, for: purpose, key: configKey }, { cause: error });
    }
  }
  const real = (server.server.address() as AddressInfo).port;
  if (beside && besideHost !== undefined) await beside(besideHost, real);
  return endpointUrl({ host: reachableHost(host), port: real });
}

/** Connections that the system queues until they are accepted, up to its own limit. Beyond it clients retry after a second. */
const BACKLOG = 4_096;

/** The other address that `localhost` may resolve to: on many machines ::1 comes first, on some it is the only one. */
const OTHER_LOOPBACK: Readonly<Record<string, string>> = { "127.0.0.1": "::1", "::1": "127.0.0.1" };

/**
 * Prepares to accept connections at a second address too. A machine without that address, or another program there, is
 * no failure: the configured address is the one that counts and the one our own clients use.
 */
function listenerBeside(server: FastifyInstance): (host: string, port: number) => Promise<void> {
  const beside = createServer((socket) => server.server.emit("connection", socket));
  server.addHook("preClose", (done) => {
    beside.close();
    done();
  });
  return (host, port) =>
    new Promise((resolve) => {
      // Later errors, such as no file descriptor left for a connection, must not crash the process either.
      beside.on("error", () => resolve());
      beside.listen({ host, port, exclusive: true, backlog: BACKLOG }, () => resolve());
    });
}

/** Closes a server: no new connections; open ones are cut at the deadline. */
export async function closeServer(server: FastifyInstance, deadlineMs: number): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), deadlineMs);
  try {
    await server.close();
  } finally {
    clearTimeout(cut);
  }
}
