import { expect, it } from "vitest";
import { COMMANDS } from "../ids.ts";
import type { KnownAccounts } from "../session/known-accounts.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { createFunctionsView } from "./functions-view.ts";
import type { TreeNode } from "./tree.ts";

const ADDRESS = "KT1NMb73fpb4TEmC3YmspjEyha1uu4RMoKSP";

it("shows the first keys of a store with a hundred thousand, and asks for no more of them", async () => {
  let requests = 0;
  const answer = <T>(value: T): Promise<T> => Promise.resolve((requests++, value));
  const names = Array.from({ length: 100_000 }, (_one, i) => `key${i}`);
  const runtime = {
    subkeys: (_address: string, key?: string) => answer(key === undefined ? names : [""]),
    kv: () => answer(1),
  };
  const nothing = { dispose: () => undefined };
  const view = createFunctionsView(
    { sandbox: {}, runtime: () => runtime, onChange: () => nothing } as unknown as SandboxSession,
    { onChange: () => nothing } as unknown as KnownAccounts,
  );
  const store: TreeNode = { id: `kv:${ADDRESS}/`, label: "Key-value store", value: ADDRESS };
  const rows = (await view.provider.getChildren(store))!;
  expect(rows).toHaveLength(201);
  expect(requests).toBe(401);
  expect(rows[0]).toMatchObject({ label: "key0", description: "1", value: "key0" });
  expect(rows.at(-1)).toMatchObject({
    label: "99800 more",
    command: { command: COMMANDS.findKey, arguments: [{ value: ADDRESS }] },
  });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});
