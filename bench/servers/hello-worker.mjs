// workerd saying hello, through miniflare: one isolate that keeps its state. Arguments: port, folder with miniflare.
import { createRequire } from "node:module";
import { join } from "node:path";

const [port, folder] = process.argv.slice(2);
const { Miniflare } = createRequire(join(folder, "package.json"))("miniflare");
const worker = new Miniflare({
  modules: true,
  script: 'export default { fetch() { return new Response("hello"); } };',
  host: "127.0.0.1",
  port: Number(port),
  compatibilityDate: "2026-01-01",
  cf: false,
});
await worker.ready;
process.once("SIGTERM", async () => {
  await worker.dispose();
  process.exit(0);
});
