// Installs the clients of other people that only test/clients/apart needs, when they are missing or out of date. They
// are 7,000 files: whoever only builds and runs the sandbox does not wait for them.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = resolve(import.meta.dirname, "../test/clients/apart");

export function installClients() {
  const installed = join(FOLDER, "node_modules/.package-lock.json");
  if (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(FOLDER, "package-lock.json")).mtimeMs
  )
    return;
  process.stdout.write("Installing the clients of test/clients/apart\n");
  const { status } = spawnSync("npm", ["ci", "--silent"], {
    cwd: FOLDER,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error("`npm ci --prefix test/clients/apart` failed.");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) installClients();
