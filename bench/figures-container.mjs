// Figure 16: `functez sandbox --container start -d` with the image present, compared with a start without a container.
import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { benchHome, freePort, quiet, temporaryFolder } from "./machine.mjs";
import { cache, root } from "./peers.mjs";
import { functez } from "./sandbox.mjs";

const exec = promisify(execFile);

/** Adds nothing when no container engine answers. */
export async function measureContainer(samples, { rounds }) {
  cpSync(join(root, "container"), join(cache, "container"), { recursive: true }); // next to the copied dist
  const config = join(temporaryFolder("container"), "sandbox.json");
  const ports = [await freePort(), await freePort(), await freePort()];
  writeFileSync(
    config,
    JSON.stringify({
      server_port: ports[0],
      layer1_node: { rpc_endpoint: `127.0.0.1:${ports[1]}` },
      runtime_node: { endpoint: `127.0.0.1:${ports[2]}` },
    }),
  );
  const env = { ...process.env, HOME: benchHome, FUNCTEZ_SANDBOX_URL: `http://127.0.0.1:${ports[0]}` };
  const sandbox = (...args) =>
    exec(process.execPath, [functez, "--json", "sandbox", ...args], { env, timeout: 300_000 });
  const modes = { container: ["--container"], process: [] };
  const cycle = async (mode) => {
    const started = performance.now();
    await sandbox(...modes[mode], "start", "-d", "-c", config);
    const ms = performance.now() - started;
    await sandbox(...modes[mode], "stop", "--yes");
    return ms;
  };
  try {
    await cycle("container"); // builds the image if missing
  } catch (error) {
    process.stderr.write(`  figure 16 skipped: ${String(error.stdout || error).slice(0, 300)}\n`);
    return;
  }
  for (let round = 0; round < rounds; round++) {
    for (const mode of Object.keys(modes)) {
      await quiet();
      samples.add("functez", `${mode} start -d, ms`, await cycle(mode));
    }
  }
}
