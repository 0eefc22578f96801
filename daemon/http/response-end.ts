// The moment from which a server holds nothing for a response any more.
import type { ServerResponse } from "node:http";

/**
 * Calls `act` once: when the response has been sent or its connection is gone. A response that waits behind another
 * one on the same connection (pipelining) hears nothing of the connection's end, so both are watched.
 */
export function onResponseEnd(response: ServerResponse, act: () => void): void {
  const { socket } = response.req;
  const end = (): void => {
    response.off("close", end);
    socket.off("close", end);
    act();
  };
  response.on("close", end);
  // One listener for each response that is under way: many, when somebody pipelines, but no leak.
  socket.setMaxListeners(0).on("close", end);
  if (socket.destroyed) end();
}
