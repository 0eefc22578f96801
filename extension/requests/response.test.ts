import { describe, expect, it } from "vitest";
import { costOf, looksOf } from "./response.ts";

const response = (body: string | Uint8Array | null, type?: string) => ({
  operation: "ab",
  statusCode: 200,
  headers: type === undefined ? {} : { "content-type": type, "set-cookie": ["a=1", "b=2"] },
  body: body === null ? null : Buffer.from(body).toString("base64"),
});
const text = (file: { readonly bytes: Uint8Array } | undefined) => file && Buffer.from(file.bytes).toString();

describe("a response", () => {
  it("shows the body as it was sent, and on demand indented JSON with exact numbers", () => {
    const sent = '{"n":9007199254740993,"f":1.0,"dup":1,"dup":2}';
    const { body, pretty } = looksOf(response(sent, "application/json"));
    expect([body.name, text(body)]).toEqual(["body.json", sent]);
    expect(text(pretty)).toBe('{\n  "n": 9007199254740993,\n  "f": 1.0,\n  "dup": 1,\n  "dup": 2\n}\n');
  });

  it.each([
    ['{"looks":"like json"}', "text/plain", "body.json"],
    ["plain", "text/plain", "body.txt"],
    ['"quoted"', "application/json", "body.json"],
    ["{broken", "application/json", "body.json"],
    ["<p>", "text/html; charset=utf-8", "body.html"],
    ["a,b", "text/csv", "body.csv"],
    ["x", "application/vnd.api+json", "body.json"],
    ["é".repeat(200_000), "", "body.txt"],
  ])("%j of %j is %s", (sent, type, name) => {
    const { body } = looksOf(response(sent, type));
    expect([body.name, text(body) === sent]).toEqual([name, true]);
  });

  it("has no other view of broken JSON", () => {
    expect(looksOf(response("{broken", "application/json")).pretty).toBeUndefined();
  });

  it("recognises images by their bytes, not by their media type", () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff]);
    expect(looksOf(response(png, "image/png")).body).toMatchObject({
      name: "body.png",
      bytes: Buffer.from(png),
    });
    const other = Uint8Array.from([0xff, 0x00]);
    const { body, hex } = looksOf(response(other, "image/png"));
    expect(body.name).toBe("body.bin");
    expect(text(hex)).toBe(`00000000  ff 00${" ".repeat(42)}  ..\n`);
  });

  it("lists one header per line, including repeated ones", () => {
    expect(text(looksOf(response("x", "a/b")).headers)).toBe(
      "200\ncontent-type: a/b\nset-cookie: a=1\nset-cookie: b=2\n",
    );
  });

  it("without a body is empty", () => {
    expect(text(looksOf(response(null)).body)).toBe("");
  });
});

it("truncates a long hex dump", () => {
  const { hex } = looksOf(response(new Uint8Array(300_000).fill(255)));
  expect(text(hex)?.split("\n").at(-2)).toBe("… 37856 further bytes");
});

it("adds up what a call costs", () => {
  const call = { gas: 3, durationMs: 1.5, calls: [{ gas: 4, calls: [] }] };
  expect(costOf({ trace: { call, truncated: false } } as never)).toEqual({ gas: 7, ms: 1.5 });
  expect(costOf(undefined)).toBeUndefined();
});
