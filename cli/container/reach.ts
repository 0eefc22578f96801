// How a program on this machine reaches ports published by an engine, local or remote.
import type { Engine } from "./engine.ts";
import { type PublishedPorts, portList } from "./published-ports.ts";
import { sshArguments } from "./ssh-agent.ts";

/** True for addresses that only programs on the engine's own machine can reach. */
export function isLoopbackAddress(address: string): boolean {
  return /^127\.(\d{1,3}\.){2}\d{1,3}$/.test(address) || address === "::1";
}

/** Host name of a published address: unspecified addresses mean the engine's machine. */
export function reachableHost(engine: Pick<Engine, "remoteHost">, address: string): string {
  const unspecified = address === "0.0.0.0" || address === "::";
  return unspecified ? (engine.remoteHost ?? "127.0.0.1") : address;
}

/** The command that forwards ports from a remote engine's loopback to ours. */
export function forwardCommand(
  engine: Pick<Engine, "address" | "remoteHost">,
  ports: PublishedPorts,
): string {
  const { address } = engine;
  const target =
    address.kind === "ssh"
      ? address
      : ({ kind: "ssh", host: engine.remoteHost ?? "", user: undefined, port: undefined } as const);
  const forwards = portList(ports).flatMap((port) => ["-L", `${port}:127.0.0.1:${port}`]);
  return [
    "ssh",
    "-N",
    ...forwards,
    ...sshArguments(target).filter((argument) => !/^(-T|-o|ConnectTimeout=.*|--)$/.test(argument)),
  ].join(" ");
}
