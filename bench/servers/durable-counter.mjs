// A counter in a Durable Object of miniflare: the closest equivalent of a smart function call without a signature.
// Arguments: port, folder with miniflare.
import { createRequire } from "node:module";
import { join } from "node:path";

const [port, folder] = process.argv.slice(2);
const { Miniflare } = createRequire(join(folder, "package.json"))("miniflare");
const script = `export class Counter {
  constructor(state) { this.state = state; }
  async fetch() {
    const count = ((await this.state.storage.get("count")) ?? 0) + 1;
    await this.state.storage.put("count", count);
    return Response.json({ count });
  }
}
export default { fetch: (request, { COUNTER }) => COUNTER.get(COUNTER.idFromName("one")).fetch("http://counter/") };`;
const worker = new Miniflare({
  modules: true,
  script,
  host: "127.0.0.1",
  port: Number(port),
  durableObjects: { COUNTER: { className: "Counter" } },
  compatibilityDate: "2026-01-01",
  cf: false,
});
await worker.ready;
let isEnding = false;
process.on("SIGTERM", async () => {
  if (isEnding) return;
  isEnding = true;
  await worker.dispose();
  process.exit(0);
});
