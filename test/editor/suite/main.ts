// All tests inside the extension host, in order. The editor calls `run`.
import "./sandbox.ts";
import "./requests.ts";
import "./accounts.ts";
import "./debug.ts";
import "./debug-views.ts";
import "./debug-hold.ts";
import "./language-model.ts";
import "./tasks.ts";
import "./life.ts";
import "./container.ts";
export { runTests as run } from "./host-test.ts";
