// Names that a file has besides the one in a project. A hard link there is a file of the project by its path, and says what
// the user's own file says.
import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../daemon/local/config-folder.ts";

/** Homes have some thousand such files; one with more must not hold a deploy. */
const MAX_ENTRIES = 20_000;

/** Folders of packages, versions and compiled code: their files are many, and no keys. */
const WITHOUT_KEYS = new Set(["node_modules", ".git", ".cache", "code-cache"]);

/**
 * The other names of a file in the folder with the accounts, among the hidden files of the home folder, and in its hidden
 * folders and the folders in these (`~/.ssh/id`, `~/.config/jstz/config.json`). Deeper ones are not looked at: package
 * managers keep their stores there, and share their files by hard links.
 */
export function hiddenNamesOf(file: string, env: NodeJS.ProcessEnv): readonly string[] {
  // Almost every file has one name, so that nobody pays for the search.
  const found = identityOf(file);
  return found === undefined || found.names === 1n ? [] : (namesByIdentity(env).get(found.identity) ?? []);
}

/** For the files of one build: a package manager may have linked thousands of them. */
let known:
  | {
      readonly folders: string;
      readonly until: number;
      readonly names: ReadonlyMap<string, readonly string[]>;
    }
  | undefined;
const KNOWN_MS = 2_000;

function namesByIdentity(env: NodeJS.ProcessEnv): ReadonlyMap<string, readonly string[]> {
  const [own, home] = [configFolder(env), homedir()];
  const folders = `${own}\n${home}`;
  if (known?.folders === folders && performance.now() < known.until) return known.names;
  const names = new Map<string, string[]>();
  let left = MAX_ENTRIES;
  // Level by level: keys lie high up, and what lies deep is much.
  const pending: { readonly folder: string; readonly depth: number; readonly isHome?: boolean }[] = [
    { folder: own, depth: 2 },
    { folder: home, depth: 2, isHome: true },
  ];
  for (const { folder, depth, isHome } of pending)
    for (const entry of entriesOf(folder)) {
      if (WITHOUT_KEYS.has(entry.name) || (isHome === true && !entry.name.startsWith("."))) continue;
      if (left-- <= 0) break;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 0) pending.push({ folder: path, depth: depth - 1 });
      // Those with one name too: a link may be made while this is known.
      const found = entry.isFile() ? identityOf(path) : undefined;
      if (found) names.set(found.identity, [...(names.get(found.identity) ?? []), path]);
    }
  known = { folders, until: performance.now() + KNOWN_MS, names };
  return names;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // missing, or closed to us: nobody can make a deploy of ours read it
  }
}

/** Device and inode of a regular file, and how many names it has. */
function identityOf(file: string): { readonly identity: string; readonly names: bigint } | undefined {
  let stats: BigIntStats | undefined;
  try {
    // Numbers would round the inodes of Windows.
    stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // opening it fails as well
  }
  return stats?.isFile() ? { identity: `${stats.dev}:${stats.ino}`, names: stats.nlink } : undefined;
}
