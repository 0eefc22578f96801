// Finds the parts of a sandbox for clients. The sandbox announces them under its operator's public name, which may only
// resolve inside a cluster or a Compose network: through a forwarded port the parts are on sandboxd's host.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** A name server that does not answer counts as one that does not know the name. */
const LOOKUP_MS = 2000;

/**
 * The announced endpoint if its name resolves here, otherwise its port on the host that was asked.
 * @param resolve like `lookup` of node:dns
 */
export async function reachableEndpoint(
  announced: string,
  asked: string,
  resolve: (name: string) => Promise<unknown> = lookup,
): Promise<string> {
  const [there, here] = [new URL(announced), new URL(asked)];
  const host = there.hostname;
  if (host === here.hostname || host === "localhost" || isIP(host.replace(/^\[|\]$/g, "")) !== 0)
    return announced;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<boolean>((done) => (timer = setTimeout(done, LOOKUP_MS, false)));
  const known = resolve(host).then(
    () => true,
    () => false,
  );
  const isKnown = await Promise.race([known, tooLong]).finally(() => clearTimeout(timer));
  return isKnown ? announced : `http://${here.hostname}:${there.port || "80"}`;
}
