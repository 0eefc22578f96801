// `functez/testing`: a sandbox inside a test. Everything runs in the test's own process on free ports, or in one of its
// own that stays; deposits take the real path over layer 1 and the bridge. The types come from the published
// declarations (types/), so that the implementation matches what users see.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadFunction } from "../cli/bundle-function.ts";
import { sourceOf } from "../cli/shelve-source.ts";
import { createDebugClient } from "../daemon/client/debug-client.ts";
import { closeIdleConnections } from "../daemon/client/http-json.ts";
import { createLayer1Client } from "../daemon/client/layer1-client.ts";
import { createRuntimeClient } from "../daemon/client/runtime-client.ts";
import { createSandboxClient } from "../daemon/client/sandbox-client.ts";
import { adminSecretOf } from "../daemon/config/admin-secret.ts";
import { withOverrides } from "../daemon/config/overrides.ts";
import { defaultConfig, type SandboxConfig } from "../daemon/config/schema.ts";
import { sandboxAccounts } from "../daemon/control/accounts.ts";
import { openLog } from "../daemon/control/log.ts";
import { createSandbox } from "../daemon/control/sandbox.ts";
import { indexerOf } from "../daemon/indexer-part.ts";
import { layer1Part } from "../daemon/layer1-part.ts";
import type { OwnerSecret } from "../daemon/protocol/admin-secret.ts";
import { BOOTSTRAP_ACCOUNTS, BRIDGE_ADDRESS, DEFAULT_GAS_LIMIT } from "../daemon/protocol/constants.ts";
import { SandboxError } from "../daemon/protocol/errors.ts";
import {
  type DeployFunction,
  type RunFunction,
  operationHashHex,
  signOperation,
} from "../daemon/protocol/runtime-operation.ts";
import { receiptOfKind, type RunReceipt } from "../daemon/protocol/runtime-receipt.ts";
import { parseSecretKey } from "../daemon/protocol/secret-key.ts";
import { parseTez, parseTezOrZero } from "../daemon/protocol/tez.ts";
import { pause } from "../daemon/protocol/wait.ts";
import { runtimePart } from "../daemon/runtime-part.ts";
import { randomSecretKey, type SecretKey } from "../daemon/tezos/keys.ts";
import type { Sandbox, SandboxOptions, TestAccount, TestFunction } from "../types/testing.d.cts";
import { COVERAGE_VARIABLE, CoverageFile } from "./coverage-file.ts";
import { isKeeping, KEEP_VARIABLE, startKept } from "./kept-process.ts";
import { debugHint, hasFailed, SentOperations } from "./sent-operations.ts";

export { SandboxError } from "../daemon/protocol/errors.ts";
export type { Sandbox, SandboxOptions, Snapshot, TestAccount, TestFunction } from "../types/testing.d.cts";

/** A running sandbox. */
interface Host {
  readonly endpoints: Sandbox["endpoints"];
  readonly adminSecret: string;
  /** Whether it stays after the tests. */
  readonly isKept: boolean;
  stop(): Promise<void>;
}

/** Starts a sandbox in this process, or with `FUNCTEZ_KEEP=1` in another one. Stop it after the tests. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { runtime_node: usual } = defaultConfig();
  const settings = {
    log_level: "error" as const,
    runtime_node: {
      strict: options.strict ?? usual.strict,
      real_time: options.realTime ?? usual.real_time,
      oracle: {
        ...usual.oracle,
        allow_private: options.oracle?.allowPrivate ?? false,
        allowed_hosts: options.oracle?.allowedHosts ?? [],
      },
      gas_ceiling: options.gasCeiling ?? usual.gas_ceiling,
    },
  };
  return testSandbox(await (isKeeping(process.env) ? keptHost(settings) : hostHere(settings)));
}

type Settings = Pick<SandboxConfig, "log_level"> & {
  readonly runtime_node: Partial<SandboxConfig["runtime_node"]>;
};

const distFolder = (): string => dirname(fileURLToPath(import.meta.url));

async function keptHost(settings: Settings): Promise<Host> {
  const adminSecret = adminSecretOf(defaultConfig(), process.env).text;
  const endpoints = await startKept(distFolder(), settings, adminSecret, process.env);
  const stop = (): Promise<void> => {
    console.error(
      `The sandbox of this test stays at ${endpoints.sandboxd}, because of ${KEEP_VARIABLE}. To stop it: FUNCTEZ_SANDBOX_URL=${endpoints.sandboxd} functez sandbox stop`,
    );
    return Promise.resolve();
  };
  return { endpoints, adminSecret, isKept: true, stop };
}

async function hostHere(settings: Settings): Promise<Host> {
  const base = withOverrides(defaultConfig(), { freePorts: true });
  const config = { ...base, ...settings, runtime_node: { ...base.runtime_node, ...settings.runtime_node } };
  const log = await openLog({ level: "error", file: "" });
  const adminSecret = adminSecretOf(config, process.env);
  const layer1 = layer1Part(config, log, adminSecret);
  const engineDirectory = distFolder();
  const runtimeNode = runtimePart(config, {
    log,
    engineDirectory,
    layer1Endpoint: () => layer1.endpoint(),
    adminSecret,
  });
  const daemon = createSandbox({
    config,
    parts: { layer1, runtime: runtimeNode },
    indexer: indexerOf(config, {
      directory: engineDirectory,
      layer1Endpoint: () => layer1.endpoint(),
      log,
    }),
    accounts: sandboxAccounts(config),
    adminSecret,
    lifelineGraceMs: undefined,
    ownerRecord: false,
    log,
    env: process.env,
    onStopped: closeIdleConnections,
  });
  await daemon.bind();
  await daemon.start();
  const endpoints = daemon.endpoints();
  return { endpoints, adminSecret: adminSecret.text, isKept: false, stop: () => daemon.stop() };
}

function testSandbox({ endpoints, adminSecret, isKept, stop }: Host): Sandbox {
  const runtime = createRuntimeClient(endpoints.runtime);
  const rpc = createLayer1Client(endpoints.layer1);
  const asOwner = { adminSecret: (): OwnerSecret => ({ text: adminSecret, isDirect: true }) };
  const control = createSandboxClient(endpoints.sandboxd, asOwner);
  const debug = createDebugClient(endpoints.sandboxd, asOwner);
  const keptAt = isKept ? endpoints.sandboxd : undefined;
  const sent = new SentOperations(debug, keptAt);
  const coverageTarget = process.env[COVERAGE_VARIABLE] ?? "";
  const coverage = coverageTarget === "" ? undefined : new CoverageFile(debug, coverageTarget);
  // Sequential: layer 1 operations of one account carry consecutive counters, and a snapshot in the middle of a deposit
  // would split it.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function send<Content extends DeployFunction | RunFunction>(
    key: SecretKey,
    content: Content,
    what: string,
  ) {
    const nonce = await runtime.nonce(key.publicKey.address);
    const operation = signOperation({ publicKey: key.publicKey.text, nonce, content }, key);
    await runtime.inject(operation);
    const hash = operationHashHex(operation.inner);
    const receipt = await runtime.waitForReceipt(hash);
    const { result } = receipt;
    const isCall = content._type === "RunFunction";
    const failure = result._type === "Failed" ? { failure: result.inner } : {};
    const isAnswered = result._type === "Success" && result.inner._type === "RunFunction";
    sent.add({ hash, what, isCall, ...failure, ...(isAnswered && { status: result.inner.statusCode }) });
    return {
      hash,
      result: receiptOfKind<Content["_type"]>(receipt, content._type, endpoints.runtime).result,
    };
  }

  function accountOf(key: SecretKey): TestAccount {
    const { address } = key.publicKey;
    return { address, secretKey: key.text, balance: () => runtime.balance(address) };
  }

  async function depositTo(address: string, tez: string): Promise<void> {
    const amount = parseTez(tez);
    const key = parseSecretKey(BOOTSTRAP_ACCOUNTS[0].secretKey);
    const parameters = { entrypoint: "deposit", value: { string: address } };
    const { level } = await rpc.send({ key, destination: BRIDGE_ADDRESS, amount, parameters });
    const isIt = (deposit: { level: number; receiver: string }) =>
      deposit.level === level && deposit.receiver === address;
    while (!(await runtime.deposits())?.some(isIt)) await pause(2);
  }

  function functionAt(address: string): TestFunction {
    return {
      address,
      balance: () => runtime.balance(address),
      kv: (key) => runtime.kv(address, key),
      async call(path, { from, method = "GET", headers = {}, body, tez, gasLimit = DEFAULT_GAS_LIMIT }) {
        const isText = typeof body === "string" || body === undefined;
        const text = isText ? body : JSON.stringify(body);
        const target = `${path.startsWith("/") ? "" : "/"}${path}`;
        const content: RunFunction = {
          _type: "RunFunction",
          uri: `jstz://${address}${target}`,
          method,
          headers: {
            ...(isText ? {} : { "content-type": "application/json" }),
            ...Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
            ),
            ...(tez === undefined ? {} : { "x-jstz-transfer": parseTez(tez).toString() }),
          },
          body: text === undefined ? null : Buffer.from(text).toString("base64"),
          gasLimit: BigInt(gasLimit),
        };
        const what = `${method} ${target} of ${address}`;
        const { hash, result } = await send(parseSecretKey(from.secretKey), content, what);
        if (result._type === "Failed") {
          const data = { reason: result.inner, operation: hash, next: debugHint(hash, keptAt) };
          throw new SandboxError("RUN_FAILED", data);
        }
        return responseOf(result.inner);
      },
    };
  }

  return {
    endpoints,
    adminSecret,
    async createAccount({ tez } = {}) {
      const account = accountOf(randomSecretKey());
      if (tez !== undefined) await this.deposit(account, tez);
      return account;
    },
    deposit(to, tez) {
      const address = typeof to === "string" ? to : to.address;
      return inTurn(() => depositTo(address, tez));
    },
    async deploy(source, { from, tez = "0" }) {
      const made = await loadFunction(source, process.cwd(), { withMap: true, withTexts: true });
      const content: DeployFunction = {
        _type: "DeployFunction",
        functionCode: made.code,
        accountCredit: parseTezOrZero(tez),
      };
      const what = `deploy ${made.file ?? "code"}`;
      const { result } = await send(parseSecretKey(from.secretKey), content, what);
      if (result._type === "Failed") throw new SandboxError("DEPLOY_FAILED", { reason: result.inner });
      const { address } = result.inner;
      const shelved = sourceOf(address, made);
      if (shelved !== undefined) await debug.shelve(shelved);
      return functionAt(address);
    },
    snapshot: () => inTurn(() => control.takeSnapshot()),
    restore: ({ id }) =>
      inTurn(async () => {
        await coverage?.count();
        await control.restoreSnapshot(id);
      }),
    async printFailure(test) {
      if (hasFailed(test)) console.error(await sent.report());
      sent.clear();
    },
    async stop() {
      try {
        await coverage?.count();
        coverage?.write();
      } finally {
        await stop();
      }
    },
  };
}

/** Statuses whose responses have no body; `Response` rejects one. */
const NULL_BODY = new Set([101, 204, 205, 304]);

function responseOf({ statusCode, headers, body }: RunReceipt): Response {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Response(body === null || NULL_BODY.has(statusCode) ? null : Buffer.from(body, "base64"), {
    status: statusCode,
    headers: list,
  });
}
