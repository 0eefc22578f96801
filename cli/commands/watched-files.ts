// Watches a set of files in any folders; the set changes from build to build. Folders are watched, because editors
// replace files, and a watch on a file would be lost with the old one.
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface WatchedFiles {
  /**
   * Watches these absolute paths from now on.
   * @param options `besides`: other changes in their folders count as well, such as a missing file that appears
   */
  set(files: Iterable<string>, options?: { readonly besides: boolean }): void;
  close(): void;
}

/** @param onChange called for each change of one of the files, several times per save */
export function watchFiles(onChange: () => void): WatchedFiles {
  const folders = new Map<string, { readonly watcher: FSWatcher; names: ReadonlySet<string> }>();
  let anything = false;

  function watchFolder(folder: string, names: ReadonlySet<string>): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, (_event, changed) => {
        if (changed === null || anything || folders.get(folder)?.names.has(changed)) onChange();
      });
    } catch {
      return; // the folder is gone, or the system has no watches left: other folders are still watched
    }
    watcher.on("error", () => {
      watcher.close(); // the folder was removed
      folders.delete(folder);
    });
    folders.set(folder, { watcher, names });
  }

  return {
    set(files, { besides } = { besides: false }) {
      anything = besides;
      const wanted = new Map<string, Set<string>>();
      for (const file of files) {
        const names = wanted.get(dirname(file)) ?? new Set();
        wanted.set(dirname(file), names.add(basename(file)));
      }
      for (const [folder, { watcher }] of folders) {
        if (wanted.has(folder)) continue;
        watcher.close();
        folders.delete(folder);
      }
      for (const [folder, names] of wanted) {
        const known = folders.get(folder);
        if (known) known.names = names;
        else watchFolder(folder, names);
      }
    },
    close() {
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}
