import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { type ConfigFile, createConfigFile } from "./config-file.ts";
import type { CliConfig } from "./parse-config.ts";

let folder: string;
let file: ConfigFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-config-"));
  file = createConfigFile({ XDG_CONFIG_HOME: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { address, publicKey, secretKey } = BOOTSTRAP_ACCOUNTS[2];
const alice = { User: { address, public_key: publicKey, secret_key: secretKey } };
const withAccount = (name: string) => (config: CliConfig) => ({
  ...config,
  accounts: { ...config.accounts, [name]: alice },
});

function write(text: string): void {
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(file.path, text);
}

it("is empty without a file, and reading creates none", async () => {
  expect(await file.read()).toEqual({ accounts: {}, networks: {} });
  expect(existsSync(join(folder, "functez"))).toBe(false);
});

it("keeps the written content, readable by its owner only, without temporary files", async () => {
  await file.update(withAccount("alice"));
  expect((await file.read()).accounts).toEqual({ alice });
  expect(readdirSync(dirname(file.path))).toEqual(["config.json"]);
  if (process.platform !== "win32") expect(statSync(file.path).mode & 0o777).toBe(0o600);
});

it("loses no account when many updates run at once", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `account${index}`);
  await Promise.all(
    names.map((name) => createConfigFile({ XDG_CONFIG_HOME: folder }).update(withAccount(name))),
  );
  expect(Object.keys((await file.read()).accounts).sort()).toEqual([...names].sort());
});

it("takes over the lock of a dead process", async () => {
  write("{}");
  writeFileSync(`${file.path}.lock`, "999999999");
  await file.update(withAccount("alice"));
  expect(Object.keys((await file.read()).accounts)).toEqual(["alice"]);
});

it.each([
  ["a lock that was never written", ""],
  ["a lock of no process", "999999999"],
])("gets past %s, and removes the files of a killed writer", async (_name, content) => {
  write("{}");
  writeFileSync(`${file.path}.lock`, content);
  writeFileSync(`${file.path}.999999999.tmp`, "edsk");
  writeFileSync(`${file.path}.lock.999999999-1a2b.tmp`, "999999999");
  await Promise.all(["alice", "bob"].map((name) => file.update(withAccount(name))));
  expect(Object.keys((await file.read()).accounts).sort()).toEqual(["alice", "bob"]);
  expect(readdirSync(dirname(file.path))).toEqual(["config.json"]);
});

it("waits for a lock while it changes hands, and gives up when one owner keeps it", async () => {
  write("{}");
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout"] });
  try {
    const hold = (): void => writeFileSync(`${file.path}.lock`, String(process.ppid));
    hold();
    const patient = file.update(withAccount("alice"));
    for (let second = 0; second < 12; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      rmSync(`${file.path}.lock`);
      hold();
    }
    rmSync(`${file.path}.lock`);
    await vi.advanceTimersByTimeAsync(1000);
    expect(Object.keys((await patient).accounts)).toEqual(["alice"]);
    hold();
    const refused = expect(file.update(withAccount("bob"))).rejects.toMatchObject({
      code: "CLI_CONFIG_UNWRITABLE",
    });
    await vi.advanceTimersByTimeAsync(6000);
    await refused;
  } finally {
    vi.useRealTimers();
  }
});

it("gets past the old lock of a dead process whose pid was reused", async () => {
  vi.useFakeTimers();
  try {
    write("{}");
    writeFileSync(`${file.path}.lock`, String(process.ppid));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(`${file.path}.lock`, longAgo, longAgo);
    const updated = file.update(withAccount("alice"));
    await vi.advanceTimersByTimeAsync(6000);
    await updated;
    expect(Object.keys((await file.read()).accounts)).toEqual(["alice"]);
  } finally {
    vi.useRealTimers();
  }
});

it("never breaks the lock of a live process because the clock jumped", async () => {
  write("{}");
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 86_400_000);
  try {
    writeFileSync(`${file.path}.lock`, String(process.ppid));
    let written = false;
    const updated = file.update(withAccount("alice")).then(() => (written = true));
    await new Promise((resolve) => setTimeout(resolve, 100)); // several checks of the lock
    expect(written).toBe(false);
    expect(readFileSync(`${file.path}.lock`, "utf8")).toBe(String(process.ppid));
    rmSync(`${file.path}.lock`);
    await updated;
  } finally {
    clock.mockRestore();
  }
});

it.each([
  ["{ broken", { line: 1, column: 3 }],
  ["", { line: 1, found: "an empty file" }],
  ['{\n "accounts": []\n}', { line: 2, key: "accounts", expected: "an object" }],
  [
    '{\n "accounts": { "a": {\n "User": { "address": "tz1nope" } } }\n}',
    { line: 3, key: "accounts.a.User.address" },
  ],
  [
    '{ "networks": { "x": { "octez_node_rpc_endpoint": 1 } } }',
    { key: "networks.x.octez_node_rpc_endpoint" },
  ],
  ['{ "current_alias": 7 }', { key: "current_alias" }],
  [
    '{ "layer1_contracts": { "KT1TgzuV41VrncSPMdsp8GkueyYayoWvHgMa": "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ" } }',
    { expected: "another alias (it is an address)" },
  ],
  ...[
    "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV",
    "KT1TgzuV41VrncSPMdsp8GkueyYayoWvHgMa",
    "bootstrap1",
    "a\nb",
    "\u202ealice",
    "__proto__",
  ].map((alias): [string, object] => [
    `{\n "accounts": { ${JSON.stringify(alias)}: { "SmartFunction": { "address": "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ" } } } }`,
    { line: 2, key: `accounts.${alias}`, expected: expect.stringContaining("another alias") },
  ]),
])("locates the mistake in %j and changes nothing", async (text, data) => {
  write(text);
  await expect(file.read()).rejects.toMatchObject({ code: "CLI_CONFIG_INVALID", data });
  await expect(file.update(withAccount("alice"))).rejects.toMatchObject({ code: "CLI_CONFIG_INVALID" });
  expect(readFileSync(file.path, "utf8")).toBe(text);
});

it("reports an invalid configuration and that deleting the folder helps, which it does", async () => {
  write("{ broken");
  const error = await file.read().catch((thrown: unknown) => thrown as Error & { next: string });
  expect((error as Error).message).toContain("improperly configured");
  expect((error as { next: string }).next).toContain(dirname(file.path));
  rmSync(dirname(file.path), { recursive: true });
  expect(await file.read()).toEqual({ accounts: {}, networks: {} });
});

it("keeps the old content when it cannot write", async () => {
  if (process.getuid?.() === 0) {
    // root may write anywhere: a folder in place of the temporary file has the same effect
    await file.update(withAccount("alice"));
    mkdirSync(`${file.path}.${process.pid}.tmp`);
  } else {
    await file.update(withAccount("alice"));
    chmodSync(dirname(file.path), 0o500);
  }
  await expect(file.update(withAccount("bob"))).rejects.toMatchObject({ code: "CLI_CONFIG_UNWRITABLE" });
  expect(Object.keys((await file.read()).accounts)).toEqual(["alice"]);
  if (process.getuid?.() !== 0) chmodSync(dirname(file.path), 0o700);
});

it.runIf(process.platform !== "win32")("stays behind its links, whether it exists or not", async () => {
  mkdirSync(dirname(file.path), { recursive: true });
  const [real, between] = [join(folder, "dotfiles", "real.json"), join(folder, "between.json")];
  symlinkSync("dotfiles/real.json", between);
  symlinkSync(between, file.path);
  await file.update(withAccount("alice"));
  await file.update(withAccount("bob"));
  expect(lstatSync(file.path).isSymbolicLink()).toBe(true);
  expect(Object.keys((JSON.parse(readFileSync(real, "utf8")) as CliConfig).accounts)).toEqual([
    "alice",
    "bob",
  ]);
  expect(readdirSync(dirname(real))).toEqual(["real.json"]);
});

it.runIf(process.platform !== "win32")("rejects circular links", async () => {
  mkdirSync(dirname(file.path), { recursive: true });
  symlinkSync(file.path, join(folder, "round"));
  symlinkSync(join(folder, "round"), file.path);
  await expect(file.update(withAccount("alice"))).rejects.toMatchObject({ code: "CLI_CONFIG_UNWRITABLE" });
});

it("is read with the byte order mark of Windows editors", async () => {
  write(`\uFEFF${JSON.stringify({ accounts: { alice } })}`);
  expect((await file.read()).accounts).toEqual({ alice });
});

it.skipIf(process.platform === "win32")("refuses a pipe and a device without waiting for them", async () => {
  mkdirSync(dirname(file.path), { recursive: true });
  execFileSync("mkfifo", [file.path]);
  const refusal = { code: "CLI_CONFIG_INVALID" };
  await expect(file.read()).rejects.toMatchObject({ ...refusal, data: { found: "a named pipe" } });
  rmSync(file.path);
  symlinkSync("/dev/zero", file.path);
  await expect(file.read()).rejects.toMatchObject({ ...refusal, data: { found: "a device" } });
});
