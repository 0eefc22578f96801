// The in-host suite on desktop VS Code: `npm run test:electron`. Needs a display and either the network (to download
// an editor) or VSCODE_PATH with an installed one; on Linux without a display run it under `xvfb-run -a`.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { ROOT } from "./rig.mjs";

const root = mkdtempSync(join(tmpdir(), "functez-electron-"));
const workspace = join(root, "workspace");
cpSync(join(ROOT, "examples/counter"), join(workspace, "counter"), { recursive: true });
mkdirSync(join(root, "config"), { recursive: true });
const suite = join(root, "suite.cjs");
await build({
  entryPoints: [join(ROOT, "test/editor/suite/main.ts")],
  outfile: suite,
  bundle: true,
  platform: "node",
  format: "cjs",
  mainFields: ["module", "main"],
  external: ["vscode"],
});
const report = join(root, "report.json");
writeFileSync(report, "");
const code = await runTests({
  ...(process.env.VSCODE_PATH ? { vscodeExecutablePath: process.env.VSCODE_PATH } : {}),
  extensionDevelopmentPath: ROOT,
  extensionTestsPath: suite,
  launchArgs: [workspace, "--disable-extensions", "--disable-workspace-trust"],
  extensionTestsEnv: { FUNCTEZ_TEST_REPORT: report, XDG_CONFIG_HOME: join(root, "config") },
}).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  return 1;
});
const { outcomes = [] } = JSON.parse(readFileSync(report, "utf8") || "{}");
for (const { title, passed, message } of outcomes) {
  process.stdout.write(`${passed ? "  ✓" : "  ✗"} ${title}\n${message ? `${message}\n` : ""}`);
}
const failed = outcomes.filter(({ passed }) => !passed).length;
process.stdout.write(`${outcomes.length - failed} passed, ${failed || (code === 0 ? 0 : 1)} failed\n`);
process.exit(code);
