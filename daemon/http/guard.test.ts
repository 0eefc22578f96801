import { expect, it } from "vitest";
import { checkHost, checkOrigin } from "./guard.ts";

const options = { allowedHosts: ["sandbox.test"] };

it.each([
  "localhost",
  "localhost:54321",
  "127.0.0.1:1",
  "[::1]:80",
  "LOCALHOST:1",
  "localhost.:1",
  "sandbox.test:54321",
])("lets host %s pass", (host) => {
  expect(() => checkHost({ host }, options)).not.toThrow();
});

it.each([
  undefined,
  "",
  "evil.example:54321",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "127.0.0.1@evil",
  "localhost:1:2",
  "[::1",
  "0.0.0.0:1",
])("refuses host %s", (host) => {
  expect(() => checkHost(host === undefined ? {} : { host }, options)).toThrow(
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
