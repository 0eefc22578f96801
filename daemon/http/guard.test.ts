import { expect, it } from "vitest";
import { checkHost, checkOrigin, FUNCTION_MARK, guard } from "./guard.ts";

const options = { allowedHosts: ["sandbox.test"] };
const asking = (headers: Record<string, string>) => ({ headers, rawHeaders: Object.entries(headers).flat() });

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
  expect(() => checkHost(asking({ host }), options)).not.toThrow();
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
  "[::1",
  "0.0.0.0:1",
])("refuses host %s", (host) => {
  expect(() => checkHost(asking(host === undefined ? {} : { host }), options)).toThrow(
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
])("refuses a change that comes from %j", (headers) => {
  expect(() => checkOrigin({ host: "127.0.0.1:54321", ...headers }, options)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_ORIGIN" }) as Error,
  );
});

it.each([
  {},
  { origin: "http://127.0.0.1:54321", "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
])("lets a change pass that comes from %j", (headers) => {
  expect(() => checkOrigin({ host: "127.0.0.1:54321", ...headers }, options)).not.toThrow();
});

it("refuses two Host headers, however they are written", () => {
  const rawHeaders = ["Host", "localhost", "Accept", "*/*", "hOST", "evil.example"];
  expect(() => checkHost({ headers: { host: "localhost" }, rawHeaders }, options)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_HOST" }) as Error,
  );
});

const HOST = { host: "localhost:1" };
const ruled = { ...options, adminSecret: "0123456789abcdef" };

it("lets the owner rule, and nobody else", () => {
  const shown = (authorization: string) => () => guard(asking({ ...HOST, authorization }), "owner", ruled);
  expect(shown("Bearer 0123456789abcdef")).not.toThrow();
  expect(shown("bearer  0123456789abcdef")).not.toThrow();
  const refusal = expect.objectContaining({ code: "OWNER_ONLY" }) as Error;
  for (const wrong of [
    "Bearer 0123456789abcdeF",
    "Bearer ",
    "0123456789abcdef",
    "Basic 0123456789abcdef",
    "",
  ])
    expect(shown(wrong)).toThrow(refusal);
  expect(() => guard(asking(HOST), "owner", ruled)).toThrow(refusal);
});

it("lets nobody rule where there is no secret", () => {
  for (const authorization of ["Bearer undefined", "Bearer ", ""])
    expect(() =>
      guard(asking({ ...HOST, authorization }), "owner", { ...options, adminSecret: undefined }),
    ).toThrow(expect.objectContaining({ code: "OWNER_ONLY" }) as Error);
});

it("keeps a web page from ruling, with the secret too", () => {
  const headers = { ...HOST, authorization: "Bearer 0123456789abcdef", origin: "https://evil.example" };
  expect(() => guard(asking(headers), "owner", ruled)).toThrow(
    expect.objectContaining({ code: "FORBIDDEN_ORIGIN" }) as Error,
  );
});

it("keeps smart functions from all but public routes, with the secret too", () => {
  for (const value of ["1", ""]) {
    const asked = asking({ ...HOST, authorization: "Bearer 0123456789abcdef", [FUNCTION_MARK]: value });
    expect(() => guard(asked, "public", ruled)).not.toThrow();
    for (const access of ["local", "own-site", "owner"] as const)
      expect(() => guard(asked, access, ruled)).toThrow(
        expect.objectContaining({ code: "FORBIDDEN_FUNCTION" }) as Error,
      );
  }
});

it("lets web pages ask for what is local, which they cannot read", () => {
  expect(() => guard(asking({ ...HOST, origin: "https://evil.example" }), "local", ruled)).not.toThrow();
});
