// The guard in front of every route of every server: against DNS rebinding (Host), against web pages that try to
// change the sandbox (Origin, Sec-Fetch-Site), and against everybody but the owner on the admin routes.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { SandboxError } from "../protocol/errors.ts";

/** Host names that always reach the sandbox: all of 127.0.0.0/8 is this machine. */
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export interface GuardOptions {
  /** Further host names that requests may be addressed to (lower case, without port). */
  readonly allowedHosts?: readonly string[];
}

/**
 * Who may use a route. `public`: everyone, including web pages of other origins and smart functions. `local`: all but
 * smart functions; web pages may send requests but cannot read the answers. `own-site`: every program that reaches the
 * server, but no web page of another origin. `owner`: as `own-site`, and only with the owner's secret.
 */
export type Access = "public" | "local" | "own-site" | "owner";

/**
 * Header of every request that a smart function makes. A function cannot omit or change it, so neither an odd spelling
 * of a path or host nor a redirect takes one to a route closed to functions.
 */
export const FUNCTION_MARK = "x-functez-function";

/** The parts of a request that the guard reads. */
export type GuardedRequest = Pick<IncomingMessage, "headers" | "rawHeaders">;

/** Checks a request against the rules of its route. @throws SandboxError FORBIDDEN_HOST, FORBIDDEN_FUNCTION, FORBIDDEN_ORIGIN, OWNER_ONLY */
export function guard(
  request: GuardedRequest,
  access: Access,
  options: GuardOptions & { readonly adminSecret: string | undefined },
): void {
  checkHost(request, options);
  if (access === "public") return;
  if (request.headers[FUNCTION_MARK] !== undefined) throw new SandboxError("FORBIDDEN_FUNCTION");
  if (access === "local") return;
  checkOrigin(request.headers, options);
  if (access === "owner") checkOwner(request.headers, options.adminSecret);
}

/** The last Host header that each server has served: most requests carry the same one. */
const lastServed = new WeakMap<GuardOptions, string>();

/** Checks the Host header; an honest client never sends two. @throws SandboxError FORBIDDEN_HOST */
export function checkHost({ headers, rawHeaders }: GuardedRequest, options: GuardOptions): void {
  if (hostCount(rawHeaders) > 1) throw new SandboxError("FORBIDDEN_HOST", { found: "(several)" });
  const { host } = headers;
  if (host !== undefined && host === lastServed.get(options)) return;
  if (!isServed(hostName(host), options))
    throw new SandboxError("FORBIDDEN_HOST", { found: host ?? "(none)" });
  if (host !== undefined) lastServed.set(options, host);
}

/** Node keeps the first of several Host headers; a proxy's backend might use the last. */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") count++;
  }
  return count;
}

/**
 * Refuses requests without the owner's secret.
 * @param secret undefined refuses everybody
 * @throws SandboxError OWNER_ONLY
 */
export function checkOwner(headers: IncomingHttpHeaders, secret: string | undefined): void {
  if (isOwner(headers, secret)) return;
  throw new SandboxError("OWNER_ONLY", { found: secretIn(headers) === undefined ? "none" : "another one" });
}

/** Whether a request carries the owner's secret. */
export function isOwner(headers: IncomingHttpHeaders, secret: string | undefined): boolean {
  const shown = secretIn(headers);
  return shown !== undefined && secret !== undefined && isSame(shown, secret);
}

const secretIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  authorization && /^bearer +(\S+)$/i.exec(authorization)?.[1];

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Refuses requests that a web page of another origin sends. @throws SandboxError FORBIDDEN_ORIGIN */
export function checkOrigin(headers: IncomingHttpHeaders, options: GuardOptions): void {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && !isOwnOrigin(origin, headers.host, options)) {
    throw new SandboxError("FORBIDDEN_ORIGIN", { found: origin });
  }
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw new SandboxError("FORBIDDEN_ORIGIN", { found: `another site (${String(site)})` });
  }
}

/**
 * An origin is ours when it equals the address the request was sent to, or is an `https` one of an allowed host: what
 * forwards a port ends TLS, and may put its own `Host`.
 */
function isOwnOrigin(origin: string, host: string | undefined, options: GuardOptions): boolean {
  if (host !== undefined && origin === `http://${host}`) return isServed(hostName(host), options);
  const forwarded = /^https:\/\/([^/]+)$/.exec(origin)?.[1];
  return forwarded !== undefined && isAllowed(hostName(forwarded), options);
}

const isAllowed = (name: string | undefined, { allowedHosts }: GuardOptions): boolean =>
  name !== undefined && (allowedHosts?.includes(name) ?? false);

const isServed = (name: string | undefined, options: GuardOptions): boolean =>
  name !== undefined && (LOOPBACK_NAME.test(name) || isAllowed(name, options));

/** Whether a request comes under loopback names only: its `Host`, and the `Origin` of the page that sent it. */
export function isFromHere({ host, origin }: IncomingHttpHeaders): boolean {
  const names = [host, origin?.replace(/^https?:\/\//, "")];
  return names.every((name) => name === undefined || LOOPBACK_NAME.test(hostName(name) ?? ""));
}

const MAX_PORT = 65_535;

/** Lower-case host of a Host header without its port; undefined when the header is missing or malformed. */
function hostName(header: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(header ?? "");
  if (Number(match?.[2] ?? 0) > MAX_PORT) return undefined;
  return match?.[1]?.toLowerCase().replace(/\.$/, "");
}
