// Tokens over an FA bridge and back, and configured accounts, through the built command line.
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../daemon/protocol/constants.ts";
import { randomSecretKey } from "../daemon/tezos/keys.ts";
import { type BuiltCli, type ReadyLine, startedSandbox } from "./support/built-cli.ts";
import { ownerOf } from "./support/processes.ts";

const treasury = randomSecretKey();
const watched = randomSecretKey().publicKey;
const RECEIVER = BOOTSTRAP_ACCOUNTS[4].address;

let cli: BuiltCli;
let ready: ReadyLine;
let alice: string;
beforeAll(async () => {
  ({ cli, ready } = await startedSandbox({
    layer1_node: {
      block_time: 0.2,
      bootstrap_accounts: [
        { label: "treasury", key: treasury.text, balance: "50000000" },
        { label: "watched", key: watched.text, balance: "50000000" },
      ],
    },
  }));
  alice = (await json<{ address: string }>("account", "create", "alice")).address;
  await cli.functez(["deploy", "examples/fa-vault/index.ts", "--name", "vault"]);
});
afterAll(() => cli.dispose());

async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await cli.functez([...args, "--json"]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as T;
}
const refusal = async (...args: string[]): Promise<string> =>
  (await json<{ error: { code: string } }>(...args)).error.code;

interface Deployed {
  readonly token: string;
  readonly tokenId: string | null;
  readonly ticketer: string;
  readonly bridge: string;
  readonly aliases: Readonly<Record<string, string>>;
}
const faDeploy = (...args: string[]) =>
  json<Deployed>("bridge", "fa-deploy", "--total-ticket-supply", "1000", ...args);
const faDeposit = <T = { ticketOwner: string }>(bridge: string, amount: string, from = "treasury") =>
  json<T>("bridge", "fa-deposit", "--from", from, "--to", "alice", "--amount", amount, "--bridge", bridge);

/** An FA1.2 token, owned entirely by the treasury. */
async function originateFa12(supply: number): Promise<string> {
  const tezos = new TezosToolkit(ready.layer1);
  tezos.setProvider({ signer: new InMemorySigner(treasury.text) });
  const operation = await tezos.contract.originate({
    code: readFileSync("test/clients/contracts/token-fa12.tz", "utf8"),
    init: `(Pair { Elt "${treasury.publicKey.address}" ${supply} } {} ${supply})`,
  });
  // Taquito looks for the operation in heads from its first poll on, and with fast blocks it may be in an earlier one.
  const url = `${ready.layer1}/chains/main/blocks/head/context/contracts/${operation.contractAddress}`;
  await expect.poll(async () => (await fetch(url)).status, { timeout: 20_000 }).toBe(200);
  return operation.contractAddress!;
}

/** Token balance of a layer 1 account, from the token's own view. */
async function balanceOf(token: string, owner: string): Promise<number> {
  const response = await fetch(`${ready.layer1}/chains/main/blocks/head/helpers/scripts/run_script_view`, {
    method: "POST",
    body: JSON.stringify({
      contract: token,
      view: "get_balance",
      input: { prim: "Pair", args: [{ string: owner }, { int: "0" }] },
      unlimited_gas: true,
      chain_id: await (await fetch(`${ready.layer1}/chains/main/chain_id`)).json(),
      unparsing_mode: "Readable",
    }),
  });
  return Number(((await response.json()) as { data: { int: string } }).data.int);
}

/** Bakes until the commitments that include the withdrawal are cemented. */
async function untilHeld(token: string, owner: string, amount: number): Promise<void> {
  await expect
    .poll(async () => {
      const headers = ownerOf(cli, ready);
      await fetch(`${ready.layer1}/admin/bake`, { method: "POST", body: '{"blocks":4}', headers });
      return balanceOf(token, owner);
    })
    .toBe(amount);
}

describe("an FA bridge", () => {
  it("brings tokens to a smart function and back", async () => {
    const deployed = await faDeploy("--source", "treasury", "--jstz-fa-token", "vault");
    expect(deployed.aliases).toEqual({
      "fa-token": deployed.token,
      "fa-token-ticketer": deployed.ticketer,
      "fa-token-bridge": deployed.bridge,
    });
    const vault = (
      await json<{ accounts: { alias: string; address: string }[] }>("account", "list")
    ).accounts.find(({ alias }) => alias === "vault")!.address;
    expect(await faDeposit("fa-token-bridge", "30")).toMatchObject({ credited: true, ticketOwner: vault });
    expect(await balanceOf(deployed.token, treasury.publicKey.address)).toBe(970);
    expect(await balanceOf(deployed.token, deployed.ticketer)).toBe(30);
    expect((await cli.functez(["run", `vault/balances/${alice}`])).stdout).toContain('"balance": 30');

    const withdrawal = (amount: number) =>
      JSON.stringify({
        amount,
        receiver: RECEIVER,
        ticketInfo: { ticketer: deployed.ticketer, id: 0, content: null },
      });
    const withdraw = (amount: number) =>
      cli.functez(["run", "vault/withdraw", "-m", "POST", "-d", withdrawal(amount)]);
    expect((await withdraw(31)).stderr).toContain("Status 400");
    expect((await withdraw(12)).code).toBe(0);
    await untilHeld(deployed.token, RECEIVER, 12);
    expect(await balanceOf(deployed.token, deployed.ticketer)).toBe(18);
    expect((await cli.functez(["run", `vault/balances/${alice}`])).stdout).toContain('"balance": 18');
  });

  it("leaves the tickets with the receiver when there is no smart function, and lets it send them back", async () => {
    const { token, ticketer, bridge } = await faDeploy(
      ...["--source", "bootstrap2", "--tezos-fa-token", "fa-token", "--token-id", "0", "--force"],
      ...["--ticket-id", "7", "--ticket-content", "gold"],
    );
    const owner = BOOTSTRAP_ACCOUNTS[2].address;
    expect(await faDeposit<{ error: { code: string } }>(bridge, "1", "bootstrap2")).toMatchObject({
      error: { code: "LAYER1_REJECTED" }, // it has no tokens
    });
    expect(await faDeposit(bridge, "5")).toMatchObject({ ticketOwner: alice });
    const body = JSON.stringify({
      amount: 5,
      routingInfo: { receiver: owner, proxyL1Contract: bridge },
      ticketInfo: { ticketer, id: 7, content: [...Buffer.from("gold")] },
    });
    const sent = await cli.functez(["run", "jstz://jstz/fa-withdraw", "-m", "POST", "-d", body]);
    expect([sent.code, sent.stderr]).toEqual([0, expect.not.stringContaining("Status")]);
    await untilHeld(token, owner, 5);
  });

  describe("fa-withdraw", () => {
    const withdraw = (...args: string[]) =>
      ["bridge", "fa-withdraw", "--to", "bootstrap4", "--amount", "3", ...args] as const;

    it("withdraws tokens to layer 1, shows them there, and leaves the rest", async () => {
      const { token, ticketer } = await faDeploy("--source", "treasury", "--force");
      await faDeposit("fa-token-bridge", "8");
      const sent = await cli.functez(withdraw("--bridge", "fa-token-bridge"));
      expect(sent).toMatchObject({ code: 0, stdout: "Withdrew 3 tokens from alice to bootstrap4\n" });
      expect(sent.stderr).toMatch(/Operation [0-9a-f]{64}\n {2}bootstrap4: 3 tokens on layer 1/);
      expect(await balanceOf(token, RECEIVER)).toBe(3);
      expect(await balanceOf(token, ticketer)).toBe(5);
      expect(await json(...withdraw("--bridge", "fa-token-bridge"))).toMatchObject({
        amount: "3",
        receiver: RECEIVER,
        token,
        tokenId: "0",
        arrived: true,
        layer1Tokens: "6",
      });
      const queued = await json(
        ...["bridge", "fa-withdraw", "--to", RECEIVER, "--amount", "2", "--bridge", "fa-token-bridge"],
        "--no-wait",
      );
      expect(queued).toMatchObject({ arrived: false });
      await untilHeld(token, RECEIVER, 8);
      expect(await json(...withdraw("--bridge", "fa-token-bridge"))).toMatchObject({
        error: { code: "OPERATION_FAILED", next: expect.stringContaining("fa-deposit") },
      });
    });

    it("works with tickets with content, and with an FA1.2 token", async () => {
      const token = await originateFa12(100);
      const { bridge } = await faDeploy(
        ...["--source", "treasury", "--tezos-fa-token", token, "--ticket-id", "9"],
        ...["--ticket-content", "silver"],
      );
      await faDeposit(bridge, "4");
      const { tokenId, layer1Tokens } = await json<{ tokenId: null; layer1Tokens: string }>(
        ...withdraw("--bridge", bridge),
      );
      expect([tokenId, layer1Tokens]).toEqual([null, "3"]);
    });

    it("rejects impossible requests, and says who holds the tickets", async () => {
      const withdrawRefusal = (...args: string[]) => refusal("bridge", "fa-withdraw", ...args);
      const to = ["--to", "bootstrap4"];
      const bridge = ["--bridge", "fa-token-bridge"];
      expect(await withdrawRefusal(...to, "--amount", "0", ...bridge)).toBe("BAD_OPTION");
      expect(await withdrawRefusal(...to, "--amount", (2n ** 64n).toString(), ...bridge)).toBe("BAD_OPTION");
      expect(await withdrawRefusal(...to, "--amount", "1.5", ...bridge)).toBe("BAD_OPTION");
      expect(await withdrawRefusal("--to", "nobody", "--amount", "1", ...bridge)).toBe("UNKNOWN_ALIAS");
      expect(await withdrawRefusal(...to, "--amount", "1", "--bridge", "nothing")).toBe("UNKNOWN_ALIAS");
      expect(await withdrawRefusal(...to, "--amount", "1", "--bridge", "fa-token")).toBe("BAD_ADDRESS");
      await faDeploy("--source", "treasury", "--force", "--jstz-fa-token", "vault");
      await faDeposit("fa-token-bridge", "2");
      const held = await cli.functez(withdraw(...bridge));
      expect(held).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/smart function KT1\w{33} holds the tickets/),
      });
    });
  });

  it("reads accounts from, and writes aliases to, the configuration file given to fa-deploy and deploy", async () => {
    const other = join(cli.configHome, "other.json");
    const config = (file: string) =>
      JSON.parse(readFileSync(file, "utf8")) as { layer1_contracts?: object; accounts: object };
    const usual = join(cli.configHome, "functez", "config.json");
    copyFileSync(usual, other);
    const before = config(usual);
    const { aliases } = await faDeploy("--source", "alice-of-nowhere", other).catch(() => ({ aliases: {} }));
    expect(aliases ?? {}).toEqual({});
    const deployed = await faDeploy("--source", "treasury", "--force", other);
    expect(config(other).layer1_contracts).toMatchObject(deployed.aliases);
    await cli.functez([
      "deploy",
      "export default () => new Response()",
      "--name",
      "far",
      "--config-path",
      other,
    ]);
    expect(config(other).accounts).toHaveProperty("far");
    expect(config(usual)).toEqual(before);
  });

  it("rejects impossible requests, and keeps aliases", async () => {
    const token = ["--tezos-fa-token", "fa-token"];
    const deploy = (...args: string[]) =>
      refusal("bridge", "fa-deploy", "--source", "treasury", "--total-ticket-supply", "5", ...args);
    expect(await deploy()).toBe("ALIAS_EXISTS");
    expect(await deploy(...token, "--force")).toBe("BAD_OPTION"); // an FA2 token needs its id
    expect(await deploy(...token, "--force", "--token-id", "-1")).toBe("BAD_OPTION");
    expect(await deploy("--tezos-fa-token", "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ")).toBe("BAD_ADDRESS");
    expect(await deploy("--tezos-fa-token", RECEIVER)).toBe("BAD_ADDRESS");
    expect(await deploy("--tezos-fa-token", "nothing")).toBe("UNKNOWN_ALIAS");
    expect(await deploy("--force", "--jstz-fa-token", "KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ")).toBe(
      "BAD_ADDRESS",
    );
    expect(await deploy("--force", "--jstz-fa-token", "alice")).toBe("BAD_ADDRESS");
    const deposit = (bridge: string, amount: string, to = "alice", ...rest: string[]) =>
      refusal(
        ...["bridge", "fa-deposit", "--from", "treasury", "--to", to, "--amount", amount, "--bridge", bridge],
        ...rest,
      );
    expect(await deposit("fa-token-bridge", "0")).toBe("BAD_OPTION");
    expect(await deposit("fa-token", "1")).toBe("BAD_ADDRESS");
    expect(await deposit("fa-token-bridge", "1", "alice", "--rollup", "KT1")).toBe("BAD_OPTION");
    expect(await deposit("fa-token-bridge", "1", "tz2BFTyPeYRzxd5aiBchbXN3WCZhx7BqbMBq")).toBe("BAD_ADDRESS");
  });
});

describe("configured accounts", () => {
  it("send deposits by label when the sandbox has their key, and can always receive", async () => {
    const deposit = (from: string, to: string, amount = "2") =>
      ["bridge", "deposit", "--from", from, "--to", to, "--amount", amount] as const;
    const sent = await cli.functez(deposit("treasury", "alice"));
    expect(sent).toMatchObject({ code: 0, stdout: "Deposited 2 XTZ from treasury to alice\n" });
    expect(sent.stderr).toContain("alice: 2 tez in the runtime");
    expect(await refusal(...deposit("watched", "alice"))).toBe("KEY_UNKNOWN");
    expect(await refusal(...deposit("treasury", "alice", "60"))).toBe("INSUFFICIENT_BALANCE");
    expect((await cli.functez(deposit("treasury", "watched"))).code).toBe(0);
    expect((await cli.functez(["account", "balance", "-a", "watched"])).stdout).toBe("2ꜩ\n");
    const unknown = await cli.functez(deposit("tresury", "alice"));
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/UNKNOWN_BOOTSTRAP.*treasury, watched/),
    });
    expect((await cli.functez(["transfer", "0.5", "watched"])).code).toBe(0);
  });
});
