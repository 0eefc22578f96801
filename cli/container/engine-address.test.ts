import { describe, expect, it } from "vitest";
import { AddressProblem, addressText, parseEngineAddress, remoteHost } from "./engine-address.ts";

describe("engine addresses", () => {
  it.each([
    ["unix:///var/run/docker.sock", "unix:///var/run/docker.sock"],
    ["/run/podman/podman.sock", "unix:///run/podman/podman.sock"],
    ["npipe:////./pipe/docker_engine", "npipe:////./pipe/docker_engine"],
    ["npipe://\\\\.\\pipe\\docker_engine", "npipe:////./pipe/docker_engine"],
    ["tcp://10.0.0.5:2375", "tcp://10.0.0.5:2375"],
    ["10.0.0.5:2375", "tcp://10.0.0.5:2375"],
    ["tcp://build.example", "tcp://build.example:2375"],
    ["https://build.example", "tcp://build.example:2376"],
    ["tcp://[::1]:2375", "tcp://[::1]:2375"],
    ["ssh://ana@build.example:2222", "ssh://ana@build.example:2222"],
    ["ssh://alias-of-config", "ssh://alias-of-config"],
  ])("reads %s", (text, expected) => {
    expect(addressText(parseEngineAddress(text))).toBe(expected);
  });

  it.each([
    "",
    "unix://",
    "ftp://x",
    "tcp://",
    "tcp://h:99999",
    "ssh://-oProxyCommand=x",
    "ssh://-l@host",
    "a b",
  ])("refuses %j", (text) => {
    expect(() => parseEngineAddress(text)).toThrow(AddressProblem);
  });

  it("uses TLS where certificates are given", () => {
    expect(parseEngineAddress("tcp://build.example", { ca: Buffer.from("x") })).toMatchObject({ port: 2376 });
  });

  it.each([
    ["unix:///var/run/docker.sock", undefined],
    ["tcp://localhost:2375", undefined],
    ["tcp://127.0.0.1:2375", undefined],
    ["tcp://build.example", "build.example"],
    ["ssh://ana@build.example", "build.example"],
  ])("knows whether %s is another machine", (text, expected) => {
    expect(remoteHost(parseEngineAddress(text))).toBe(expected);
  });
});
