import { expect, it } from "vitest";
import { isGuarded } from "./rpc-server.ts";

it.each([
  "/admin/bake",
  "/%61dmin/bake",
  "/admin%2Fbake",
  "/%61%64%6d%69%6e/jump?x=1",
  "/local/outbox",
  "/local/out%62ox/proof",
  "/%E0%A4%A", // malformed: no route
])("guards %s", (url) => expect(isGuarded(url)).toBe(true));

it.each(["/chains/main/blocks/head", "/chains/main?/admin/", "/injection/operation"])(
  "leaves %s open",
  (url) => expect(isGuarded(url)).toBe(false),
);
