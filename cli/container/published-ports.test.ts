import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wantedPorts, withFreePorts } from "./published-ports.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-ports-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(content: unknown): string {
  const path = join(folder, "sandbox.json");
  writeFileSync(path, JSON.stringify(content));
  return path;
}

describe("published ports", () => {
  it("are the usual ones without a configuration, and otherwise the configured ones", () => {
    expect(wantedPorts(undefined)).toEqual({ server: 54321, layer1: 18730, runtime: 8933 });
    expect(wantedPorts(file({}))).toEqual({ server: 54321, layer1: 18730, runtime: 8933 });
    expect(
      wantedPorts(
        file({
          server_port: 1,
          layer1_node: { rpc_endpoint: "127.0.0.1:2" },
          runtime_node: { endpoint: "http://localhost:3" },
        }),
      ),
    ).toEqual({ server: 1, layer1: 2, runtime: 3 });
  });

  it("are read from files written for jstzd", () => {
    const jstzd = { octez_node: { rpc_endpoint: "0.0.0.0:2" }, jstz_node: { endpoint: "0.0.0.0:3" } };
    expect(wantedPorts(file(jstzd))).toEqual({ server: 54321, layer1: 2, runtime: 3 });
  });

  it("omit a part that runs elsewhere", () => {
    const layer1_node = { skipped: true, rpc_endpoint: "node.example:8732" };
    expect(wantedPorts(file({ layer1_node }))).toMatchObject({ layer1: undefined });
  });

  it.each([
    [
      "a loopback endpoint of a part that runs elsewhere",
      { layer1_node: { skipped: true, rpc_endpoint: "127.0.0.1:8732" } },
    ],
    ["a program that is not in the image", { runtime_node: { command: ["my-runtime"] } }],
    ["an invalid port", { server_port: "many" }],
    ["an invalid endpoint", { layer1_node: { rpc_endpoint: "::::" } }],
  ])("refuse %s", (_what, content) => {
    expect(() => wantedPorts(file(content))).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }) as Error,
    );
  });

  it("get a free port for each 0", async () => {
    const ports = await withFreePorts({ server: 0, layer1: undefined, runtime: 0 });
    expect(ports.server).toBeGreaterThan(0);
    expect(ports.runtime).toBeGreaterThan(0);
    expect(ports.runtime).not.toBe(ports.server);
    expect(ports.layer1).toBeUndefined();
  });
});
