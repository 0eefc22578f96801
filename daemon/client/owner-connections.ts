// Requests of the owner that follow each other: connections over which the server has proven that it knows the secret are
// used again for some seconds. A call that a debugger holds waits for such requests.
import type { Agent } from "node:http";
import type { OwnerSecret } from "../protocol/admin-secret.ts";
import type { HttpAnswer, HttpRequest } from "./http-json.ts";
import { provenConnection, sendOver } from "./owner-request.ts";

/** Far below the time after which the server closes an idle connection. */
const IDLE_MS = 10_000;
/** A debugger pauses and pings while another request of it is under way. */
const MAX_IDLE = 2;

interface Idle {
  readonly agent: Agent;
  /** The secret that was proven. */
  readonly secret: string;
  readonly timer: NodeJS.Timeout;
}

export class OwnerConnections {
  readonly #base: string;
  readonly #idle: Idle[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  /** As `requestAsOwner`. */
  async request(path: string, secret: OwnerSecret, request: HttpRequest): Promise<HttpAnswer> {
    const agent = this.#take(secret.text) ?? (await provenConnection(this.#base, secret, request));
    try {
      const answer = await sendOver(agent, `${this.#base}${path}`, secret, request);
      setImmediate(() => this.#keep(agent, secret.text)); // by then the connection is free
      return answer;
    } catch (error) {
      agent.destroy();
      throw error;
    }
  }

  /** A proven connection that is still open. */
  #take(secret: string): Agent | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.secret === secret && isOpen(idle.agent)) return idle.agent;
      idle.agent.destroy();
    }
    return undefined;
  }

  #keep(agent: Agent, secret: string): void {
    if (this.#idle.length >= MAX_IDLE || !isOpen(agent)) return agent.destroy();
    const timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      agent.destroy();
    }, IDLE_MS).unref();
    const idle = { agent, secret, timer };
    this.#idle.push(idle);
  }
}

const isOpen = ({ freeSockets }: Agent): boolean =>
  Object.values(freeSockets).some((sockets) => sockets?.some(({ destroyed }) => !destroyed));
