// Connections to an engine on another machine through the user's `ssh`: keys, known hosts, jump hosts and aliases work
// as everywhere else. The other end is Docker's `dial-stdio`.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Agent } from "node:http";
import { Duplex, type Readable, type Writable } from "node:stream";
import type { EngineAddress } from "./engine-address.ts";

type SshAddress = Extract<EngineAddress, { kind: "ssh" }>;

/** Arguments of `ssh` for a command on the engine's machine. */
export function sshArguments({ host, user, port }: SshAddress, ...more: readonly string[]): string[] {
  const target = user === undefined ? host : `${user}@${host}`;
  return [
    "-T",
    "-o",
    "ConnectTimeout=15",
    ...(port === undefined ? [] : ["-p", String(port)]),
    "--",
    target,
    ...more,
  ];
}

/** An HTTP agent whose every connection is one `ssh` process. */
export function createSshAgent(address: SshAddress, env: NodeJS.ProcessEnv): Agent {
  const agent = new Agent({ keepAlive: true });
  const connect = () => dial("ssh", sshArguments(address, "docker", "system", "dial-stdio"), env);
  // Node's types require a complete socket; its HTTP client uses only what `dial` provides.
  return Object.assign(agent, { createConnection: connect as never });
}

function dial(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Duplex {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env,
    windowsHide: true,
  });
  let complaint = "";
  const stream = new Duplex({
    read: () => void child.stdout.resume(),
    write: (chunk, _encoding, done) => void child.stdin.write(chunk, done),
    final: (done) => void child.stdin.end(done),
    destroy(error, done) {
      child.kill();
      done(error);
    },
  });
  child.stdout.on("data", (chunk: Buffer) => {
    if (!stream.push(chunk)) child.stdout.pause();
  });
  child.stderr.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString("utf8")).slice(-2000)));
  child.stdin.on("error", (error) => stream.destroy(error));
  child.once("error", (error) => stream.destroy(error));
  child.once("close", (code) => {
    if (code === 0 || code === null) stream.push(null);
    else stream.destroy(new Error(complaint.trim() || `ssh ended with code ${code}`));
  });
  const socketLike = {
    setKeepAlive: () => stream,
    setNoDelay: () => stream,
    ref: () => stream,
    unref: () => stream,
  };
  return Object.assign(stream, socketLike, { setTimeout: () => stream });
}
