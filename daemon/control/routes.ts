// The routes of sandboxd, each with the schemas that document it. `server.ts` serves them, `openapi.ts` describes them.
import { anyObject, type ControlContext, type ControlRoute } from "./control-route.ts";
import { debugRoutes } from "./debug-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { explorerRoutes } from "./explorer-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { layer1Routes } from "./layer1-routes.ts";
import { snapshotRoutes } from "./snapshot-routes.ts";
import { stateRoutes } from "./state-routes.ts";

export function controlRoutes(context: ControlContext): ControlRoute[] {
  return [
    ...stateRoutes(context),
    ...eventRoutes(context),
    ...layer1Routes(context),
    ...snapshotRoutes(context),
    ...debugRoutes(context),
    ...historyRoutes(() => context.history),
    ...explorerRoutes(context),
    {
      method: "GET",
      url: "/openapi.json",
      summary: "This document.",
      responses: { 200: { description: "OpenAPI 3 document.", schema: anyObject } },
      handle: () => context.openapi(),
    },
  ];
}
