// Tests of the debugger and of tasks, in an extension host of their own beside the others. The editor calls `run`.
import "./ready-sandbox.ts";
import "./debug.ts";
import "./debug-views.ts";
import "./debug-hold.ts";
import "./tasks.ts";
export { runTests as run } from "./host-test.ts";
