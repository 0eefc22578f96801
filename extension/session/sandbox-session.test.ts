import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { FinishedOperation } from "../../daemon/protocol/call-trace.ts";
import { VERSION } from "../../daemon/protocol/constants.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import { SandboxSession } from "./sandbox-session.ts";

/** The part of sandboxd that a session uses. */
interface FakeSandbox {
  readonly port: number;
  readonly asked: string[];
  status: "healthy" | "stopping";
  /** Releases the delayed response. */
  answerAccounts: () => void;
  close(): Promise<void>;
}

const FINISHED: FinishedOperation = {
  hash: "op",
  at: new Date().toISOString(),
  operation: "RunFunction",
  sender: "tz1",
  success: true,
  failure: null,
  statusCode: 200,
  deployed: null,
  target: "KT1",
};

const open = new Set<FakeSandbox>();
afterEach(async () => {
  for (const sandbox of open) await sandbox.close();
});

async function fakeSandbox(options: { readonly slowAccounts?: boolean } = {}): Promise<FakeSandbox> {
  let answerAccounts = () => {};
  const accountsAsked = options.slowAccounts
    ? new Promise<void>((resolve) => (answerAccounts = resolve))
    : Promise.resolve();
  const server: Server = createServer(async (request, response) => {
    sandbox.asked.push(request.url!);
    const answer = (body: unknown) => response.end(JSON.stringify(body));
    if (request.url === "/health")
      return answer({ status: sandbox.status, pid: port, version: VERSION, parts: [], clients: 1 });
    if (request.url === "/config/")
      return answer({
        layer1_node: { rpc_endpoint: "a:1" },
        runtime_node: { endpoint: `127.0.0.1:${port}` },
      });
    if (request.url === "/traces?limit=100&trees=false") return answer([FINISHED]);
    if (request.url === "/deposits") return answer([]);
    if (request.url === "/accounts") return accountsAsked.then(() => answer({ accounts: [] }));
    if (request.url === "/shutdown") return response.writeHead(204).end(() => void sandbox.close());
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sandbox: FakeSandbox = {
    port,
    asked: [],
    status: "healthy",
    answerAccounts,
    close() {
      open.delete(sandbox);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  open.add(sandbox);
  return sandbox;
}

function sessionWith(serverPort: number, started?: FakeSandbox, attached = false) {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const session = new SandboxSession({
    serverPort: () => serverPort,
    startContainer: undefined,
    log: quiet,
    startProcess: (): Promise<DaemonProcess> => {
      if (!started) throw new Error("nothing is to be started");
      const sandboxd = `http://127.0.0.1:${started.port}`;
      return Promise.resolve({
        ready: { sandboxd, layer1: "", runtime: "", pid: started.port, version: VERSION, attached },
        ended: attached ? Promise.resolve({ code: 0, signal: null, lastLines: [] }) : new Promise(() => {}),
        release: () => undefined,
      });
    },
  });
  const states: string[] = [];
  session.onChange((change) => change === "state" && states.push(session.state.kind));
  return { session, states };
}

it("asks once when a start and the window's own search for a sandbox coincide", async () => {
  const sandbox = await fakeSandbox({ slowAccounts: true });
  const { session, states } = sessionWith(sandbox.port);
  const both = [session.attachIfRunning(), session.start()];
  await expect.poll(() => sandbox.asked).toContain("/accounts");
  sandbox.answerAccounts();
  await Promise.all(both);
  expect(states).toEqual(["starting", "running"]);
  expect(sandbox.asked.filter((url) => url === "/accounts")).toHaveLength(1);
  session.dispose();
});

it("stays stopped when an attach was in flight during the stop", async () => {
  const sandbox = await fakeSandbox({ slowAccounts: true });
  const { session } = sessionWith(sandbox.port);
  const attaching = session.attachIfRunning();
  await expect.poll(() => sandbox.asked).toContain("/accounts");
  const stopping = session.stop();
  sandbox.answerAccounts();
  await Promise.all([attaching, stopping]);
  expect(sandbox.asked).toContain("/shutdown");
  expect(session.state.kind).toBe("stopped");
  session.dispose();
});

it("starts a new sandbox after the one that is shutting down has exited", async () => {
  const old = await fakeSandbox();
  const next = await fakeSandbox();
  old.status = "stopping";
  const { session } = sessionWith(old.port, next);
  const starting = session.start();
  await expect.poll(() => old.asked.length).toBeGreaterThan(1);
  expect(next.asked).toEqual([]);
  await old.close();
  await starting;
  expect(session.sandbox?.pid).toBe(next.port);
  session.dispose();
});

it("starts a new sandbox when the one that was found ends while the window attaches to it", async () => {
  const old = await fakeSandbox({ slowAccounts: true });
  const next = await fakeSandbox();
  const { session, states } = sessionWith(old.port, next);
  const starting = session.start();
  await expect.poll(() => old.asked).toContain("/accounts");
  await old.close();
  await starting;
  expect(session.sandbox?.pid).toBe(next.port);
  expect(states).toEqual(["starting", "running"]);
  session.dispose();
});

it("finds none when the sandbox ends while the window attaches to it", async () => {
  const old = await fakeSandbox({ slowAccounts: true });
  const { session, states } = sessionWith(old.port);
  const attaching = session.attachIfRunning();
  await expect.poll(() => old.asked).toContain("/accounts");
  await old.close();
  expect(await attaching).toBe(false);
  expect(states).toEqual([]);
  session.dispose();
});

it("holds a sandbox by its event connection when its own daemon only found a running one", async () => {
  const gone = await fakeSandbox();
  const running = await fakeSandbox();
  await gone.close();
  const { session, states } = sessionWith(gone.port, running, true);
  await session.start();
  await expect.poll(() => running.asked).toContain("/events?lifeline=1");
  expect(states).toEqual(["starting", "running"]);
  session.dispose();
});

it("lists operations from before it attached, fetched once after its event stream opens", async () => {
  const running = await fakeSandbox();
  const { session } = sessionWith(running.port);
  await session.attachIfRunning();
  await expect.poll(() => session.operations.map(({ data }) => data.hash)).toEqual(["op"]);
  const asked = running.asked.filter((url) => /^\/(events|traces)/.test(url));
  expect(asked).toEqual(["/events?lifeline=1", "/traces?limit=100&trees=false"]);
  session.dispose();
});
