// The session of the sandbox that the editor looks at: at most one. Pings keep its lease.
import { SandboxError } from "../protocol/errors.ts";
import type { RemoteSession } from "./adapter-host.ts";

/** Well within the lease of a session. */
const PING_MS = 15_000;

export class CurrentSession {
  #session: RemoteSession | undefined;
  #pings: NodeJS.Timeout | undefined;

  get(): RemoteSession | undefined {
    return this.#session;
  }

  /** @throws SandboxError DEBUG_NOT_PAUSED */
  need(): RemoteSession {
    if (this.#session === undefined) throw new SandboxError("DEBUG_NOT_PAUSED", {});
    return this.#session;
  }

  /** @param onLost called when a ping fails while the session is current */
  use(session: RemoteSession, onLost: (error: unknown) => void): void {
    this.#session = session;
    clearInterval(this.#pings);
    this.#pings = setInterval(() => {
      session.ping().catch((error: unknown) => {
        if (this.#session === session) onLost(error);
      });
    }, PING_MS);
    this.#pings.unref();
  }

  /** Lets go of a session that the sandbox has ended. */
  drop(): void {
    clearInterval(this.#pings);
    this.#session = undefined;
  }

  /** Ends the session in the sandbox too. */
  async close(): Promise<void> {
    const session = this.#session;
    this.drop();
    await session?.close().catch(() => undefined); // an unreachable one ends with its lease
  }
}
