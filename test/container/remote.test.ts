// Engines on other machines: through the user's `ssh`, and over TCP with ports on the machine's own address.
import { chmodSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CONTAINER_NAME } from "../../cli/container/container-removal.ts";
import { OWN_IMAGE } from "../../cli/container/image.ts";
import { type BuiltCli, builtCli } from "../support/built-cli.ts";
import { fakeEngine, frame, sendJson } from "./support/fake-engine.ts";
import { docker, ENGINE_SOCKET, removeLeftOver, skipReason } from "./support/real-engine.ts";

let cli: BuiltCli;
let config: string;
beforeEach(() => {
  cli = builtCli();
  config = join(cli.configHome, "sandbox.json");
  const any = "127.0.0.1:0";
  writeFileSync(
    config,
    JSON.stringify({ server_port: 0, layer1_node: { rpc_endpoint: any }, runtime_node: { endpoint: any } }),
  );
});
afterEach(() => cli.dispose());

/** Puts an `ssh` on the PATH that records its arguments and connects to a socket of this machine. */
function standInSsh(socket: string): string {
  const notes = join(cli.configHome, "ssh-arguments");
  const script = join(cli.configHome, "ssh");
  writeFileSync(
    script,
    `#!${process.execPath}
require("node:fs").appendFileSync(${JSON.stringify(notes)}, JSON.stringify(process.argv.slice(2)) + "\\n");
const socket = require("node:net").connect(${JSON.stringify(socket)});
process.stdin.pipe(socket).pipe(process.stdout);
socket.on("error", (error) => { console.error(error.message); process.exit(255); });`,
  );
  chmodSync(script, 0o755);
  cli.env["PATH"] = `${cli.configHome}:${cli.env["PATH"]}`;
  return notes;
}

const run = async (...args: string[]) => {
  const result = await cli.functez(["--json", "sandbox", "--container", ...args]);
  return { ...result, json: JSON.parse(result.stdout) as Record<string, unknown> };
};

describe("an engine behind ssh", () => {
  it("is reached through the user's ssh, and its loopback ports through the suggested forward", async () => {
    let created = false;
    await using fake = await fakeEngine({
      answer: ({ path, method }, response) => {
        if (/^\/images\/.*\/json$/.test(path)) {
          return void sendJson(response, 200, { Id: "1", Architecture: "amd64", Config: { Labels: {} } });
        }
        if (path === "/containers/create") {
          created = true;
          return void sendJson(response, 201, { Id: "c1" });
        }
        if (path === `/containers/${CONTAINER_NAME}/json` && created) {
          const Config = { Image: OWN_IMAGE, Labels: { "functez.sandbox": "1" } };
          return void sendJson(response, 200, { Id: "c1", Config, State: { Running: true } });
        }
        if (path === "/containers/c1/wait") return true; // it keeps running
        if (path === "/containers/c1/logs")
          return void response.writeHead(200).end(frame(1, '{"ready":true}\n'));
        if (path === "/containers/c1/start" || method === "PUT") return void response.writeHead(200).end();
        return false;
      },
      attach: (socket) => void socket.write(frame(1, '{"ready":true}\n')),
    });
    const notes = standInSsh(fake.socket);
    cli.env["DOCKER_HOST"] = "ssh://ana@build.example:2222";
    const { code, json } = await run("start", "-d", "-c", config);
    expect(code).toBe(0);
    expect(json).toMatchObject({ running: true, reachable: false, engine: "ssh://ana@build.example:2222" });
    expect(json["forward"]).toMatch(/^ssh -N( -L (\d+):127\.0\.0\.1:\2){3} -p 2222 ana@build\.example$/);
    const { readFileSync } = await import("node:fs");
    const asked = JSON.parse(readFileSync(notes, "utf8").split("\n")[0]!) as string[];
    expect(asked.slice(-5)).toEqual(["--", "ana@build.example", "docker", "system", "dial-stdio"]);
  });

  it("is reported with ssh's own message when it cannot be reached", async () => {
    standInSsh("/absent/docker.sock");
    cli.env["DOCKER_HOST"] = "ssh://build.example";
    const { json } = await run("status");
    const { code, message } = json["error"] as { code: string; message: string };
    expect(code).toBe("DOCKER_UNREACHABLE");
    expect(message).toContain("/absent/docker.sock");
  });
});

const reason = await skipReason();

describe.skipIf(reason !== undefined)("a real engine, as if on another machine", () => {
  afterEach(() => removeLeftOver());

  it("runs the sandbox through ssh for its whole life", async () => {
    standInSsh(ENGINE_SOCKET);
    cli.env["DOCKER_HOST"] = "ssh://build.example";
    // The fake remote machine is this one: its loopback is reachable as through a forward.
    const { code, json } = await run("start", "-d", "-c", config);
    expect(code).toBe(0);
    expect(json).toHaveProperty("accounts");
    expect((await run("status")).json).toMatchObject({ running: true, status: "healthy" });
    expect((await run("stop")).json).toMatchObject({ stopped: true });
  });

  it("publishes on the machine's own address on request, and announces it to clients", async () => {
    const address = ownAddress();
    const bridge = await bridgeTo(ENGINE_SOCKET, address);
    cli.env["DOCKER_HOST"] = `tcp://${address}:${(bridge.address() as { port: number }).port}`;
    const { code, json } = await run("start", "-d", "-c", config, "--publish-address", "0.0.0.0");
    expect(code).toBe(0);
    const { sandboxd, layer1, runtime } = json["endpoints"] as Record<string, string>;
    for (const url of [sandboxd, layer1, runtime]) expect(new URL(url!).hostname).toBe(address);
    expect((await fetch(`${runtime}/health`)).status).toBe(200);
    expect((await fetch(`${layer1}/version`)).status).toBe(200);
    expect(docker("port", CONTAINER_NAME)).toContain("0.0.0.0:");
    await run("stop");
    bridge.close();
  });
});

/** A non-loopback address of this machine. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = all.find(({ family, internal }) => family === "IPv4" && !internal);
  if (!found) throw new Error("this machine has only loopback addresses");
  return found.address;
}

function bridgeTo(socket: string, host: string): Promise<Server> {
  const server = createServer((connection) => {
    const engine = connect(socket);
    connection.pipe(engine).pipe(connection);
    connection.on("error", () => engine.destroy());
    engine.on("error", () => connection.destroy());
  });
  return new Promise((resolve) => server.listen(0, host, () => resolve(server)));
}
