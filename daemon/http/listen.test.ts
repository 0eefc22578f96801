import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { closeServer, listen } from "./listen.ts";
import { createServer as createHttpServer } from "./server.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const purpose = { purpose: "the test", configKey: "server_port" };

function server() {
  const made = createHttpServer({
    log: silent,
    name: "test",
    access: () => "own-site",
    adminSecret: undefined,
  });
  made.get("/", () => "here");
  return made;
}

const bind = (host: string, port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const made = createServer();
    made.once("error", () => resolve(undefined));
    made.listen({ host, port, exclusive: true }, () => resolve(made));
  });
// A machine without IPv6 has only one loopback address to answer on.
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

it.each(["127.0.0.1", "localhost"])(
  "answers on both loopback addresses at %s, and frees both",
  async (name) => {
    const made = server();
    const { port } = new URL(await listen(made, { host: name, port: 0, ...purpose }));
    for (const host of hasIpv6 ? ["127.0.0.1", "[::1]"] : ["127.0.0.1"]) {
      expect(await (await fetch(`http://${host}:${port}/`)).text()).toBe("here");
    }
    await closeServer(made, 100);
    for (const host of hasIpv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]) {
      const again = await bind(host, Number(port));
      expect(again !== undefined, host).toBe(true);
      again?.close();
    }
  },
);

it("starts when another program has the port on the other loopback address", async () => {
  const stranger = (await bind(hasIpv6 ? "::1" : "127.0.0.2", 0))!;
  const { port } = stranger.address() as { port: number };
  const made = server();
  expect(await listen(made, { host: "127.0.0.1", port, ...purpose })).toBe(`http://127.0.0.1:${port}`);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("here");
  await closeServer(made, 100);
  stranger.close();
});

it("names a port that is in use", async () => {
  const stranger = (await bind("127.0.0.1", 0))!;
  const { port } = stranger.address() as { port: number };
  await expect(listen(server(), { host: "127.0.0.1", port, ...purpose })).rejects.toMatchObject({
    code: "PORT_IN_USE",
    data: { port },
  });
  stranger.close();
});

it("reports a port that the system reserves as in use", async () => {
  const made = server();
  // Reserved ports differ between systems; the error they cause does not.
  made.listen = () =>
    Promise.reject(Object.assign(new Error("listen EACCES: permission denied"), { code: "EACCES" }));
  await expect(listen(made, { host: "127.0.0.1", port: 80, ...purpose })).rejects.toMatchObject({
    code: "PORT_IN_USE",
    data: { port: 80, key: "server_port" },
  });
  made.listen = () => Promise.reject(Object.assign(new Error("no such address"), { code: "EADDRNOTAVAIL" }));
  await expect(listen(made, { host: "127.0.0.1", port: 80, ...purpose })).rejects.toMatchObject({
    code: "EADDRNOTAVAIL",
  });
});
