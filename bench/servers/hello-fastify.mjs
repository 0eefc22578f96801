// The reference for start times: the smallest useful fastify server, not bundled. Arguments: port, folder with fastify.
import { createRequire } from "node:module";
import { join } from "node:path";

const [port, folder] = process.argv.slice(2);
const fastify = createRequire(join(folder, "package.json"))("fastify");
const server = fastify({ logger: false });
server.get("/", async () => ({ hello: "world" }));
process.on("SIGTERM", () => {
  server.server.closeAllConnections();
  void server.close();
});
await server.listen({ port: Number(port), host: "127.0.0.1" });
