// Figure 20: the processor time that the extension takes of the extension host with a full sandbox. By itself:
// `node bench/figures-editor-load.mjs [rounds]` after a build and tools/editor/setup.sh.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleSuite, REPORT_VARIABLE, runInHost } from "../test/editor/in-host.mjs";
import { installVsix, missing, packVsix, startEditor } from "../test/editor/rig.mjs";
import { COUNTER } from "./figures-sandbox.mjs";
import { quiet, stop, temporaryFolder } from "./machine.mjs";
import { closedLoop, deal } from "./requests.mjs";
import { connectRuntime, copyDist, loadSigning, startSandbox } from "./sandbox.mjs";

const ACCOUNTS = 100;
const FUNCTIONS = 50;
const OPERATIONS = 2_000;
const AT_ONCE = 32;
/** Characters of a function: a small one with a library in it. */
const CODE_LENGTH = 5_000;
/** The accounts; the functions with code, logs, store and a key; some operations. */
const LEAST_ROWS = ACCOUNTS + 5 * FUNCTIONS + 100;

/** Adds nothing when no editor is set up (tools/editor/setup.sh). */
export async function measureEditorLoad(samples, signing, { rounds }) {
  const reason = missing();
  if (reason !== undefined) {
    process.stderr.write(`  figure 20 skipped: ${reason}\n`);
    return;
  }
  const folder = temporaryFolder("editor-load");
  const extensions = await installVsix(await packVsix(join(folder, "functez.vsix")));
  const suite = await bundleSuite("measure-load");
  for (let round = 0; round < rounds; round++) {
    const measured = await measureOnce({ signing, extensions, suite, report: join(folder, "report.json") });
    const { attach, arrive, expand, rows } = measured;
    if (rows < LEAST_ROWS) throw new Error(`the trees have only ${rows} rows`);
    samples.add("functez", "host's time to show a full sandbox, ms", attach);
    samples.add("functez", "host's time while operations arrive, ms", arrive);
    samples.add("functez", "host's time to open all rows, ms", expand);
    samples.add("functez", "host's time of all, ms", attach + arrive + expand);
  }
}

async function measureOnce({ signing, extensions, suite, report }) {
  const sandbox = await startSandbox();
  const runtime = connectRuntime(sandbox.runtime, signing);
  const keys = Array.from({ length: ACCOUNTS }, () => signing.newKey());
  const code = `${COUNTER}\n//${"-".repeat(CODE_LENGTH)}`;
  const functions = [];
  for (let i = 0; i < FUNCTIONS; i++) functions.push(await runtime.deploy(keys[i], `${code}${i}`));

  /** Sends operations of all accounts to all functions. @returns the hash of the last one */
  async function send() {
    const call = (account) =>
      runtime.sign(keys[account], signing.callContent(functions[account % FUNCTIONS]));
    const ofAccounts = deal(OPERATIONS - 1, ACCOUNTS, call);
    // The operations of an account stay in the order of their nonces.
    const lanes = Array.from({ length: AT_ONCE }, (_, lane) =>
      ofAccounts.filter((_operations, account) => account % AT_ONCE === lane).flat(),
    );
    const last = call(0);
    await closedLoop(lanes, runtime.complete);
    await runtime.complete(last);
    return last.hash;
  }

  const sender = createServer((_request, response) => {
    send().then(
      (last) => response.end(last),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise((resolve) => sender.listen(0, "127.0.0.1", resolve));
  const editor = await startEditor({
    extensions,
    suites: true,
    settings: { "functez.sandbox.serverPort": sandbox.control },
    env: {
      [REPORT_VARIABLE]: report,
      FUNCTEZ_TEST_SENDER: `http://127.0.0.1:${sender.address().port}`,
    },
  });
  try {
    writeConfiguration(join(editor.configHome, "functez"), keys, functions);
    await send();
    await quiet();
    return await runInHost(editor, suite, report);
  } finally {
    await editor.dispose();
    sender.close();
    runtime.close();
    await stop(sandbox.child);
  }
}

/** The command line's configuration with the accounts and aliases of the functions. */
function writeConfiguration(folder, keys, functions) {
  const users = keys.map(({ text, publicKey }, i) => [
    `account${i}`,
    { User: { address: publicKey.address, secret_key: text, public_key: publicKey.text } },
  ]);
  const deployed = functions.map((address, i) => [`function${i}`, { SmartFunction: { address } }]);
  const accounts = Object.fromEntries([...users, ...deployed]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify({ current_alias: "account0", accounts }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  copyDist();
  const print = (_who, what, value) => process.stdout.write(`${what} ${value.toFixed(0)}\n`);
  await measureEditorLoad({ add: print }, await loadSigning(), { rounds: Number(process.argv[2] ?? 1) });
  process.exit();
}
