// Container mode against engines that misbehave, or that test machines lack.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IMAGE_REPOSITORY, OWN_IMAGE } from "../../cli/container/image.ts";
import { accountTable } from "../../daemon/text/start-output.ts";
import { type BuiltCli, builtCli, type CommandResult } from "../support/built-cli.ts";
import {
  type Answer,
  type FakeEngine,
  fakeEngine,
  type FakeEngineOptions,
  frame,
  sendJson,
} from "./support/fake-engine.ts";

let cli: BuiltCli;
let config: string;
beforeEach(() => {
  cli = builtCli();
  cli.env["HOME"] = cli.configHome;
  for (const name of [
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "FUNCTEZ_DOCKER_HOST",
    "XDG_RUNTIME_DIR",
  ]) {
    delete cli.env[name];
  }
  config = join(cli.configHome, "sandbox.json");
  writeFileSync(
    config,
    JSON.stringify({
      server_port: 0,
      layer1_node: { rpc_endpoint: "127.0.0.1:0" },
      runtime_node: { endpoint: "127.0.0.1:0" },
    }),
  );
});
const engines: FakeEngine[] = [];
afterEach(async () => {
  await cli.dispose();
  for (const each of engines.splice(0)) await each[Symbol.asyncDispose]();
});

const inContainer = (...args: string[]): Promise<CommandResult> =>
  cli.functez(["--json", "sandbox", "--container", ...args]);
const start = () => inContainer("start", "-d", "-c", config);
const json = ({ stdout }: CommandResult) => JSON.parse(stdout) as Record<string, unknown>;
const errorOf = (result: CommandResult) =>
  (json(result) as { error: { code: string; message: string; next: string } }).error;

/** A fake engine that the command discovers; closed after the test. */
async function engine(options: FakeEngineOptions = {}): Promise<FakeEngine> {
  const started = await fakeEngine(options);
  engines.push(started);
  cli.env["DOCKER_HOST"] = `unix://${started.socket}`;
  return started;
}

/** An engine that already has the image. */
const withImage =
  (more: Answer): Answer =>
  (request, response) => {
    if (/^\/images\/.*\/json$/.test(request.path)) {
      return void sendJson(response, 200, { Id: "sha256:1", Architecture: "amd64", Config: { Labels: {} } });
    }
    return more(request, response);
  };

/** Creates and starts a container. */
const withContainer = (more: Answer): Answer =>
  withImage((request, response) => {
    if (request.path === "/containers/create") return void sendJson(response, 201, { Id: "c1" });
    if (request.method === "PUT") return void response.writeHead(200).end();
    if (request.path === "/containers/c1/start") return void response.writeHead(204).end();
    if (request.method === "DELETE") return void response.writeHead(204).end();
    return more(request, response);
  });

describe("where the ports are published", () => {
  it.each(["localhost.", "", "myhost", "host.docker.internal", "999.1.1.1", "127.0.0.1:5", "127.1"])(
    "rejects an address that an engine might read as all addresses: %j",
    async (address) => {
      const fake = await engine({ answer: withContainer(() => false) });
      const error = errorOf(await inContainer("start", "-d", "-c", config, "--publish-address", address));
      expect(error.code).toBe("BAD_OPTION");
      expect(fake.asked("POST", /create/)).toBeUndefined();
    },
  );

  it("is checked after the start, and a container that is open to others is stopped", async () => {
    const fake = await engine({
      answer: withContainer((request, response) => {
        if (request.path === "/containers/c1/stop") return void response.writeHead(204).end();
        if (request.path === "/containers/c1/wait") return void sendJson(response, 200, { StatusCode: 0 });
        if (request.path !== "/containers/c1/json") return false;
        const Ports = { "1/tcp": [{ HostIp: "127.0.0.1" }, { HostIp: "0.0.0.0" }, { HostIp: "" }] };
        sendJson(response, 200, { Id: "c1", NetworkSettings: { Ports } });
      }),
    });
    const error = errorOf(await inContainer("start", "-d", "-c", config, "--publish-address", "localhost"));
    expect(error.code).toBe("CONTAINER_FAILED");
    expect(error.message).toContain("0.0.0.0, all addresses");
    expect(fake.asked("POST", /c1\/stop/)).toBeDefined();
  });
});

describe("finding the engine", () => {
  it("follows the active context of Docker's own configuration", async () => {
    await using fake = await fakeEngine();
    const folder = join(
      cli.configHome,
      ".docker/contexts/meta",
      createHash("sha256").update("colima").digest("hex"),
    );
    mkdirSync(folder, { recursive: true });
    const meta = { Name: "colima", Endpoints: { docker: { Host: `unix://${fake.socket}` } } };
    writeFileSync(join(folder, "meta.json"), JSON.stringify(meta));
    writeFileSync(join(cli.configHome, ".docker/config.json"), JSON.stringify({ currentContext: "colima" }));
    expect(json(await inContainer("status"))).toEqual({ running: false });
    expect(fake.asked("GET", /^\/containers\/functez-sandbox\/json$/)).toBeDefined();
  });

  it.each([
    ["refuses everything below 1.44", { minApiVersion: "1.44", apiVersion: "1.52" }, "1.51"],
    ["knows nothing above 1.43", { minApiVersion: "1.12", apiVersion: "1.43" }, "1.43"],
    ["knows nothing as old as ours", { minApiVersion: "1.60", apiVersion: "1.61" }, "1.60"],
  ])("agrees on a version with an engine that %s", async (_what, versions, agreed) => {
    const fake = await engine(versions);
    expect(json(await inContainer("status"))).toEqual({ running: false });
    expect(fake.asked("GET", /functez-sandbox/)?.version).toBe(agreed);
  });

  it("takes its options before and after the command", async () => {
    const fake = await engine();
    const unix = `unix://${fake.socket}`;
    delete cli.env["DOCKER_HOST"];
    for (const args of [
      ["sandbox", "--container", "--engine", unix, "status"],
      ["sandbox", "status", "--container", "--engine", unix],
      ["sandbox", "--container", "status", "--engine", unix],
    ]) {
      expect(json(await cli.functez(["--json", ...args]))).toEqual({ running: false });
    }
    expect(fake.requests.filter(({ path }) => path === "/containers/functez-sandbox/json")).toHaveLength(3);
  });

  it("lists every place that it tried, with the reason, and offers the mode without a container", async () => {
    const place = join(cli.configHome, "absent.sock");
    const error = errorOf(await inContainer("--engine", `unix://${place}`, "status"));
    expect(error.code).toBe("DOCKER_UNREACHABLE");
    expect(error.message).toContain(place);
    expect(error.message).toContain("nothing there");
    expect(error.next).toContain("functez sandbox start");
  });

  it("distinguishes a missing permission from a missing engine", async () => {
    const fake = await engine();
    chmodSync(fake.socket, 0o600);
    chmodSync(join(fake.socket, ".."), 0o755);
    // root may open everything: the command runs as another user.
    const asNobody = process.getuid?.() === 0;
    if (!asNobody) chmodSync(fake.socket, 0o000);
    const script = `
      const { spawnSync } = require("node:child_process");
      const options = { encoding: "utf8", env: process.env, ...(${asNobody} ? { uid: 65534, gid: 65534 } : {}) };
      process.stdout.write(spawnSync(process.execPath, process.argv.slice(1), options).stdout);`;
    chmodSync(cli.configHome, 0o755);
    const { spawnSync } = await import("node:child_process");
    const { DIST } = await import("../support/built-cli.ts");
    const { stdout } = spawnSync(
      process.execPath,
      ["-e", script, join(DIST, "functez.mjs"), "--json", "sandbox", "--container", "status"],
      { encoding: "utf8", env: cli.env },
    );
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe("DOCKER_UNREACHABLE");
    expect(error.message).toContain("no permission");
  });

  it("rejects an engine of Windows containers", async () => {
    await engine({ os: "windows" });
    expect(errorOf(await inContainer("status")).message).toContain("Linux containers");
  });
});

describe("getting the image", () => {
  const layer = (current: number) =>
    `${JSON.stringify({ status: "Downloading", id: "aa", progressDetail: { current, total: 40_000_000 } })}\n`;

  it("pulls slowly with steady progress, and stops at Ctrl-C without a container", async () => {
    let cut: Promise<void> | undefined;
    const fake = await engine({
      answer: ({ path }, response) => {
        if (path !== "/images/create") return false;
        response.writeHead(200, { "content-type": "application/json" });
        let current = 0;
        const timer = setInterval(() => response.write(layer((current += 1_000_000))), 30);
        cut = new Promise((resolve) => response.once("close", resolve));
        void cut.then(() => clearInterval(timer));
        return true;
      },
    });
    const command = cli.start("functez", ["--json", "sandbox", "--container", "start", "-d", "-c", config]);
    await command.line(/0 of 1 layers, 3\.0 of 40\.0 MB/);
    await command.line(/0 of 1 layers, 20\.0 of 40\.0 MB/);
    command.child.kill("SIGINT");
    expect(await command.ended).toBe(130);
    expect(command.output()).toContain('"CANCELLED"');
    await cut; // the engine notices and stops pulling
    expect(fake.asked("POST", /containers\/create/)).toBeUndefined();
  });

  it("reports the registry's error, also in the middle of a pull", async () => {
    await engine({
      answer: ({ path }, response) => {
        if (path !== "/images/create") return false;
        response.write(layer(1));
        response.end(
          `${JSON.stringify({ errorDetail: { message: "toomanyrequests: slow down" }, error: "x" })}\n`,
        );
        return true;
      },
    });
    const error = errorOf(await start());
    expect(error.code).toBe("IMAGE_UNAVAILABLE");
    expect(error.message).toContain("toomanyrequests");
  });

  it("treats a broken connection as a failure", async () => {
    await engine({
      answer: ({ path }, response) => {
        if (path !== "/images/create") return false;
        response.write(layer(1));
        setImmediate(() => response.destroy());
        return true;
      },
    });
    expect(errorOf(await start()).code).toBe("IMAGE_UNAVAILABLE");
  });

  it("pulls a named image with Docker's stored login, inline or from a helper", async () => {
    const auths: unknown[] = [];
    await engine({
      answer: ({ path, headers }, response) => {
        if (path !== "/images/create") return false;
        auths.push(JSON.parse(Buffer.from(String(headers["x-registry-auth"]), "base64url").toString()));
        sendJson(response, 404, { message: "pull access denied" });
        return true;
      },
    });
    mkdirSync(join(cli.configHome, ".docker"));
    const file = join(cli.configHome, ".docker/config.json");
    const auth = Buffer.from("ana:pass:word").toString("base64");
    writeFileSync(file, JSON.stringify({ auths: { "registry.example": { auth } } }));
    const pull = () => inContainer("start", "-d", "-c", config, "--image", "registry.example/team/sandbox:1");
    expect(errorOf(await pull()).code).toBe("IMAGE_UNAVAILABLE");
    expect(auths).toEqual([{ username: "ana", password: "pass:word", serveraddress: "registry.example" }]);

    const helper = join(cli.configHome, "docker-credential-test");
    writeFileSync(
      helper,
      `#!${process.execPath}\nprocess.stdin.once("data", (server) => console.log(JSON.stringify({ Username: "kept", Secret: "for " + server })));`,
    );
    chmodSync(helper, 0o755);
    cli.env["PATH"] = `${cli.configHome}:${cli.env["PATH"]}`;
    writeFileSync(file, JSON.stringify({ credsStore: "test" }));
    await pull();
    expect(auths[1]).toEqual({
      username: "kept",
      password: "for registry.example",
      serveraddress: "registry.example",
    });

    writeFileSync(file, JSON.stringify({ credsStore: "absent" }));
    expect(errorOf(await pull()).message).toContain("docker-credential-absent");
  });

  it("rejects an image of another architecture", async () => {
    const fake = await engine({
      answer: ({ path }, response) => {
        if (!/^\/images\/.*\/json$/.test(path)) return false;
        sendJson(response, 200, { Id: "sha256:1", Architecture: "arm64", Config: { Labels: {} } });
        return true;
      },
    });
    const error = errorOf(await start());
    expect(error.code).toBe("IMAGE_ARCHITECTURE");
    expect(error.message).toMatch(/arm64.*amd64/);
    expect(fake.asked("POST", /containers\/create/)).toBeUndefined();
  });

  it("uses an older build when a new one fails", async () => {
    const built = { Id: "sha256:1", Architecture: "amd64", Config: { Labels: { "functez.build": "older" } } };
    const fake = await engine({
      answer: ({ path }, response) => {
        if (path === `/images/${OWN_IMAGE}/json`) return void sendJson(response, 200, built);
        return false;
      },
    });
    const result = await start();
    expect(result.stderr).toContain("an older build is used");
    expect(fake.asked("POST", /containers\/create/)).toBeDefined();
  });

  it("reports an image that disappears before the container is created", async () => {
    await engine({ answer: withImage(() => false) });
    const error = errorOf(await start());
    expect([error.code, error.next]).toEqual(["IMAGE_UNAVAILABLE", "Start again."]);
  });
});

describe("Podman", () => {
  /** Its answer when another start creates the container at the same moment: no status of its own. */
  const NAME_TAKEN =
    'creating container storage: the container name "functez-sandbox" is already in use by 6833b927';

  it("is asked again while it lists no container under a name in use", async () => {
    const creates: string[] = [];
    const fake = await engine({
      answer: (request, response) => {
        if (request.path === "/containers/create") creates.push(request.path);
        if (request.path === "/containers/create" && creates.length < 3)
          return void sendJson(response, 500, { message: NAME_TAKEN });
        if (request.path === "/containers/c1/wait") return void sendJson(response, 200, { StatusCode: 3 });
        return withContainer(() => false)(request, response);
      },
      attach: (socket) => socket.end(frame(2, "ERROR BAD: no\n")),
    });
    expect(errorOf(await start()).code).toBe("SANDBOX_START_FAILED");
    expect(creates).toHaveLength(3);
    expect(fake.asked("POST", /c1\/start$/)).toBeDefined();
  });

  it("stops waiting for a name that is never released, and says how to free it", async () => {
    await engine({
      answer: withImage(({ path }, response) =>
        path === "/containers/create" ? void sendJson(response, 500, { message: NAME_TAKEN }) : false,
      ),
    });
    const error = errorOf(await start());
    expect(error.code).toBe("CONTAINER_FAILED");
    expect(error.next).toContain("podman rm");
  });

  it("shows its build steps in spite of their different spelling", async () => {
    let isBuilt = false;
    await engine({
      answer: ({ path, method }, response) => {
        if (path === `/images/${OWN_IMAGE}/json` && !isBuilt) return false;
        if (method === "GET" && path === "/images/json") return void sendJson(response, 200, []);
        if (path !== "/build") return withContainer(() => false)({ path, method } as never, response);
        isBuilt = true;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(`${JSON.stringify({ stream: "STEP 2/9: WORKDIR /functez\n" })}\n`);
      },
      attach: (socket) => socket.end(frame(2, "ERROR BAD: no\n")),
    });
    expect((await start()).stderr).toContain("step 2 of 9");
  });

  it("reports a killed container, though it gives exit code 0 for a removed one", async () => {
    await engine({
      answer: (request, response) => {
        if (request.path === "/containers/c1/wait") {
          const isRemoval = request.query.get("condition") === "removed";
          return void sendJson(response, 200, { StatusCode: isRemoval ? 0 : 137 });
        }
        return withContainer(() => false)(request, response);
      },
      attach: (socket) => socket.end(frame(1, "hello\n")),
    });
    const attached = cli.start("functez", ["sandbox", "--container", "start", "-c", config]);
    expect(await attached.ended).toBe(1);
    expect(attached.output()).toContain("SANDBOX_KILLED");
  });

  it("reports a container that is killed before it is ready, though the engine then gives exit code 0", async () => {
    await engine({
      answer: (request, response) => {
        if (request.path === "/containers/c1/wait") return void sendJson(response, 200, { StatusCode: 0 });
        return withContainer(() => false)(request, response);
      },
      attach: (socket) => socket.end(),
    });
    const attached = cli.start("functez", ["sandbox", "--container", "start", "-c", config]);
    expect(await attached.ended).toBe(1);
    expect(attached.output()).toContain("SANDBOX_KILLED");
  });

  it("removes at a prune what has ended, with or without a name, and tells what the engine keeps", async () => {
    const container = (Id: string, State: string) => ({ Id, State, Names: [] });
    const removed: string[] = [];
    await engine({
      answer: ({ path, method, query }, response) => {
        if (path === "/containers/json") {
          expect(query.get("filters")).toContain("functez.sandbox");
          return void sendJson(response, 200, [
            container("c1", "running"),
            container("c2", "dead"),
            container("c3", "exited"),
            container("c4", "created"),
          ]);
        }
        if (path === "/images/json") return void sendJson(response, 200, []);
        if (path === "/volumes") return void sendJson(response, 200, { Volumes: null });
        if (method !== "DELETE") return false;
        removed.push(path);
        if (path.endsWith("c3")) return void sendJson(response, 500, { message: "device or resource busy" });
        response.writeHead(204).end();
      },
    });
    const result = await inContainer("prune");
    expect(json(result)).toMatchObject({ containers: ["c2"], stuck: [{ id: "c3" }] });
    expect(result.stderr).toContain("c3: device or resource busy");
    expect(removed).toEqual(["/containers/c2", "/containers/c3"]);
  });

  it("keeps the current image at a prune, though it prefixes its name with a registry", async () => {
    const image = (id: string, tag: string) => ({ Id: id, RepoTags: [tag], Size: 5 });
    const removed: string[] = [];
    await engine({
      answer: ({ path, method }, response) => {
        if (path === "/images/json") {
          return void sendJson(response, 200, [
            image("sha256:1", `docker.io/${OWN_IMAGE}`),
            image("sha256:2", `localhost/${OWN_IMAGE}`),
            image("sha256:3", `docker.io/${IMAGE_REPOSITORY}:0.0.1-old`),
          ]);
        }
        if (path === "/containers/json") return void sendJson(response, 200, []);
        if (path === "/volumes") return void sendJson(response, 200, { Volumes: null });
        if (method !== "DELETE") return false;
        removed.push(path);
        sendJson(response, 200, []);
      },
    });
    expect(json(await inContainer("prune"))).toMatchObject({ removed: [{ id: "sha256:3" }] });
    expect(removed).toEqual([`/images/docker.io/${IMAGE_REPOSITORY}:0.0.1-old`]);
  });

  it("starts the container without an init where it has none", async () => {
    const fake = await engine({
      answer: (request, response) => {
        const isFirst = fake.requests.filter(({ path }) => path === "/containers/create").length < 2;
        if (request.path === "/containers/c1/start" && isFirst)
          return void sendJson(response, 500, {
            message: "container-init binary not found on the host: stat",
          });
        if (request.path === "/containers/c1/wait") return void sendJson(response, 200, { StatusCode: 3 });
        return withContainer(() => false)(request, response);
      },
      attach: (socket) => socket.end(frame(2, "ERROR BAD: no\n")),
    });
    expect(errorOf(await start()).code).toBe("SANDBOX_START_FAILED");
    const inits = fake.requests
      .filter(({ path }) => path === "/containers/create")
      .map(
        ({ body }) =>
          (JSON.parse(Buffer.concat(body).toString()) as { HostConfig: { Init: boolean } }).HostConfig,
      )
      .map(({ Init }) => Init);
    expect(inits).toEqual([true, false]);
  });
});

describe("in a dev container with the engine's socket", () => {
  beforeEach(() => (cli.env["REMOTE_CONTAINERS"] = "true"));

  /** An engine whose container prints something and keeps running. */
  async function engineElsewhere(prints: string): Promise<FakeEngine> {
    const running = { Id: "c1", State: { Running: true }, NetworkSettings: { Ports: {} } };
    const fake = await engine({
      answer: withContainer(({ path }, response) => {
        if (path === "/containers/c1/wait") return; // it never ends
        if (path === "/containers/c1/logs") return void response.writeHead(200).end(frame(1, prints));
        const made = fake.asked("POST", /create$/);
        if (!/^\/containers\/(?:c1|functez-sandbox)\/json$/.test(path) || made === undefined) return false;
        const Config = JSON.parse(Buffer.concat(made.body).toString()) as object; // with the requested labels
        sendJson(response, 200, { ...running, Config });
      }),
      attach: (socket) => void socket.write(frame(1, prints)),
    });
    return fake;
  }

  it("reports it to an attached start as well, once the sandbox is ready", async () => {
    const fake = await engineElsewhere(
      `banner\n${accountTable([{ label: "a", address: "tz1", balance: "1" }])}`,
    );
    const attached = cli.start("functez", ["sandbox", "--container", "start", "-c", config]);
    await attached.line(/--publish-address/);
    expect(attached.output()).toMatch(/banner[^]*loopback of the engine's machine/);
    await fake.die();
    expect(await attached.ended).toBe(1);
  });

  it("reports at once that the ports are elsewhere, and what to do", async () => {
    await engineElsewhere('{"ready":true}\n');
    const began = performance.now();
    const error = errorOf(await start());
    expect(error.code).toBe("SANDBOX_NOT_RUNNING");
    expect(error.next).toContain("--publish-address");
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe("running the container", () => {
  it("sends the configuration as an archive, so that the engine may be anywhere", async () => {
    const fake = await engine({
      answer: withContainer(() => false),
      attach: (socket) => socket.end(frame(2, "ERROR BAD: no\n")),
    });
    expect(errorOf(await start()).code).toBe("SANDBOX_START_FAILED");
    expect(fake.asked("PUT", /^\/containers\/c1\/archive$/)?.query.get("path")).toBe("/config");
  });

  it("shows exit code and last lines of a daemon that exits at once", async () => {
    await engine({
      answer: withContainer(({ path }, response) => {
        if (path !== "/containers/c1/wait") return false;
        sendJson(response, 200, { StatusCode: 3 });
        return true;
      }),
      attach: (socket) => socket.end(frame(2, "first\nlast words\n")),
    });
    const error = errorOf(await start());
    expect(error.code).toBe("SANDBOX_START_FAILED");
    expect(error.message).toContain("exit code 3");
    expect(error.message).toContain("last words");
  });

  it("notices an engine that dies while it is attached", async () => {
    const fake = await engine({
      // The wait for the end gets no answer: the engine is gone by then.
      answer: withContainer(({ path }) => path === "/containers/c1/wait"),
      attach: (socket) => void socket.write(frame(1, "hello\n")),
    });
    const attached = cli.start("functez", ["sandbox", "--container", "start", "-c", config]);
    await attached.line(/^hello$/);
    await fake.die();
    expect(await attached.ended).toBe(1);
    expect(attached.output()).toContain("CONTAINER_LOST");
  });

  it("names the port that the engine reports as in use, its holder, and a free port", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as AddressInfo;
    const fake = await engine({
      answer: withImage(({ path, method }, response) => {
        if (path === "/containers/create") return void sendJson(response, 201, { Id: "c1" });
        if (method === "DELETE" || method === "PUT") return void response.writeHead(200).end();
        if (path === "/containers/json") {
          const Ports = [{ PrivatePort: 80, PublicPort: port, Type: "tcp" }];
          return void sendJson(response, 200, [{ Id: "f1", Names: ["/web"], Image: "nginx", Ports }]);
        }
        if (path !== "/containers/c1/start") return false;
        sendJson(response, 500, {
          message: `driver failed: Bind for 127.0.0.1:${port} failed: port is already allocated`,
        });
        return true;
      }),
    });
    const layer1_node = { rpc_endpoint: `127.0.0.1:${port}` };
    writeFileSync(config, JSON.stringify({ server_port: 0, layer1_node }));
    const error = errorOf(await start());
    holder.close();
    expect(error.code).toBe("PORT_IN_USE");
    expect(error.message).toContain("in use by the container web (nginx)");
    expect(error.next).toContain("layer1_node.rpc_endpoint");
    expect(error.next).toMatch(/for example \d+/);
    expect(fake.asked("DELETE", /^\/containers\/c1$/)).toBeDefined();
  });

  it("waits at a stop until a container that is being removed is gone", async () => {
    const found = { Id: "c1", Config: { Image: OWN_IMAGE, Labels: { "functez.sandbox": "1" } } };
    let asked = 0;
    await engine({
      answer: ({ path, method }, response) => {
        if (method === "DELETE" && path === "/containers/c1")
          return void sendJson(response, ++asked < 3 ? 409 : 404, { message: "removal is in progress" });
        if (path !== "/containers/functez-sandbox/json") return false;
        sendJson(response, 200, { ...found, State: { Status: "removing" } });
      },
    });
    expect(json(await inContainer("stop"))).toEqual({ running: false, stopped: false });
    expect(asked).toBe(3);
  });
});
