import { describe, expect, it } from "vitest";
import { checkHost, checkOrigin, FUNCTION_MARK, guard, isFromHere } from "./guard.ts";

const options = { allowedHosts: ["sandbox.test"] };
const requestWith = (headers: Record<string, string>) => ({
  headers,
  rawHeaders: Object.entries(headers).flat(),
});

it.each([
  "localhost",
  "localhost:54321",
  "127.0.0.1:1",
  "127.0.0.2:1",
  "[::1]:80",
  "LOCALHOST:1",
  "localhost.:1",
  "sandbox.test:54321",
])("lets host %s pass", (host) => {
  expect(() => checkHost(requestWith({ host }), options)).not.toThrow();
});

it.each([
  undefined,
  "",
  "evil.example:54321",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "127.evil.example",
  "127.0.0.evil",
  "127.1:1",
  "127.0.0.1@evil",
  "localhost:1:2",
  "127.0.0.1:65536",
  "[::1",
  "0.0.0.0:1",
])("refuses host %s", (host) => {
  expect(() => checkHost(requestWith(host === undefined ? {} : { host }), options)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_HOST" }) as Error,
  );
});

it.each([
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "http://localhost:3000" },
  { origin: "https://127.0.0.1:54321" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
])("refuses a change that comes with %j", (headers) => {
  expect(() => checkOrigin({ host: "127.0.0.1:54321", ...headers }, options)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_ORIGIN" }) as Error,
  );
});

it.each([
  {},
  { origin: "http://127.0.0.1:54321", "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
])("accepts a change that comes with %j", (headers) => {
  expect(() => checkOrigin({ host: "127.0.0.1:54321", ...headers }, options)).not.toThrow();
});

describe("behind what forwards the port and ends TLS", () => {
  const forwarded = { ...options, allowedHosts: ["sandbox.example"] };

  it.each([
    { host: "sandbox.example", origin: "https://sandbox.example" },
    { host: "sandbox.example:8443", origin: "https://sandbox.example:8443" },
    { host: "localhost:54321", origin: "https://sandbox.example" },
    { host: "sandbox.example", origin: "http://sandbox.example" },
  ])("accepts an allowed host: %j", (headers) => {
    expect(() => checkOrigin(headers, forwarded)).not.toThrow();
    expect(isFromHere(headers)).toBe(false);
  });

  it.each([
    { host: "sandbox.example", origin: "https://evil.example" },
    { host: "localhost:54321", origin: "https://sandbox.example.evil" },
    { host: "localhost:54321", origin: "http://sandbox.example" },
    { host: "sandbox.example", origin: "https://sandbox.example/" },
    { host: "sandbox.example", origin: "https://user@sandbox.example" },
    { host: "sandbox.example", origin: "https://sandbox.example", "sec-fetch-site": "same-site" },
  ])("refuses others: %j", (headers) => {
    expect(() => checkOrigin(headers, forwarded)).toThrow(
      expect.objectContaining({ code: "FORBIDDEN_ORIGIN" }) as Error,
    );
  });

  it.each([{ host: "localhost:1" }, { host: "127.0.0.1", origin: "http://127.0.0.1" }, { host: "[::1]:1" }])(
    "knows what comes under loopback names: %j",
    (headers) => expect(isFromHere(headers)).toBe(true),
  );
});

it("remembers for each server apart what it has served", () => {
  const request = requestWith({ host: "sandbox.test" });
  expect(() => checkHost(request, options)).not.toThrow();
  expect(() => checkHost(request, {})).toThrow(expect.objectContaining({ code: "FORBIDDEN_HOST" }) as Error);
});

it("refuses two Host headers, however they are written", () => {
  const rawHeaders = ["Host", "localhost", "Accept", "*/*", "hOST", "evil.example"];
  expect(() => checkHost({ headers: { host: "localhost" }, rawHeaders }, options)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_HOST" }) as Error,
  );
});

const HOST = { host: "localhost:1" };
const owned = { ...options, adminSecret: "0123456789abcdef" };

it("lets only the owner use the admin routes", () => {
  const present = (authorization: string) => () =>
    guard(requestWith({ ...HOST, authorization }), "owner", owned);
  expect(present("Bearer 0123456789abcdef")).not.toThrow();
  expect(present("bearer  0123456789abcdef")).not.toThrow();
  const refusal = expect.objectContaining({ code: "OWNER_ONLY" }) as Error;
  for (const wrong of [
    "Bearer 0123456789abcdeF",
    "Bearer ",
    "0123456789abcdef",
    "Basic 0123456789abcdef",
    "",
  ])
    expect(present(wrong)).toThrow(refusal);
  expect(() => guard(requestWith(HOST), "owner", owned)).toThrow(refusal);
});

it("closes the admin routes when there is no secret", () => {
  for (const authorization of ["Bearer undefined", "Bearer ", ""])
    expect(() =>
      guard(requestWith({ ...HOST, authorization }), "owner", { ...options, adminSecret: undefined }),
    ).toThrow(expect.objectContaining({ code: "OWNER_ONLY" }) as Error);
});

it("keeps web pages from the admin routes, even with the secret", () => {
  const headers = { ...HOST, authorization: "Bearer 0123456789abcdef", origin: "https://evil.example" };
  expect(() => guard(requestWith(headers), "owner", owned)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_ORIGIN" }) as Error,
  );
});

it("keeps smart functions from all but public routes, even with the secret", () => {
  for (const value of ["1", ""]) {
    const asked = requestWith({ ...HOST, authorization: "Bearer 0123456789abcdef", [FUNCTION_MARK]: value });
    expect(() => guard(asked, "public", owned)).not.toThrow();
    for (const access of ["local", "own-site", "owner"] as const)
      expect(() => guard(asked, access, owned)).toThrow(
        expect.objectContaining({ code: "FORBIDDEN_FUNCTION" }) as Error,
      );
  }
});

it("lets web pages send requests to local routes, whose answers they cannot read", () => {
  expect(() => guard(requestWith({ ...HOST, origin: "https://evil.example" }), "local", owned)).not.toThrow();
});
