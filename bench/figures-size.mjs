// Figure 4: download and installed size of functez and the peers.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { cache, npmInstall, root, sizesOf } from "./peers.mjs";

const MIB = 1024 * 1024;

export async function measureSizes(samples) {
  for (const name of ["anvil", "hardhat", "ganache", "miniflare", "azurite"]) {
    if (!existsSync(join(cache, name, "node_modules"))) continue;
    const { download, installed } = sizesOf(join(cache, name));
    samples.add(name, "download, MiB", download);
    samples.add(name, "installed, MiB", installed);
  }
  const pack = join(cache, "package");
  rmSync(pack, { recursive: true, force: true });
  npmInstall(join(pack, "user"), []);
  execFileSync("npm", ["pack", "--pack-destination", pack, "--ignore-scripts"], {
    cwd: root,
    stdio: "ignore",
  });
  const archive = join(
    pack,
    readdirSync(pack).find((name) => name.endsWith(".tgz")),
  );
  npmInstall(join(pack, "user"), [archive]);
  const { download, installed } = sizesOf(join(pack, "user"));
  samples.add("functez", "download, MiB", download + statSync(archive).size / MIB);
  samples.add("functez", "installed, MiB", installed);
  const vsix = readdirSync(root).find((name) => name.endsWith(".vsix"));
  if (vsix) samples.add("functez", "VSIX, MiB", statSync(join(root, vsix)).size / MIB);
}
