import { expect, it } from "vitest";
import { reachableEndpoint } from "./reachable-endpoint.ts";

const resolveNone = () => Promise.reject(new Error("getaddrinfo ENOTFOUND"));
const resolveAny = () => Promise.resolve();

it.each([
  ["http://sandbox:8933", "http://127.0.0.1:54321", resolveNone, "http://127.0.0.1:8933"],
  ["http://sandbox:8933", "http://[::1]:54321", resolveNone, "http://[::1]:8933"],
  ["http://sandbox", "http://build.example:1", resolveNone, "http://build.example:80"],
  ["http://sandbox:8933", "http://127.0.0.1:54321", resolveAny, "http://sandbox:8933"],
  ["http://sandbox:8933", "http://sandbox:54321", resolveNone, "http://sandbox:8933"],
  ["http://127.0.0.1:8933", "http://localhost:54321", resolveNone, "http://127.0.0.1:8933"],
  ["http://[::1]:8933", "http://localhost:54321", resolveNone, "http://[::1]:8933"],
])("finds %s, announced at %s", async (announced, asked, resolve, found) => {
  expect(await reachableEndpoint(announced, asked, resolve)).toBe(found);
});

it("does not wait for a silent name server", async () => {
  const start = performance.now();
  const mute = () => new Promise(() => undefined);
  expect(await reachableEndpoint("http://sandbox:8933", "http://127.0.0.1:1", mute)).toBe(
    "http://127.0.0.1:8933",
  );
  expect(performance.now() - start).toBeLessThan(5000);
});
