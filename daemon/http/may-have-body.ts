// Which requests may have bodies. Hooks for bodies belong to the routes that take them: each kind of hook costs time in
// every request that it could apply to, and most requests read.
import type { FastifyRequest, RouteOptions } from "fastify";

/** Whether a request has no body: fastify does not parse one with these methods. */
export const isGet = ({ method }: Pick<FastifyRequest, "method">): boolean =>
  method === "GET" || method === "HEAD";

/** Whether requests of a route may have bodies. */
export const mayHaveBodies = ({ method }: Pick<RouteOptions, "method">): boolean =>
  [method].flat().some((name) => !isGet({ method: name }));
