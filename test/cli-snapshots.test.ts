// Snapshots of the whole sandbox on the command line: taken, listed, restored, rejected.
import { afterAll, beforeAll, expect, it } from "vitest";
import { findAdminSecret } from "../daemon/local/kept-secrets.ts";
import { ownerHeaders } from "../daemon/protocol/admin-secret.ts";
import { type BuiltCli, startedSandbox } from "./support/built-cli.ts";

let cli: BuiltCli;
beforeAll(async () => {
  ({ cli } = await startedSandbox());
  await cli.functez(["account", "create", "alice"]);
  await cli.functez(["bridge", "deposit", "-f", "bootstrap1", "-t", "alice", "-a", "50"]);
  await cli.functez(["deploy", "examples/counter/index.ts", "--name", "counter"]);
});
afterAll(() => cli.dispose());

const sandbox = (...args: string[]) => cli.functez(["sandbox", ...args]);
async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse((await cli.functez(["--json", ...args])).stdout) as T;
}
const refusal = async (...args: string[]) =>
  (await json<{ error: { code: string } }>("sandbox", ...args)).error.code;
const balance = async () => (await cli.functez(["account", "balance"])).stdout.trim();
const layer1 = async (label: string) => {
  const response = await fetch(`${cli.env["FUNCTEZ_SANDBOX_URL"]}/accounts`);
  const { accounts } = (await response.json()) as { accounts: { label: string; layer1_balance: string }[] };
  return accounts.find((account) => account.label === label)!.layer1_balance;
};
const names = async () =>
  (await json<{ snapshots: { id: string }[] }>("sandbox", "snapshots")).snapshots.map(({ id }) => id);

it("lists none, and restores none, before the first", async () => {
  expect(await sandbox("snapshots")).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining("No snapshots yet"),
  });
  expect(await refusal("restore")).toBe("SNAPSHOT_NONE");
});

it("keeps both layers under a name, and restores them any number of times", async () => {
  const before = [await balance(), await layer1("bootstrap1")];
  expect((await sandbox("snapshot", "funded")).stdout).toMatch(/^Snapshot funded taken at level \d+\.\n$/);
  for (let i = 0; i < 2; i++) {
    await cli.functez(["bridge", "deposit", "-f", "bootstrap1", "-t", "alice", "-a", "5"]);
    await cli.functez(["transfer", "1", "bootstrap2"]);
    await cli.functez(["run", "counter/", "-m", "POST"]);
    expect(await balance()).toBe("54ꜩ");
    expect(await json("sandbox", "restore", "funded")).toMatchObject({
      id: "funded",
      level: expect.any(Number),
    });
    expect([await balance(), await layer1("bootstrap1")]).toEqual(before);
  }
  // The sandbox continues from there.
  expect((await cli.functez(["transfer", "1", "bootstrap2"])).code).toBe(0);
  expect(await balance()).toBe("49ꜩ");
});

it("replaces one only when asked, and without a name restores the latest", async () => {
  expect(await refusal("snapshot", "funded")).toBe("SNAPSHOT_EXISTS");
  expect(await json("sandbox", "snapshot", "funded", "--force")).toMatchObject({ id: "funded" });
  await cli.functez(["transfer", "2", "bootstrap2"]);
  const { id } = await json<{ id: string }>("sandbox", "snapshot");
  expect(id).toMatch(/^\d+$/);
  expect(await names()).toEqual(["funded", id]);
  await cli.functez(["transfer", "3", "bootstrap2"]);
  expect((await sandbox("restore")).stdout).toMatch(new RegExp(`^Restored snapshot ${id} with the block at`));
  expect(await balance()).toBe("47ꜩ");
  await sandbox("restore", "funded");
  expect(await balance()).toBe("49ꜩ");
});

it("rejects invalid names and unknown snapshots, and says how to start a missing sandbox", async () => {
  for (const name of ["7", "a b", "a/b", "x".repeat(65)])
    expect(await refusal("snapshot", name)).toBe("BAD_OPTION");
  expect(await refusal("restore", "nothing")).toBe("SNAPSHOT_UNKNOWN");
  const env = { FUNCTEZ_SANDBOX_URL: "http://127.0.0.1:9" };
  for (const command of ["snapshot", "restore", "snapshots"]) {
    const result = await cli.functez(["sandbox", command], { env });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("SANDBOX_NOT_RUNNING") });
    expect(result.stderr).toContain("functez sandbox start");
  }
});

it("keeps the sixteen most recently used", async () => {
  await sandbox("restore", "funded");
  const url = `${cli.env["FUNCTEZ_SANDBOX_URL"]}/snapshots`;
  const headers = ownerHeaders(findAdminSecret(url, cli.env)?.text);
  for (let i = 0; i < 15; i++) expect((await fetch(url, { method: "POST", headers })).status).toBe(200);
  expect((await names()).includes("funded")).toBe(true);
  await fetch(url, { method: "POST", headers });
  expect((await names()).length).toBe(16);
  expect((await names()).includes("funded")).toBe(false);
  expect(await refusal("restore", "funded")).toBe("SNAPSHOT_UNKNOWN");
});
