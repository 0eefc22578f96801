import { expect, it } from "vitest";
import { accessOf } from "./rpc-server.ts";

it.each([
  ["owner", "POST", "/admin/bake"],
  ["owner", "GET", "/admin/chain"],
  ["owner", "POST", "/%61dmin/bake"],
  ["owner", "POST", "/admin%2Fbake"],
  ["owner", "POST", "/%61%64%6d%69%6e/jump?x=1"],
  ["owner", "POST", "/local/outbox"],
  ["owner", "POST", "/local/out%62ox?x"],
  ["owner", "POST", "/local/outbox/"], // the router leaves a slash at the end out
  ["owner", "POST", "/local/outbox%2f"],
  ["owner", "POST", "/admin/bake/"],
  ["own-site", "GET", "/local/outbox/pending"],
  ["own-site", "POST", "/local/batcher/injection"],
  ["own-site", "POST", "/%6cocal/batcher/injection"],
  ["own-site", "POST", "/%E0%A4%A"], // malformed: no route
  ["public", "GET", "/chains/main/blocks/head"],
  ["public", "GET", "/chains/main?/admin/"],
  ["public", "POST", "/injection/operation"],
])("%s may use %s %s", (access, method, url) => expect(accessOf({ method, url })).toBe(access));
