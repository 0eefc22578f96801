// Finds the container engine and connects to it: the first one that answers, with an API version that both sides know.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import Docker from "dockerode";
import { SandboxError, reasonOf } from "../../daemon/protocol/errors.ts";
import { addressText, type EngineAddress, remoteHost } from "./engine-address.ts";
import { type Candidate, engineCandidates } from "./engine-candidates.ts";
import { createSshAgent } from "./ssh-agent.ts";

export interface Engine {
  readonly docker: Docker;
  readonly address: EngineAddress;
  readonly addressText: string;
  /** Where the address comes from. */
  readonly source: string;
  /** Architecture of its images, in Go's spelling. */
  readonly architecture: string;
  /** Host of an engine on another machine. */
  readonly remoteHost: string | undefined;
  /** Closes all connections, including open streams. */
  close(): void;
}

/** The newest API version known here; older engines get theirs. */
const NEWEST_API = "1.51";
const ANSWER_MS = 5000;
const SSH_ANSWER_MS = 30_000;

export interface ConnectOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  /** Value of `--engine`. */
  readonly setting?: string | undefined;
}

/** The engine to use. @throws SandboxError DOCKER_UNREACHABLE listing every place that was tried */
export async function connectEngine(options: ConnectOptions): Promise<Engine> {
  const candidates = engineCandidates({
    env: options.env,
    platform: options.platform ?? process.platform,
    setting: options.setting,
  });
  const tried: string[] = [];
  for (const candidate of candidates) {
    const { source, address } = candidate;
    if (address.kind === "problem") {
      tried.push(`  ${source}: ${address.reason}`);
      continue;
    }
    try {
      return await connectTo(candidate, address, options.env);
    } catch (error) {
      tried.push(`  ${source} (${addressText(address)}): ${refusal(error)}`);
    }
  }
  throw new SandboxError("DOCKER_UNREACHABLE", { tried: tried.join("\n") });
}

interface EngineVersion {
  readonly ApiVersion: string;
  readonly MinAPIVersion?: string;
  readonly Arch: string;
  readonly Os: string;
}

async function connectTo(
  { source }: Candidate,
  address: EngineAddress,
  env: NodeJS.ProcessEnv,
): Promise<Engine> {
  const connection = connectionOf(address, env);
  try {
    // Without a version in the path, engines of any age answer.
    const found = (await within(
      address.kind === "ssh" ? SSH_ANSWER_MS : ANSWER_MS,
      new Docker(connection.options).version(),
    )) as unknown as EngineVersion;
    if (found.Os === "windows") {
      throw new Error("it runs Windows containers; switch it to Linux containers");
    }
    return {
      docker: new Docker({ ...connection.options, version: `v${agreedVersion(found)}` }),
      address,
      addressText: addressText(address),
      source,
      architecture: found.Arch,
      remoteHost: remoteHost(address),
      close: () => connection.agent.destroy(),
    };
  } catch (error) {
    connection.agent.destroy();
    throw error;
  }
}

/** The newest API version that both sides know. */
function agreedVersion({ ApiVersion, MinAPIVersion }: Pick<EngineVersion, "ApiVersion" | "MinAPIVersion">) {
  const ours = isOlder(ApiVersion, NEWEST_API) ? ApiVersion : NEWEST_API;
  return MinAPIVersion && isOlder(ours, MinAPIVersion) ? MinAPIVersion : ours;
}

function isOlder(left: string, right: string): boolean {
  const [leftMajor = 0, leftMinor = 0] = left.split(".").map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split(".").map(Number);
  return leftMajor < rightMajor || (leftMajor === rightMajor && leftMinor < rightMinor);
}

function connectionOf(address: EngineAddress, env: NodeJS.ProcessEnv) {
  // The client reads missing settings from the process's DOCKER_HOST, so every setting is given, if only as undefined.
  const none = {
    socketPath: undefined,
    host: undefined,
    port: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
  };
  const keepAlive = { keepAlive: true };
  switch (address.kind) {
    case "socket": {
      const agent = new HttpAgent(keepAlive);
      return { agent, options: { ...none, socketPath: address.path, protocol: "http", agent } as const };
    }
    case "tcp": {
      const { host, port, tls } = address;
      const agent = tls ? new HttpsAgent(keepAlive) : new HttpAgent(keepAlive);
      const protocol = tls ? ("https" as const) : ("http" as const);
      return { agent, options: { ...none, host, port, protocol, ...tls, agent } };
    }
    case "ssh": {
      const agent = createSshAgent(address, env);
      return { agent, options: { ...none, host: "engine", port: 80, protocol: "http", agent } as const };
    }
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // the caller closes its connection
  }
}

/** Explains a failed connection. */
function refusal(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return "nothing there";
    case "ECONNREFUSED":
      return "nothing listens there";
    case "EACCES":
    case "EPERM":
      return "no permission; add your user to its group (often `docker`) and log in again";
    default:
      return reasonOf(error).trim();
  }
}
