import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { httpRequestText, linesOf } from "./http-json.ts";

/** A response that arrives in these chunks. */
async function* arriving(chunks: readonly string[]): AsyncGenerator<string> {
  for (const chunk of chunks) yield Promise.resolve(chunk);
}
const streamOf = (chunks: readonly string[]) =>
  Object.assign(arriving(chunks), { setEncoding: () => undefined as never });

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

it("yields the lines of a stream, however it is chunked", async () => {
  const text = fc.stringMatching(/^[ab\n]{0,40}$/);
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 40 })), async (whole, cuts) => {
      const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, i) => whole.slice(places[i], end));
      const expected = whole.split("\n");
      if (expected.at(-1) === "") expected.pop();
      expect(await all(linesOf(streamOf(chunks)))).toEqual(expected);
    }),
  );
});

it("aborts a stream whose line does not end", async () => {
  const endless = Array.from({ length: 20 }, () => "x".repeat(10));
  await expect(all(linesOf(streamOf(endless), 100))).rejects.toThrow("more than 100 characters");
  expect(
    (await all(linesOf(streamOf([...endless.slice(0, 10), "\n", ...endless.slice(0, 10)]), 100))).length,
  ).toBe(2);
});

it("aborts a response that does not end", async () => {
  const piece = Buffer.alloc(4 * 1024 * 1024, "x");
  const server = createServer((_request, response) => {
    const more = () => {
      while (response.write(piece));
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await expect(httpRequestText(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "ANSWER_MALFORMED",
      data: { reason: expect.stringContaining("bytes") },
    });
    const together = Array.from({ length: 12 }, () =>
      httpRequestText(`http://127.0.0.1:${port}/`, { maxBytes: 2 ** 40 }).catch((error: unknown) => error),
    );
    const before = process.memoryUsage().rss;
    const one = await Promise.race(together);
    expect(one).toMatchObject({
      code: "NETWORK_UNREACHABLE",
      data: { reason: "other answers take too much memory" },
    });
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(250);
    server.closeAllConnections();
    await Promise.all(together);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it("aborts a response that trickles", async () => {
  const server = createServer((_request, response) => {
    const trickle = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(trickle));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await expect(httpRequestText(`http://127.0.0.1:${port}/`, { timeoutMs: 100 })).rejects.toMatchObject({
      code: "NETWORK_UNREACHABLE",
      data: { reason: "no whole answer within 0.4 s" },
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it("ends when the server switches to another protocol", async () => {
  const server = createServer().on("connection", (socket) =>
    socket.once("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await expect(httpRequestText(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
    code: "NETWORK_UNREACHABLE",
    data: { reason: "it ended the connection without an answer" },
  });
  server.close();
});
