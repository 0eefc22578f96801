// Where people keep keys. A project from elsewhere may import such a file, and whoever deploys it would publish what it says.
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { configFolder } from "../../daemon/local/config-folder.ts";
import { isInside } from "../../daemon/local/inside-folder.ts";
import { realPath } from "./real-path.ts";
import { hiddenNamesOf } from "./secret-names.ts";

/** Where Yarn says which package lies where: the bundler looks for them in every folder above. */
const PACKAGE_TABLES = new Set([".pnp.cjs", ".pnp.js", ".pnp.data.json"]);

/** Folders of the system whose files tell of processes and services: `/proc/self/environ` has the variables of ours. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/run/secrets"];

/**
 * Whether a file lies in the folder with the user's accounts or in one of the system, is hidden, or lies in a hidden folder
 * (`~/.netrc`, `~/.ssh`).
 * Hidden files of the project are its own, unless the project is the home folder. Packages may lie in hidden folders:
 * package managers keep their stores there.
 * @param file real path, without links
 * @param project folder of the project
 */
export function isSecretPlace(file: string, project: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const own = configFolder(env);
  const closed = [own, realPath(own) ?? own, ...SYSTEM_FOLDERS];
  if (closed.some((folder) => isInside(file, folder))) return true;
  const names = relative(project, file).split(sep);
  const isOwn = isInside(file, project) && !isHome(project);
  if (isOwn || names.includes("node_modules")) return false;
  // What both paths have in common says nothing: the project itself may lie in a hidden folder.
  return names.some((name) => name.startsWith(".") && name !== ".." && !PACKAGE_TABLES.has(name));
}

/** Whether a file is a hard link to one of such a place. */
export function isSameAsSecret(file: string, project: string, env: NodeJS.ProcessEnv = process.env): boolean {
  return hiddenNamesOf(file, env).some((name) => isSecretPlace(realPath(name) ?? name, project, env));
}

/**
 * Whether a file of a project is a link to such a place, symbolic or hard. A file there that a person names is what that
 * person means.
 * @returns false when there is no such file, too
 */
export function leadsToSecret(file: string, env?: NodeJS.ProcessEnv): boolean {
  try {
    const place = join(realpathSync.native(dirname(resolve(file))), basename(file));
    const real = realpathSync.native(place);
    const project = projectFolder(place);
    if (real !== place && isSecretPlace(real, project, env)) return true;
    return !isSecretPlace(place, project, env) && isSameAsSecret(real, project, env);
  } catch {
    return false;
  }
}

/** What an error says of such a file. */
export const SECRET_LINK = "it is a link to a place where secrets are kept, and its content would be public";

/** The repository that a file belongs to, else the package, else its folder. */
export function projectFolder(file: string): string {
  const own = dirname(file);
  return nearestWith(own, ".git") ?? nearestWith(own, "package.json") ?? own;
}

function nearestWith(folder: string, name: string): string | undefined {
  if (isHome(folder)) return undefined; // some keep a repository of their settings there
  if (existsSync(join(folder, name))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : nearestWith(above, name);
}

/** Paths of projects are real ones, and the home folder may be a link. */
const isHome = (folder: string): boolean => folder === homedir() || folder === realPath(homedir());
