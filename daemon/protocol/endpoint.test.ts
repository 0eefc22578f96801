import { expect, it } from "vitest";
import { endpointUrl, parseEndpoint } from "./endpoint.ts";

it.each([
  ["localhost:3000", "localhost", 3000],
  ["127.0.0.1:3000", "127.0.0.1", 3000],
  ["[::1]:3000", "::1", 3000],
  ["http://127.0.0.1:3000", "127.0.0.1", 3000],
  ["http://localhost:3000/", "localhost", 3000],
  ["127.0.0.1:0", "127.0.0.1", 0],
  ["node.example", "node.example", 80],
])("reads %s", (text, host, port) => {
  expect(parseEndpoint(text)).toEqual({ host, port });
});

it.each([
  "",
  ":3000",
  "localhost:",
  "localhost:99999",
  "https://localhost:1",
  "a b:1",
  "::1:3000",
  "localhost:3000/path",
])("refuses %j", (text) => {
  expect(parseEndpoint(text)).toBeUndefined();
});

it("writes IPv6 addresses with brackets", () => {
  expect(endpointUrl({ host: "::1", port: 1 })).toBe("http://[::1]:1");
});
