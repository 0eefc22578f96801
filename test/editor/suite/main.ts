// The tests inside the extension host, in order, but those of `debugging.ts`. The editor calls `run`.
import "./sandbox.ts";
import "./requests.ts";
import "./accounts.ts";
import "./language-model.ts";
import "./life.ts";
import "./container.ts";
export { runTests as run } from "./host-test.ts";
