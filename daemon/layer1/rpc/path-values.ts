// Values in the paths of requests, and the answer to a path that leads to nothing.
import { NotFound } from "./rpc-server.ts";

/** @throws NotFound */
export function throwNotFound(): never {
  throw new NotFound();
}

/** A number, such as a level or an index. @throws NotFound for anything else */
export function naturalOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : throwNotFound();
}
