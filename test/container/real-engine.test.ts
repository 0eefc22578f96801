// The whole life of the sandbox in a container on a real engine: docs/container.md.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { InMemorySigner } from "@taquito/signer";
import { TezosToolkit } from "@taquito/taquito";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CONTAINER_NAME } from "../../cli/container/container-removal.ts";
import { BUILD_LABEL, IMAGE_REPOSITORY, OWN_IMAGE } from "../../cli/container/image.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { type BuiltCli, builtCli, type CommandResult, ROOT } from "../support/built-cli.ts";
import {
  BASE,
  containerExists,
  docker,
  IS_PODMAN,
  removeLeftOver,
  skipReason,
  untilContainersLeft,
} from "./support/real-engine.ts";

interface Started {
  readonly running: boolean;
  readonly endpoints: { readonly sandboxd: string; readonly layer1: string; readonly runtime: string };
}

const reason = await skipReason();

describe.skipIf(reason !== undefined)("a sandbox in a container", () => {
  let cli: BuiltCli;
  let config: string;

  beforeEach(() => {
    cli = builtCli();
    config = join(cli.configHome, "any ports.json");
    writeFileSync(
      config,
      JSON.stringify({
        server_port: 0,
        log_file: "/a/path/of/this/machine.log", // has no effect in a container
        layer1_node: { rpc_endpoint: "127.0.0.1:0", block_time: 0.2 },
        runtime_node: { endpoint: "127.0.0.1:0" },
      }),
    );
  });
  afterEach(async () => {
    removeLeftOver();
    await cli.dispose();
  });

  const inContainer = (...args: string[]): Promise<CommandResult> =>
    cli.functez(["--json", "sandbox", "--container", ...args]);
  const json = ({ stdout }: CommandResult) => JSON.parse(stdout) as Record<string, unknown>;
  const codeOf = (result: CommandResult) => (json(result) as { error: { code: string } }).error.code;

  /** Resolves when the engine has removed the container. */
  function waitForRemoval(): Promise<string> {
    return new Promise((resolve) =>
      spawn("docker", ["wait", CONTAINER_NAME], { stdio: "ignore" }).once("exit", () => resolve("gone")),
    );
  }

  async function start(...more: string[]): Promise<Started> {
    const result = await inContainer("start", "--detach", "-c", config, ...more);
    expect(result).toMatchObject({ code: 0 });
    return json(result) as unknown as Started;
  }

  it("is built from the package on a machine without its image, and adds little to its base", async () => {
    spawnSync("docker", ["rmi", "-f", OWN_IMAGE]);
    const result = await inContainer("start", "-d", "-c", config);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain(`Building ${OWN_IMAGE}: step `);
    const size = (image: string) => Number(docker("image", "inspect", image, "-f", "{{.Size}}"));
    expect(size(OWN_IMAGE) - size(BASE)).toBeLessThan(15 * 1024 * 1024);
    await inContainer("stop");
    const again = await inContainer("start", "-d", "-c", config);
    expect(again.code).toBe(0);
    expect(again.stderr).not.toContain("Building");
  });

  it("exits after its last client when the editor started it", async () => {
    const { endpoints } = await start("--grace", "4");
    const client = new AbortController();
    const events = await fetch(`${endpoints.sandboxd}/events?lifeline=1`, { signal: client.signal });
    expect(events.status).toBe(200);
    const ended = waitForRemoval();
    // Held by a client, it outlives its grace period.
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 6000, "held"))])).toBe(
      "held",
    );
    client.abort();
    expect(await ended).toBe("gone");
  });

  it("is restricted: no root, no capabilities, read-only, bounded, on loopback only", async () => {
    const { endpoints } = await start();
    const inspected = JSON.parse(docker("inspect", CONTAINER_NAME)) as [
      {
        State: { Pid: number };
        Config: { User: string; Labels: object };
        HostConfig: Record<string, unknown>;
        NetworkSettings: { Ports: Record<string, { HostIp: string }[] | null> };
      },
    ];
    const [{ Config, HostConfig, NetworkSettings, State }] = inspected;
    expect(Config.User).toBe("65532:65532");
    expect(Config.Labels).toMatchObject({ "functez.sandbox": "1" });
    expect(HostConfig).toMatchObject({
      AutoRemove: true,
      ReadonlyRootfs: true,
      Memory: 1024 ** 3,
      PidsLimit: 128,
    });
    // Engines spell these differently; the kernel does not.
    const status = readFileSync(`/proc/${State.Pid}/status`, "utf8");
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Uid:(\t65532){4}$/m);
    const published = Object.entries(NetworkSettings.Ports).filter(([, bindings]) => bindings);
    expect(published.map(([port]) => `http://127.0.0.1:${port.replace("/tcp", "")}`).sort()).toEqual(
      Object.values(endpoints).sort(),
    );
    expect(published.flatMap(([, bindings]) => bindings!.map(({ HostIp }) => HostIp))).toEqual(
      published.map(() => "127.0.0.1"),
    );
  });

  // Podman leaves running the health check to systemd.
  it.skipIf(IS_PODMAN && !existsSync("/run/systemd/private"))(
    "is healthy by the image's own check, which uses the configured port",
    async () => {
      await start();
      await expect
        .poll(() => docker("inspect", CONTAINER_NAME, "-f", "{{.State.Health.Status}}"), { timeout: 40_000 })
        .toBe("healthy");
    },
  );

  it("serves deposits, deployments and calls like the one without a container", async () => {
    const { endpoints } = await start();
    cli.env["FUNCTEZ_SANDBOX_URL"] = endpoints.sandboxd;
    expect(await cli.functez(["account", "create", "alice", "--passphrase", ""])).toMatchObject({ code: 0 });
    expect(await cli.functez(["login", "alice"])).toMatchObject({ code: 0 });
    expect(
      await cli.functez(["bridge", "deposit", "-f", "bootstrap1", "-t", "alice", "-a", "10"]),
    ).toMatchObject({ code: 0 });
    const source = join(cli.configHome, "hello.js");
    writeFileSync(source, `export default () => new Response("hello from a box");`);
    expect(await cli.functez(["deploy", source, "--name", "hello"])).toMatchObject({ code: 0 });
    const call = await cli.functez(["run", "hello/"]);
    expect(call).toMatchObject({ code: 0 });
    expect(call.stdout).toContain("hello from a box");

    expect(json(await inContainer("snapshot", "deployed"))).toMatchObject({ id: "deployed" });
    expect(await cli.functez(["transfer", "4", "bootstrap2"])).toMatchObject({ code: 0 });
    expect(json(await inContainer("restore"))).toMatchObject({ id: "deployed" });
    expect((await cli.functez(["account", "balance"])).stdout).toBe("10ꜩ\n");
    expect(json(await inContainer("snapshots"))).toMatchObject({ snapshots: [{ id: "deployed" }] });

    const before = docker("inspect", CONTAINER_NAME, "-f", "{{.Id}}");
    const restarted = await inContainer("restart", "--detach", "-c", config);
    expect(restarted.code).toBe(0);
    expect(docker("inspect", CONTAINER_NAME, "-f", "{{.Id}}")).not.toBe(before);
    cli.env["FUNCTEZ_SANDBOX_URL"] = (json(restarted) as unknown as Started).endpoints.sandboxd;
    const gone = await cli.functez(["--json", "account", "balance"]);
    expect(json(gone)).toMatchObject({ mutez: "0" });
  });

  it("serves the explorer, and all that it reads, on sandboxd's published port alone", async () => {
    const { endpoints } = await start();
    const at = (path: string) => fetch(new URL(path, endpoints.sandboxd));
    const page = await (await at("/explorer/")).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1];
    expect((await at(`/explorer/${script}`)).headers.get("content-type")).toContain("javascript");
    expect(await (await at("/explorer/api/layer1/chains/main/chain_id")).json()).toMatch(/^Net/);
    expect((await at("/explorer/api/runtime/traces?limit=1")).status).toBe(200);
    expect(await (await at("/tzkt/v1/head")).json()).toMatchObject({ level: expect.any(Number) });
  });

  it("serves Taquito on the published port", async () => {
    const { endpoints } = await start();
    const tezos = new TezosToolkit(endpoints.layer1);
    tezos.setProvider({ signer: new InMemorySigner(BOOTSTRAP_ACCOUNTS[2].secretKey) });
    const to = BOOTSTRAP_ACCOUNTS[3].address;
    const before = await tezos.tz.getBalance(to);
    await tezos.contract.transfer({ to, amount: 7, mutez: true });
    // Not `confirmation()`: with fast blocks the one with the operation may come before its first poll.
    const balanceChange = async () => (await tezos.tz.getBalance(to)).minus(before).toString();
    await expect.poll(balanceChange, { timeout: 20_000 }).toBe("7");
  });

  it("starts once: a second start attaches, and two simultaneous starts create one", async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.endpoints).toEqual(two.endpoints);
    expect((await start()).endpoints).toEqual(one.endpoints);
    const status = await inContainer("status");
    expect(status.code).toBe(0);
    expect(json(status)).toMatchObject({
      running: true,
      status: "healthy",
      container: { name: CONTAINER_NAME, image: OWN_IMAGE, state: "running" },
      endpoints: one.endpoints,
    });
  });

  it("is stopped by `stop`, by sandboxd's own shutdown, and leaves nothing", async () => {
    const volumes = docker("volume", "ls", "-q");
    await start();
    expect(json(await inContainer("stop"))).toMatchObject({ running: false, stopped: true });
    expect(containerExists()).toBe(false);
    const { endpoints } = await start();
    expect((await fetch(`${endpoints.sandboxd}/shutdown`, { method: "PUT" })).status).toBe(204);
    await expect.poll(containerExists, { timeout: 10_000 }).toBe(false);
    expect(docker("volume", "ls", "-q")).toBe(volumes);
    const again = await inContainer("stop");
    expect([again.code, json(again)["stopped"]]).toEqual([0, false]);
    expect((await inContainer("status")).code).toBe(1);
  });

  it("restarts even when nothing is running", async () => {
    const result = await inContainer("restart", "-d", "-c", config);
    expect(result.code).toBe(0);
    expect(containerExists()).toBe(true);
  });

  it("shows the daemon's log, and follows it", async () => {
    const { endpoints } = await start("--log-level", "debug");
    const { stdout } = await inContainer("logs");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.map(({ msg }) => msg)).toContain(`ready at ${endpoints.sandboxd}`);
    const follower = cli.start("functez", ["sandbox", "--container", "logs", "-f"]);
    await follower.line(/ready at/);
    await inContainer("stop");
    expect(await follower.ended).toBe(0);
  });

  describe("attached", () => {
    const attach = () => cli.start("functez", ["sandbox", "--container", "start", "-c", config]);

    it.each(["SIGINT", "SIGTERM"] as const)(
      "streams its output, and %s stops and removes it",
      async (signal) => {
        const attached = attach();
        await attached.line(/bootstrap5/);
        await attached.line(/ready at/);
        attached.child.kill(signal);
        expect(await attached.ended).toBe(0);
        expect(containerExists()).toBe(false);
      },
    );

    it("ends with its command line, even when that is killed", async () => {
      const attached = attach();
      await attached.line(/ready at/);
      attached.child.kill("SIGKILL");
      await attached.ended;
      // The lifeline's grace period is 10 s.
      await expect.poll(containerExists, { timeout: 25_000, interval: 250 }).toBe(false);
    });

    it("ends when another command stops it", async () => {
      const attached = attach();
      await attached.line(/ready at/);
      expect((await inContainer("stop")).code).toBe(0);
      expect(await attached.ended).toBe(0);
    });
  });

  it("names the port in use and its key, and leaves no container", async () => {
    const holder = await listening();
    const { port } = holder.address() as { port: number };
    writeFileSync(
      config,
      JSON.stringify({
        server_port: 0,
        layer1_node: { rpc_endpoint: "127.0.0.1:0" },
        runtime_node: { endpoint: `127.0.0.1:${port}` },
      }),
    );
    const result = await inContainer("start", "-d", "-c", config);
    holder.close();
    expect(result.code).toBe(1);
    expect(codeOf(result)).toBe("PORT_IN_USE");
    const { error } = json(result) as { error: { message: string; next: string } };
    expect(error.message).toMatch(new RegExp(`Port ${port} .*in use by \\S+ \\(process ${process.pid}\\)`));
    expect(error.next).toMatch(/runtime_node\.endpoint .*for example \d+/);
    expect(containerExists()).toBe(false);
  });

  it("reports an invalid configuration with the daemon's own message", async () => {
    writeFileSync(config, `{"server_port": 0, "layer1_node": {"block_time": "soon"}}`);
    const result = await inContainer("start", "-d", "-c", config);
    expect(codeOf(result)).toBe("CONFIG_INVALID");
    expect(result.stdout).toContain("layer1_node.block_time");
    expect(containerExists()).toBe(false);
  });

  it("removes a leftover of its own, and never touches a foreign container", async () => {
    docker("create", "--name", CONTAINER_NAME, "--label", "functez.sandbox=1", BASE, "node", "-e", "0");
    docker("start", CONTAINER_NAME);
    docker("wait", CONTAINER_NAME);
    expect(json(await inContainer("status"))).toEqual({ running: false });
    await start();
    await inContainer("stop");

    docker("create", "--name", CONTAINER_NAME, BASE, "node", "-e", "0");
    const foreign = docker("inspect", CONTAINER_NAME, "-f", "{{.Id}}");
    for (const command of [["start", "-d"], ["stop"], ["restart", "-d"], ["status"], ["logs"]]) {
      expect(codeOf(await inContainer(...command, ...(command[1] ? ["-c", config] : [])))).toBe(
        "CONTAINER_FOREIGN",
      );
    }
    expect(docker("inspect", CONTAINER_NAME, "-f", "{{.Id}}")).toBe(foreign);
  });

  it("resumes a paused sandbox on start", async () => {
    const { endpoints } = await start();
    docker("pause", CONTAINER_NAME);
    expect((await start()).endpoints).toEqual(endpoints);
  });

  describe("beside a sandbox without a container", () => {
    async function fixedPorts(): Promise<number> {
      const servers = await Promise.all([listening(), listening(), listening()]);
      const [server, layer1, runtime] = servers.map((each) => (each.address() as { port: number }).port);
      await Promise.all(servers.map((each) => new Promise((done) => each.close(done))));
      writeFileSync(
        config,
        JSON.stringify({
          server_port: server,
          layer1_node: { rpc_endpoint: `127.0.0.1:${layer1}` },
          runtime_node: { endpoint: `127.0.0.1:${runtime}` },
        }),
      );
      return server!;
    }

    it("a start finds the running one, of either kind", async () => {
      const port = await fixedPorts();
      const daemon = cli.start("sandboxd", ["run", config, "--lifeline", "--json"], { stdin: "pipe" });
      await daemon.line(/^\{"ready"/);
      expect((await start()).endpoints.sandboxd).toBe(`http://127.0.0.1:${port}`);
      expect(containerExists()).toBe(false);

      expect((await inContainer("restart", "-d", "-c", config)).code).toBe(0);
      expect(await daemon.ended).toBe(0);
      expect(containerExists()).toBe(true);
      const process_ = await cli.functez(["--json", "sandbox", "start", "-d", "-c", config]);
      expect((json(process_) as unknown as Started).endpoints.sandboxd).toBe(`http://127.0.0.1:${port}`);
    });

    it("a plain restart replaces the container by a process", async () => {
      await fixedPorts();
      await start();
      const restarted = await cli.functez(["--json", "sandbox", "restart", "-d", "-c", config]);
      expect(restarted).toMatchObject({ code: 0 });
      expect(containerExists()).toBe(false);
      const { endpoints } = json(restarted) as unknown as Started;
      await fetch(`${endpoints.sandboxd}/shutdown`, { method: "PUT" });
    });
  });

  it("prunes images of other versions and keeps the current one", async () => {
    await start();
    await inContainer("stop");
    const context = join(ROOT, "container");
    const old = `${IMAGE_REPOSITORY}:0.0.1-old`;
    spawnSync("docker", ["build", "-q", "-t", old, "--label", `${BUILD_LABEL}=old`, "-"], {
      input: `FROM ${BASE}\nLABEL old=1\n`,
      cwd: context,
      env: { ...process.env, DOCKER_BUILDKIT: "0" },
    });
    expect(docker("images", "-q", old)).not.toBe("");
    const pruned = json(await inContainer("prune")) as {
      removed: { tags: string[] }[];
      kept: object[];
    };
    expect(pruned.kept).toEqual([]);
    const tags = pruned.removed.flatMap((image) => image.tags);
    expect(tags.map((tag) => tag.replace(/^(?:docker\.io|localhost)\//, ""))).toContain(old);
    expect(docker("images", "-q", old)).toBe("");
    expect(docker("images", "-q", OWN_IMAGE)).not.toBe("");
  });

  // Needs an engine that the tests may stop: `.ci/run` starts one and sets this variable.
  const engineLog = process.env["FUNCTEZ_TEST_ENGINE_LOG"];
  describe.skipIf(!engineLog)("when the engine is killed", () => {
    const PID_FILES = ["/var/run/docker.pid", "/var/run/docker/containerd/containerd.pid"];
    let engine: ChildProcess | undefined;
    const engineAnswers = () => spawnSync("docker", ["version"], { stdio: "ignore" }).status === 0;

    beforeAll(() => expect(PID_FILES.filter((file) => !existsSync(file))).toEqual([]));
    afterAll(() => engine?.unref());

    it("reports it at once, and starts anew on the restarted engine", async () => {
      const attached = cli.start("functez", [
        "--json",
        "sandbox",
        "--container",
        "start",
        "-d",
        "-c",
        config,
      ]);
      expect(await attached.ended).toBe(0);
      const follower = cli.start("functez", ["--json", "sandbox", "--container", "logs", "-f"]);
      await follower.line(/ready at/);
      const [engineId = 0, ...children] = PID_FILES.map((file) => Number(readFileSync(file, "utf8")));
      process.kill(engineId, "SIGKILL");
      expect(await follower.ended).toBe(1);
      expect(follower.output()).toContain("CONTAINER_LOST");
      expect(codeOf(await inContainer("status"))).toBe("DOCKER_UNREACHABLE");

      for (const pid of [engineId, ...children]) {
        await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false);
      }
      // A killed engine leaves these files, and the next one would wait for their processes.
      for (const file of PID_FILES) rmSync(file);
      const log = openSync(engineLog!, "a");
      engine = spawn("dockerd", ["--host", "unix:///var/run/docker.sock"], {
        detached: true,
        stdio: ["ignore", log, log],
      });
      await expect.poll(engineAnswers, { timeout: 60_000, interval: 200 }).toBe(true);
      expect(json(await inContainer("restart", "-d", "-c", config))).toMatchObject({ running: true });
      await inContainer("stop");
      await inContainer("prune");
      expect(docker("volume", "ls", "-q", "--filter", "label=functez.sandbox")).toBe("");
      await untilContainersLeft("after the engine was killed", 25_000, () => 0);
    });
  });
});

function listening(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
