import { expect, it } from "vitest";
import { endpointUrl, listenAddress, parseEndpoint } from "./endpoint.ts";

it.each([
  ["localhost:3000", "localhost", 3000],
  ["127.0.0.1:3000", "127.0.0.1", 3000],
  ["[::1]:3000", "::1", 3000],
  ["http://127.0.0.1:3000", "127.0.0.1", 3000],
  ["http://localhost:3000/", "localhost", 3000],
  ["127.0.0.1:0", "127.0.0.1", 0],
  ["node.example:80", "node.example", 80],
])("reads %s", (text, host, port) => {
  expect(parseEndpoint(text)).toEqual({ host, port });
});

it.each([
  "",
  ":3000",
  "localhost:",
  "node.example",
  "http://127.0.0.1",
  "localhost:99999",
  "https://localhost:1",
  "a b:1",
  "::1:3000",
  "localhost:3000/path",
])("refuses %j", (text) => {
  expect(parseEndpoint(text)).toBeUndefined();
});

it.each([
  ["localhost", "127.0.0.1"],
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["0.0.0.0", "0.0.0.0"],
  ["192.0.2.1", "192.0.2.1"],
])("listens at %s", (text, address) => {
  expect(listenAddress(text)).toBe(address);
});

it.each(["", " ", "myhost", "host.docker.internal", "999.1.1.1", "127.0.0.1:5", "127.1", "[::1]", "::1 "])(
  "does not listen at %j",
  (text) => {
    expect(listenAddress(text)).toBeUndefined();
  },
);

it("writes IPv6 addresses with brackets", () => {
  expect(endpointUrl({ host: "::1", port: 1 })).toBe("http://[::1]:1");
});
