// The explorer's bundle, loaded when somebody opens the page.
import { join } from "node:path";
import type { Explorer } from "./control/explorer-routes.ts";
import type { ExplorerOptions } from "./explorer/explorer-server.ts";
import type * as ExplorerServer from "./explorer/explorer-server.ts";
import { lazyBundle } from "./parts/lazy-bundle.ts";
import { ownError } from "./protocol/errors.ts";

/** @param directory of the bundle `explorer-server.cjs` and the page's files */
export function explorerOf(directory: string, options: Omit<ExplorerOptions, "folder">): () => Explorer {
  let loaded: Explorer | undefined;
  return () => (loaded ??= load(directory, options));
}

function load(directory: string, options: Omit<ExplorerOptions, "folder">): Explorer {
  const explorer = lazyBundle<typeof ExplorerServer>(directory, "explorer-server.cjs")().openExplorer({
    ...options,
    folder: join(directory, "explorer"),
  });
  return {
    ...explorer,
    logsOf(address) {
      try {
        return explorer.logsOf(address);
      } catch (error) {
        return rethrow(error);
      }
    },
    read: (part, path, signal) => explorer.read(part, path, signal).catch(rethrow),
    run: async (request, checkOwner) => {
      try {
        return await explorer.run(request, checkOwner);
      } catch (error) {
        return rethrow(error);
      }
    },
  };
}

function rethrow(error: unknown): never {
  throw ownError(error);
}
