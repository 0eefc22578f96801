import { expect, it } from "vitest";
import { accessOf, takesTurns } from "./rpc-server.ts";

it.each([
  ["owner", "POST", "/admin/bake"],
  ["owner", "GET", "/admin/chain"],
  ["owner", "POST", "/%61dmin/bake"],
  ["owner", "POST", "/admin%2Fbake"],
  ["owner", "POST", "/%61%64%6d%69%6e/jump?x=1"],
  ["owner", "POST", "/local/outbox"],
  ["owner", "POST", "/local/out%62ox?x"],
  ["owner", "POST", "/local/outbox/"], // the router ignores a trailing slash
  ["owner", "POST", "/local/outbox%2f"],
  ["owner", "POST", "/admin/bake/"],
  ["own-site", "GET", "/local/outbox/pending"],
  ["own-site", "POST", "/local/batcher/injection"],
  ["own-site", "POST", "/%6cocal/batcher/injection"],
  ["own-site", "POST", "/%E0%A4%A"], // malformed: no route
  ["public", "GET", "/chains/main/blocks/head"],
  ["public", "GET", "/chains/main?/admin/"],
  ["public", "POST", "/injection/operation"],
])("gives %s access to %s %s", (access, method, url) => expect(accessOf({ method, url })).toBe(access));

it.each([
  [true, "GET", "/chains/main/blocks/head/context/contracts/KT1/storage"],
  [true, "POST", "/chains/main/blocks/head/context/contracts/KT1/storage/normalized"],
  [true, "POST", "/chains/main/blocks/head/helpers/parse/operations"],
  [
    true,
    "POST",
    "/chains/main/blocks/head/context/contracts/KT1/storage/normalized?/helpers/scripts/run_code",
  ],
  [false, "POST", "/chains/main/blocks/head/helpers/scripts/run_code"],
  [false, "POST", "/injection/operation?chain=main"],
  [false, "POST", "/local/batcher/injection"],
  [false, "POST", "/admin/snapshot"],
] as const)("says %s to whether the answer to %s %s takes turns", (expected, method, url) => {
  expect(takesTurns({ method, url })).toBe(expected);
});
