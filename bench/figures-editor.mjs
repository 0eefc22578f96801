// Figure 17: from the start command in a real editor, with the packed extension, to a tree with balances; and the
// activation of the extension.
import { join } from "node:path";
import { bundleSuite, REPORT_VARIABLE, runInHost } from "../test/editor/in-host.mjs";
import { installVsix, missing, packVsix, startEditor } from "../test/editor/rig.mjs";
import { freePort, quiet, stop, temporaryFolder } from "./machine.mjs";
import { startSandbox } from "./sandbox.mjs";

/** Adds nothing when no editor is set up (tools/editor/setup.sh). */
export async function measureEditor(samples, { rounds }) {
  const reason = missing();
  if (reason !== undefined) {
    process.stderr.write(`  figure 17 skipped: ${reason}\n`);
    return;
  }
  const folder = temporaryFolder("editor");
  const report = join(folder, "report.json");
  const suite = await bundleSuite("measure");
  const editor = await startEditor({
    extensions: await installVsix(await packVsix(join(folder, "functez.vsix"))),
    suites: true,
    settings: {
      "functez.sandbox.serverPort": await freePort(),
      "functez.sandbox.layer1Port": 0,
      "functez.sandbox.runtimePort": 0,
    },
    env: { [REPORT_VARIABLE]: report },
  });
  try {
    for (let round = 0; round < rounds; round++) {
      await quiet();
      // A start of the daemon alone, on the same machine with the same editor idle.
      const { child, startMs } = await startSandbox();
      await stop(child);
      samples.add("functez", "start beside the editor, ms", startMs);
      await quiet();
      const measured = await runInHost(editor, suite, report);
      samples.add("functez", "editor start, ms", measured.startMs[0]);
      if (measured.activateMs !== undefined)
        samples.add("functez", "editor activation, ms", measured.activateMs);
    }
  } finally {
    await editor.dispose();
  }
}
