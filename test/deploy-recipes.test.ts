// The instructions in the headers of deploy/kubernetes.yaml and deploy/compose.yaml: the sandbox has a name that
// resolves only inside its cluster, and clients reach it through forwarded ports. The daemon stands in for the
// container, and a TCP forward for `kubectl port-forward` or a published port.
import { readFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type BuiltCli, builtCli, ROOT } from "./support/built-cli.ts";
import { freePorts, ready } from "./support/processes.ts";

const SECRET = "secret-of-the-recipe-0123456789";
/** Of this machine, but not the address that clients use: like a pod's network. */
const POD = "127.0.0.2";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

function kubernetesArguments(): readonly string[] {
  const [deployment] = parseAllDocuments(read("deploy/kubernetes.yaml")).map(
    (document) =>
      document.toJS() as { spec: { template: { spec: { containers: readonly { args: string[] }[] } } } },
  );
  return deployment!.spec.template.spec.containers[0]!.args;
}

/** With the name that its header recommends to other services of a job. */
function composeArguments(): readonly string[] {
  const { services } = parse(read("deploy/compose.yaml")) as { services: { sandbox: { command: string[] } } };
  return services.sandbox.command.map((text) => text.replace(/\$\{FUNCTEZ_PUBLIC_HOST:-[^}]*\}/, "sandbox"));
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function user(): BuiltCli {
  const cli = builtCli();
  closing.push(() => cli.dispose());
  return cli;
}

/** Forwards a port of this machine to the same port of the pod. */
function forward(port: number): Promise<void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const pod = connect(port, POD);
    for (const [one, other] of [
      [client, pod],
      [pod, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.pipe(other);
    }
  });
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
}

it.runIf(process.platform === "linux").each([
  ["Kubernetes", kubernetesArguments()],
  ["Compose", composeArguments()],
])(
  "%s: every command works through forwarded ports, with a name that does not resolve here",
  async (_name, args) => {
    expect(args).toContain("--public-host");
    const ports = await freePorts(3);
    const pod = user();
    const options = ["--bind", POD, "--ports", ports.join(","), "--lifeline", "--json", ...args];
    pod.env["FUNCTEZ_ADMIN_SECRET"] = SECRET;
    const daemon = pod.start("sandboxd", ["run", ...options], { stdin: "pipe" });
    await ready(daemon);
    await Promise.all(ports.map(forward));

    const cli = user();
    const base = `http://127.0.0.1:${ports[0]}`;
    const env = { FUNCTEZ_SANDBOX_URL: base, FUNCTEZ_ADMIN_SECRET: SECRET };
    // The kubelet's probes.
    expect((await fetch(`${base}/health`)).status).toBe(200);
    const functez = async (...words: string[]) => {
      const result = await cli.functez(["--json", ...words], { env });
      expect([result.code, result.stdout], words.join(" ")).toEqual([
        0,
        expect.not.stringContaining('"error"'),
      ]);
      return JSON.parse(result.stdout) as Record<string, unknown>;
    };
    await functez("account", "create", "alice");
    // Inside, the recipe's name resolves; here the forwarded ports work.
    const { parts } = (await (await fetch(`${base}/health`)).json()) as { parts: { detail: string }[] };
    const name = args[args.indexOf("--public-host") + 1];
    expect(parts.map(({ detail }) => detail)).toEqual([
      `http://${name}:${ports[1]}`,
      `http://${name}:${ports[2]}`,
    ]);
    expect(await functez("sandbox", "status")).toMatchObject({
      status: "healthy",
      parts: [{ detail: `http://127.0.0.1:${ports[1]}` }, { detail: `http://127.0.0.1:${ports[2]}` }],
      endpoints: {
        layer1: `http://127.0.0.1:${ports[1]}`,
        runtime: `http://127.0.0.1:${ports[2]}`,
      },
    });
    await functez("bridge", "deposit", "--from", "bootstrap1", "--to", "alice", "--amount", "5");
    expect(await functez("account", "balance")).toMatchObject({ tez: "5" });
    await functez("deploy", "export default () => new Response('hello')", "--name", "hello");
    expect(await functez("run", "hello/")).toMatchObject({ statusCode: 200, body: "hello" });
    // The owner's secret passes through the forward, after the proof.
    await functez("sandbox", "snapshot", "before");
    await functez("sandbox", "restore", "before");
    await functez("sandbox", "stop", "--yes");
  },
);
