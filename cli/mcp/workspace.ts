// The folders from which a model may deploy sources: those of the command line, otherwise the client's roots, otherwise
// the server's working directory.
import { homedir } from "node:os";
import { parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError } from "../../daemon/protocol/errors.ts";

export interface Workspace {
  /** @throws SandboxError WORKSPACE_UNKNOWN */
  folders(): Promise<readonly string[]>;
  /** Drops the cached roots of the client, which have changed. */
  forget(): void;
}

/**
 * @param given folders of the command line
 * @param askClient URIs of the client's roots, or undefined for a client without them
 */
export function createWorkspace(
  given: readonly string[],
  askClient: () => Promise<readonly string[] | undefined>,
): Workspace {
  let asked: Promise<readonly string[] | undefined> | undefined;
  return {
    async folders() {
      if (given.length > 0) return given.map((folder) => resolve(folder));
      asked ??= askClient();
      const uris = await asked;
      const folders = uris?.filter((uri) => uri.startsWith("file:")).map((uri) => fileURLToPath(uri)) ?? [];
      if (folders.length > 0) return folders;
      const here = process.cwd();
      // Desktop programs start servers there: a whole disk or home is no project.
      if (here === parse(here).root || here === homedir()) throw new SandboxError("WORKSPACE_UNKNOWN");
      return [here];
    },
    forget: () => (asked = undefined),
  };
}
