// Measures a URL's host before the URL is parsed, as well as that is possible. Long hosts are rejected: the tables and
// normal forms of internationalised names take time quadratic in the length.

import { MAX_HOST_LENGTH } from "./limits.ts";

const SPECIAL = /^(https?|wss?|ftp|file):/i;

/** The standard strips these before parsing: controls and spaces around the text, tabs and line breaks anywhere. */
const trimSpaces = (text: string): string => text.replace(/^[\0- ]+/, "").replace(/[\t\n\r]/g, "");

const schemeOf = (text: string): string | undefined => SPECIAL.exec(text)?.[1]?.toLowerCase();

/** Characters of an authority's host, without the name and password before the last @. */
function hostLength(authority: string): number {
  const end = authority.search(/[/\\?#]/);
  const whole = end < 0 ? authority : authority.slice(0, end);
  return whole.length - (whole.lastIndexOf("@") + 1);
}

/** @returns whether `text` has a host of a special scheme that is longer than a URL may have */
export function hasLongHost(text: string, base: string | undefined): boolean {
  if (text.length <= MAX_HOST_LENGTH) return false;
  const source = trimSpaces(text);
  const scheme = schemeOf(source);
  const rest = scheme === undefined ? source : source.slice(scheme.length + 1);
  const slashes = /^[/\\]*/.exec(rest)?.[0].length ?? 0;
  const baseScheme = base === undefined ? undefined : schemeOf(trimSpaces(base));
  // With fewer than two slashes, a text with the scheme of its base, or without a scheme, is a path.
  const isPath = (scheme ?? baseScheme) === baseScheme && slashes < 2;
  if (isPath || (scheme === undefined && baseScheme === undefined)) return false;
  // The host of a file URL is between the second slash and the third; elsewhere further slashes have no meaning.
  if ((scheme ?? baseScheme) === "file") return slashes >= 2 && hostLength(rest.slice(2)) > MAX_HOST_LENGTH;
  return hostLength(rest.slice(slashes)) > MAX_HOST_LENGTH;
}

/** @returns whether a value for `host` or `hostname` is longer than a URL may have */
export const isLongHost = (value: string): boolean =>
  value.length > MAX_HOST_LENGTH && hostLength(trimSpaces(value)) > MAX_HOST_LENGTH;
