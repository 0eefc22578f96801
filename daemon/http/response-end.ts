// The moment at which a server is done with a response.
import type { ServerResponse } from "node:http";

/**
 * Calls `act` once: when the response has been sent or its connection is gone. A response queued behind another one on
 * its connection (pipelining) gets no event when the connection closes, so both are watched.
 */
export function onResponseEnd(response: ServerResponse, act: () => void): void {
  const { socket } = response.req;
  const end = (): void => {
    response.off("close", end);
    socket.off("close", end);
    act();
  };
  response.on("close", end);
  // One listener per pending response: many when a client pipelines, but no leak.
  socket.setMaxListeners(0).on("close", end);
  if (socket.destroyed) end();
}

/** Whether a response has been sent or its connection is gone. Costs nothing until it is asked. */
export const isOver = (response: ServerResponse): boolean =>
  response.destroyed || response.req.socket.destroyed;
