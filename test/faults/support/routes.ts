// All routes of the three servers, from their own documents; those of layer 1, which has none, from its code.
import { addAdminRoutes } from "../../../daemon/layer1/rpc/admin-routes.ts";
import { addBigMapRoutes } from "../../../daemon/layer1/rpc/big-map-routes.ts";
import { addBlockRoutes } from "../../../daemon/layer1/rpc/block-routes.ts";
import { addConsensusRoutes } from "../../../daemon/layer1/rpc/consensus-routes.ts";
import { addContextRoutes } from "../../../daemon/layer1/rpc/context-routes.ts";
import { addMonitorRoutes } from "../../../daemon/layer1/rpc/monitor-routes.ts";
import { addOperationRoutes } from "../../../daemon/layer1/rpc/operation-routes.ts";
import { addRollupRoutes } from "../../../daemon/layer1/rpc/rollup-routes.ts";
import type { Rpc } from "../../../daemon/layer1/rpc/rpc-server.ts";
import { addScriptDataRoutes } from "../../../daemon/layer1/rpc/script-data-routes.ts";
import { addScriptRoutes } from "../../../daemon/layer1/rpc/script-routes.ts";
import { ROLLUP_ADDRESS } from "../../../daemon/protocol/constants.ts";
import type { Route } from "./hostile-input.ts";

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Routes of sandboxd or of the runtime. */
export async function documentedRoutes(base: string): Promise<Route[]> {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, ":$1"),
    })),
  );
}

/** Routes of layer 1. */
export function layer1Routes(): Route[] {
  const routes: Route[] = [];
  const rpc: Rpc = {
    get: (path) => void routes.push({ method: "GET", path }),
    post: (path) => void routes.push({ method: "POST", path }),
    stream: (path) => void routes.push({ method: "GET", path }),
  };
  // Stands in for the chain: routes are registered here, never called.
  const anything: never = new Proxy(() => undefined, {
    get: () => anything as unknown,
    apply: () => anything as unknown,
  }) as never;
  addAdminRoutes(rpc, anything);
  addBigMapRoutes(rpc, anything);
  addBlockRoutes(rpc, anything, anything);
  addConsensusRoutes(rpc, anything);
  addContextRoutes(rpc, anything, {});
  addMonitorRoutes(rpc, anything);
  addOperationRoutes(rpc, anything, anything);
  addRollupRoutes(rpc, anything, { rollup: ROLLUP_ADDRESS, outbox: anything, operator: anything });
  addScriptRoutes(rpc, anything);
  addScriptDataRoutes(rpc, anything);
  return routes;
}
