// A server with a test's routes on a free port.
import type { FastifyInstance } from "fastify";
import { silentLog } from "../parts/log.ts";
import { listen } from "./listen.ts";
import { createServer, type ServerOptions } from "./server.ts";

export interface ListeningServer {
  readonly server: FastifyInstance;
  readonly base: URL;
}

/** Starts the server, which the caller must close. */
export async function startServer(
  addRoutes: (server: FastifyInstance) => void,
  options: Partial<ServerOptions> = {},
): Promise<ListeningServer> {
  const server = createServer({
    log: silentLog,
    name: "test",
    access: () => "own-site",
    adminSecret: undefined,
    ...options,
  });
  addRoutes(server);
  const place = { host: "127.0.0.1", port: 0, purpose: "the test", configKey: "x" };
  return { server, base: new URL(await listen(server, place)) };
}
