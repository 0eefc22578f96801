// The guard in front of every route of every server: against DNS rebinding (Host) and against web pages that
// try to change the sandbox (Origin, Sec-Fetch-Site).
import type { IncomingHttpHeaders } from "node:http";
import { SandboxError } from "../protocol/errors.ts";

/** Host names that always reach the sandbox. */
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

export interface GuardOptions {
  /** Further host names that requests may be addressed to (lower case, without port). */
  readonly allowedHosts?: readonly string[];
}

/** Checks the Host header. @throws SandboxError FORBIDDEN_HOST */
export function checkHost(headers: IncomingHttpHeaders, options: GuardOptions): void {
  const host = hostName(headers.host);
  if (host !== undefined && (LOOPBACK_NAMES.has(host) || options.allowedHosts?.includes(host))) return;
  throw new SandboxError("FORBIDDEN_HOST", { found: headers.host ?? "(none)" });
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

/** An origin is ours when it is the very address the request was sent to. */
function isOwnOrigin(origin: string, host: string | undefined, options: GuardOptions): boolean {
  if (host === undefined || origin !== `http://${host}`) return false;
  const name = hostName(host);
  return name !== undefined && (LOOPBACK_NAMES.has(name) || (options.allowedHosts?.includes(name) ?? false));
}

/** Lower-case host of a Host header without its port; undefined when the header is missing or malformed. */
function hostName(header: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header ?? "");
  return match?.[1]?.toLowerCase().replace(/\.$/, "");
}
