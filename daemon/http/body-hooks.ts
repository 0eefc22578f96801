// Hooks for requests with bodies only. Each kind of hook takes time in every request that it could apply to, and most
// requests read: they have no body, and fastify does not parse one.
import type {
  FastifyInstance,
  FastifyRequest,
  preHandlerHookHandler,
  preParsingHookHandler,
  RouteOptions,
} from "fastify";

export interface BodyHooks {
  readonly preParsing?: preParsingHookHandler;
  readonly preHandler?: preHandlerHookHandler;
}

export const isGet = ({ method }: Pick<FastifyRequest, "method">): boolean =>
  method === "GET" || method === "HEAD";

const hasBodies = ({ method }: RouteOptions): boolean =>
  [method].flat().some((name) => !isGet({ method: name }));

/** Adds hooks to each route that is registered from here on and takes other methods than GET and HEAD. */
export function onBodies(server: FastifyInstance, { preParsing, preHandler }: BodyHooks): void {
  server.addHook("onRoute", (route) => {
    if (!hasBodies(route)) return;
    if (preParsing) route.preParsing = [route.preParsing ?? [], preParsing].flat();
    if (preHandler) route.preHandler = [route.preHandler ?? [], preHandler].flat();
  });
}
