// The handlers of the script RPCs, without HTTP.
import { RouteTable } from "../rpc/route-table.ts";
import { addScriptDataRoutes } from "../rpc/script-data-routes.ts";
import { addScriptRoutes } from "../rpc/script-routes.ts";
import { type DrivenChain, driveChain } from "./driven-chain.ts";

type Handler = (call: object) => unknown;

/** Posts a body to one of `helpers/scripts/*` of the head and returns the answer. */
export type PostScript = (name: string, body: object) => Promise<unknown>;

export function scriptRoutes(driven: DrivenChain = driveChain()): PostScript {
  const table = new RouteTable<Handler>();
  const rpc = { post: (path: string, handler: Handler) => table.add("POST", path, handler) };
  addScriptRoutes(rpc as never, driven.chain);
  addScriptDataRoutes(rpc as never, driven.chain);
  return async (name, body) => {
    const found = table.find("POST", `/chains/main/blocks/head/helpers/scripts/${name}`);
    if (!found) throw new RangeError(`no RPC ${name}`);
    return found.value({ params: found.params, query: new URLSearchParams(), body });
  };
}
