// Server addresses as users write them: `localhost:3000`, `127.0.0.1:3000`, `[::1]:3000`, `http://…`.

import { isIP } from "node:net";
import { LOOPBACK } from "./constants.ts";

export interface Endpoint {
  /** Host name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Host and port in a text; undefined when it is not an endpoint or has no port. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const match = /^(?:http:\/\/)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})\/?$/.exec(text.trim());
  if (!match) return undefined;
  const port = Number(match[2]);
  if (port > 65535) return undefined;
  return { host: match[1]!.replace(/^\[|\]$/g, ""), port };
}

/** As {@link parseEndpoint}, for a text already validated. @throws TypeError when it is not an endpoint */
export function endpointOf(text: string): Endpoint {
  const endpoint = parseEndpoint(text);
  if (!endpoint) throw new TypeError(`${text} is not an endpoint`);
  return endpoint;
}

/**
 * The address to listen on; undefined for anything but IP addresses and `localhost`: other names resolve elsewhere, and
 * container engines take an unknown text for all addresses of the machine.
 */
export function listenAddress(text: string): string | undefined {
  if (text === "localhost") return LOOPBACK;
  return isIP(text) === 0 ? undefined : text;
}

/** The form that {@link listenAddress} accepts, in words. */
export const LISTEN_ADDRESS_EXPECTED = "an IP address or localhost";

/** `http://host:port` of an endpoint. */
export function endpointUrl({ host, port }: Endpoint): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Host that reaches a server bound to `host` from the same machine: one cannot connect to an unspecified address. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
