// A client of the EVM development nodes. Transactions are signed before any measurement starts.
import { freePort, launch } from "./machine.mjs";
import { MNEMONIC, evmLaunch, importFrom, requireFrom } from "./peers.mjs";
import { ask, keepAlive, until } from "./requests.mjs";

const GWEI = 10n ** 9n;
let requestId = 0;

export async function rpc(port, method, params = [], agent = undefined) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++requestId, method, params });
  const { result, error } = JSON.parse((await ask(port, "/", { method: "POST", body, agent })).text);
  if (error) throw new Error(`${method}: ${JSON.stringify(error).slice(0, 300)}`);
  return result;
}

export async function startEvm(name) {
  const port = await freePort();
  const started = performance.now();
  const child = launch(...evmLaunch(name, port));
  await until(() => rpc(port, "eth_chainId"));
  return { child, port, started, startMs: performance.now() - started };
}

/** Bytecode and selectors of a counter contract. */
export function compileCounter() {
  const solc = requireFrom("tools")("solc");
  const content =
    "pragma solidity ^0.8.0; contract Counter { uint256 public n; function inc() external { n += 1; } }";
  const settings = {
    evmVersion: "paris",
    optimizer: { enabled: true },
    outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.methodIdentifiers"] } },
  };
  const input = { language: "Solidity", sources: { "counter.sol": { content } }, settings };
  const { evm } = JSON.parse(solc.compile(JSON.stringify(input))).contracts["counter.sol"].Counter;
  const { "inc()": increase, "n()": read } = evm.methodIdentifiers;
  return { code: `0x${evm.bytecode.object}`, increase: `0x${increase}`, read: `0x${read}` };
}

export async function connectEvm(port) {
  const { mnemonicToAccount, privateKeyToAccount } = await importFrom("tools", "viem/accounts");
  const agent = keepAlive(32);
  const chainId = Number(await rpc(port, "eth_chainId", [], agent));
  const nonces = new Map();
  const client = {
    agent,
    rich: (index) => mnemonicToAccount(MNEMONIC, { addressIndex: index }),
    fresh: (index) =>
      privateKeyToAccount(`0x${(0xc0ffee0000n + BigInt(index)).toString(16).padStart(64, "0")}`),
    call: (method, params) => rpc(port, method, params, agent),
    async sign(account, fields) {
      const nonce =
        nonces.get(account.address) ??
        Number(await client.call("eth_getTransactionCount", [account.address, "latest"]));
      nonces.set(account.address, nonce + 1);
      const fees = { gas: 21_000n, maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI };
      return account.signTransaction({ type: "eip1559", chainId, nonce, value: 0n, ...fees, ...fields });
    },
    async signMany(count, accounts, fields) {
      const lanes = accounts.map(() => []);
      for (let i = 0; i < count; i++) {
        const lane = i % accounts.length;
        lanes[lane].push(await client.sign(accounts[lane], fields));
      }
      return lanes;
    },
    send: (raw) => client.call("eth_sendRawTransaction", [raw]),
    /** Sends, and polls until the receipt exists. */
    async complete(raw) {
      return client.receipt(await client.send(raw));
    },
    async receipt(hash) {
      for (;;) {
        const receipt = await client.call("eth_getTransactionReceipt", [hash]);
        if (receipt?.status === "0x1") return receipt;
        if (receipt) throw new Error(`transaction ${hash} failed`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    /** Funds accounts with ether. */
    async fund(accounts) {
      for (const { address } of accounts)
        await client.complete(await client.sign(client.rich(0), { to: address, value: 5n * 10n ** 18n }));
    },
    nonceOf: (account) => nonces.get(account.address) ?? 0,
    close: () => agent.destroy(),
  };
  return client;
}
