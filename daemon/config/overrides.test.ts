import { expect, it } from "vitest";
import { withOverrides } from "./overrides.ts";
import { defaultConfig } from "./schema.ts";

const config = defaultConfig();

it("binds every server to an address and keeps the ports", () => {
  expect(withOverrides(config, { bind: "0.0.0.0" })).toMatchObject({
    server_host: "0.0.0.0",
    server_port: 54321,
    layer1_node: { rpc_endpoint: "0.0.0.0:18730" },
    runtime_node: { endpoint: "0.0.0.0:8933" },
  });
  expect(withOverrides(config, { bind: "::1" }).layer1_node.rpc_endpoint).toBe("[::1]:18730");
});

it("sets ports and keeps the addresses", () => {
  const ports = { server: 1, layer1: 2, runtime: 3 };
  expect(withOverrides(config, { ports })).toMatchObject({
    server_host: "127.0.0.1",
    server_port: 1,
    layer1_node: { rpc_endpoint: "127.0.0.1:2" },
    runtime_node: { endpoint: "127.0.0.1:3" },
  });
});

it("uses free ports for all but a part that runs elsewhere", () => {
  const layer1_node = { ...config.layer1_node, skipped: true, rpc_endpoint: "node.example:8732" };
  expect(withOverrides({ ...config, layer1_node }, { freePorts: true, bind: "0.0.0.0" })).toMatchObject({
    server_port: 0,
    layer1_node: { rpc_endpoint: "node.example:8732" },
    runtime_node: { endpoint: "0.0.0.0:0" },
  });
});

it("allows the public host, from the command line and from the configuration", () => {
  expect(withOverrides(config, { publicHost: "Sandbox.example" })).toMatchObject({
    public_host: "Sandbox.example",
    allowed_hosts: ["sandbox.example"],
  });
  expect(withOverrides({ ...config, public_host: "box" }, {}).allowed_hosts).toEqual(["box"]);
  expect(withOverrides(config, {})).toEqual(config);
});
