import { describe, expect, it } from "vitest";

import { MAX_HOST_LENGTH } from "./limits.ts";
import { hasLongHost, isLongHost } from "./url-host.ts";
import { parseUrl, setUrl } from "./url-operations.ts";

const LONG = "é".repeat(MAX_HOST_LENGTH + 1);
const FITS = "a".repeat(MAX_HOST_LENGTH);

describe("a URL", () => {
  it.each<[string, string | undefined]>([
    [`http://${LONG}`, undefined],
    [`HTTPS:\\\\${LONG}/path`, undefined],
    [`ws:${LONG}`, undefined],
    [`ftp:////${LONG}?query`, undefined],
    [` \n ht\ntp://user:word@${LONG}:80#hash`, undefined],
    [`file://${LONG}`, undefined],
    [`//${LONG}`, "http://a/"],
    [`\\/${LONG}`, "https://a/"],
    [`http:/\\${LONG}`, "http://a/"],
    [`http:${LONG}`, "https://a/"],
    [`x@y@${LONG}`.replace("x", "http://x"), undefined],
  ])("with a host that is too long is invalid: %.20s", (text, base) => {
    expect(hasLongHost(text, base)).toBe(true);
    expect(parseUrl(text, base)).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    [`http://${FITS}/`, undefined],
    [`http://a/${LONG}`, undefined],
    [`http://a?${LONG}`, undefined],
    [`http://a#${LONG}`, undefined],
    [`http://a\\${LONG}`, undefined],
    [`http://${"u".repeat(5_000)}:${"p".repeat(5_000)}@a/`, undefined],
    [`http:${LONG}`, "http://a/"],
    [`/${LONG}`, "http://a/"],
    [LONG, "http://a/"],
    [`jstz:${LONG}`, undefined],
    [`jstz://${LONG}/`, undefined],
    [`data:text/plain,${LONG}`, undefined],
    [`file:${LONG}`, undefined],
    [`file:///${LONG}`, undefined],
    [`///${LONG}`, "file:///a"],
  ])("may be long elsewhere: %.20s", (text, base) => {
    expect(hasLongHost(text, base)).toBe(false);
    expect(parseUrl(text, base)).toBeDefined();
  });

  it("with a base whose host is too long is invalid", () => {
    expect(parseUrl("x", `http://${LONG}/`)).toBeUndefined();
  });

  it.each(["host", "hostname"])("keeps its %s when the new one is too long", (field) => {
    const before = setUrl("http://a/", "hash", "");
    expect(setUrl("http://a/", field, LONG)).toBe(before);
    expect(setUrl("http://a/", field, `b/${LONG}`)).not.toBe(before);
    expect(isLongHost(FITS)).toBe(false);
  });
});
