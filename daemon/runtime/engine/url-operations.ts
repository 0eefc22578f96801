// URL parsing for the guest's URL class, with whatwg-url: the same results on every Node and Electron version.

import { URL as StandardUrl } from "whatwg-url";

import { hasLongHost, isLongHost } from "./url-host.ts";

type StandardUrlObject = InstanceType<typeof StandardUrl>;

const record = (url: StandardUrlObject): string =>
  JSON.stringify([
    url.href,
    url.protocol,
    url.username,
    url.password,
    url.host,
    url.hostname,
    url.port,
    url.pathname,
    url.search,
    url.hash,
    url.origin,
  ]);

const SETTABLE = [
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
type Settable = (typeof SETTABLE)[number];

/** @returns the parsed record as JSON, or undefined when the text is not a URL */
export function parseUrl(text: string, base: string | undefined): string | undefined {
  if (hasLongHost(text, base) || (base !== undefined && hasLongHost(base, undefined))) return undefined;
  const url = StandardUrl.parse(text, base);
  return url === null ? undefined : record(url);
}

/** @returns the record after one attribute was set */
export function setUrl(href: string, field: string, value: string): string {
  const url = new StandardUrl(href);
  const isHost = field === "host" || field === "hostname";
  if (isHost && isLongHost(value)) return record(url); // as for any invalid host
  if ((SETTABLE as readonly string[]).includes(field)) url[field as Settable] = value;
  return record(url);
}
