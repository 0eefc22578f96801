// How long the host of a URL is, as far as that can be told before the URL is parsed. Long hosts are refused there: the
// tables and normal forms of internationalised names take time by the square of the length.

import { MAX_HOST_LENGTH } from "./limits.ts";

const SPECIAL = /^(https?|wss?|ftp|file):/i;

/** What the standard removes before it parses: controls and spaces around the text, tabs and line breaks anywhere. */
const trimmed = (text: string): string => text.replace(/^[\0- ]+/, "").replace(/[\t\n\r]/g, "");

const schemeOf = (text: string): string | undefined => SPECIAL.exec(text)?.[1]?.toLowerCase();

/** Characters before the first that ends an authority, without a name and password before the last @. */
function hostLength(authority: string): number {
  const end = authority.search(/[/\\?#]/);
  const whole = end < 0 ? authority : authority.slice(0, end);
  return whole.length - (whole.lastIndexOf("@") + 1);
}

/** @returns whether `text` has a host of a special scheme that is longer than a URL may have */
export function hasLongHost(text: string, base: string | undefined): boolean {
  if (text.length <= MAX_HOST_LENGTH) return false;
  const source = trimmed(text);
  const scheme = schemeOf(source);
  const rest = scheme === undefined ? source : source.slice(scheme.length + 1);
  const slashes = /^[/\\]*/.exec(rest)?.[0].length ?? 0;
  const baseScheme = base === undefined ? undefined : schemeOf(trimmed(base));
  // With fewer than two slashes, a text of the same scheme as its base, or of none, is a path.
  const isPath = (scheme ?? baseScheme) === baseScheme && slashes < 2;
  if (isPath || (scheme === undefined && baseScheme === undefined)) return false;
  // A file's host stands between the second slash and the third; elsewhere further slashes mean nothing.
  if ((scheme ?? baseScheme) === "file") return slashes >= 2 && hostLength(rest.slice(2)) > MAX_HOST_LENGTH;
  return hostLength(rest.slice(slashes)) > MAX_HOST_LENGTH;
}

/** @returns whether a value for `host` or `hostname` is longer than a URL may have */
export const isLongHost = (value: string): boolean =>
  value.length > MAX_HOST_LENGTH && hostLength(trimmed(value)) > MAX_HOST_LENGTH;
