import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringifyExact } from "../../protocol/exact-json.ts";
import {
  type OperationContent,
  operationHash,
  operationHashHex,
  operationPreimage,
  type RunFunction,
  signOperation,
} from "../../protocol/runtime-operation.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import { randomSecretKey } from "../../tezos/keys.ts";
import { engineDirectory } from "../test-node.ts";
import { readOperation } from "./read-operation.ts";
import { ReadingThread, SMALL_BODY } from "./reading-thread.ts";

const KEY = randomSecretKey();
const present = (): boolean => false;

let thread: ReadingThread;
beforeAll(async () => {
  thread = new ReadingThread(engineDirectory());
});
afterAll(() => thread.stop());

function bodyOf(content: OperationContent): Buffer {
  return Buffer.from(
    stringifyExact(signOperation({ publicKey: KEY.publicKey.text, nonce: 0n, content }, KEY)),
  );
}
const run = (length: number): RunFunction => ({
  _type: "RunFunction",
  uri: "jstz://KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ/",
  method: "POST",
  headers: { a: '\u4e00\t"x', b: ["1", "2"] },
  body: randomBytes(length).toString("base64"),
  gasLimit: 1n,
});

describe("operations", () => {
  it("small and large have the hash that was signed", async () => {
    const chunk = 64 * 1024;
    for (const length of [0, 1, 2, 1000, chunk - 1, chunk, chunk + 1, 3 * chunk + 7, 2_000_000]) {
      const body = bodyOf(run(length));
      const reading = await thread.read("signed", body, present);
      const here = readOperation("signed", body, false);
      expect(reading, String(length)).toEqual(here);
      expect(reading, String(length)).toMatchObject({
        value: { refusal: null, sender: KEY.publicKey.address },
      });
      expect(body.length > SMALL_BODY, String(length)).toBe(length > chunk + 1);
    }
  });

  it("have the same hash in chunks as in one piece", () => {
    for (const length of [0, 1, 9, 10, 99, 100, 255, 256, 65_535, 65_536, 65_537, 200_000]) {
      const operation = { publicKey: KEY.publicKey.text, nonce: 7n, content: run(length) };
      expect(operationHash(operation)).toEqual(blake2b256(operationPreimage(operation)));
      const { body } = operation.content as { body: string };
      const list = [...Buffer.from(body, "base64")].join(", ");
      expect(operationPreimage(operation).endsWith(`HttpBody(Some([${list}]))`)).toBe(true);
    }
  });

  it("with more headers than the real runtime accepts are rejected", () => {
    const headers = Object.fromEntries(Array.from({ length: 32_769 }, (_, index) => [`a${index}`, ""]));
    const content = { ...run(0), headers };
    expect(readOperation("signed", bodyOf(content), false)).toMatchObject({ status: 422 });
    const list = { a: Array.from({ length: 32_769 }, () => "") };
    expect(readOperation("signed", bodyOf({ ...run(0), headers: list }), false)).toMatchObject({
      status: 422,
    });
    delete headers["a0"];
    expect(readOperation("signed", bodyOf({ ...content, headers }), false)).toHaveProperty("value");
  });

  it("that are lists of long integers are not parsed to their end", () => {
    const body = Buffer.from(`{"inner":[${"12345678901234567890,".repeat(1_001)}0]}`);
    expect(readOperation("signed", body, false)).toMatchObject({ status: 400 });
  });

  it("that nest or branch without end are not parsed to their end", () => {
    for (const text of [`${"[".repeat(5_000_000)}`, `[${"{},".repeat(100_000)}{}]`]) {
      const reading = readOperation("signed", Buffer.from(text), false);
      expect(reading).toMatchObject({ status: 400, text: expect.stringContaining("100000 lists") as string });
    }
    const names = Array.from({ length: 40_000 }, (_, index) => `"${index}":0`);
    expect(readOperation("signed", Buffer.from(`{${names.join()}}`), false)).toMatchObject({
      status: 400,
      text: expect.stringContaining("names in objects") as string,
    });
    // Brackets in texts are not lists.
    const content = {
      _type: "DeployFunction",
      functionCode: '[{:\\"'.repeat(60_000),
      accountCredit: 0n,
    } as const;
    expect(readOperation("signed", bodyOf(content), false)).toHaveProperty("value");
  });
});

describe("the thread", () => {
  it("returns only the hash, equal to the client's", async () => {
    for (const length of [0, 150_000, 300_000]) {
      const operation = { publicKey: KEY.publicKey.text, nonce: 1n, content: run(length) };
      const body = Buffer.from(stringifyExact(operation));
      expect(await thread.read("hash", body, present)).toEqual({ value: operationHashHex(operation) });
    }
  });

  it("rejects large bodies like small ones", async () => {
    const padding = " ".repeat(SMALL_BODY);
    for (const text of ["{", "[]", '{"inner":{}}', `{"a":${"[".repeat(100_000)}`]) {
      const large = await thread.read("hash", Buffer.from(padding + text), present);
      expect(large).toMatchObject({ status: text.startsWith("[") || text.includes("inner") ? 422 : 400 });
    }
  });

  it("skips bodies whose client has disconnected", async () => {
    const body = bodyOf(run(500_000));
    const first = thread.read("signed", body, present);
    const second = thread.read("signed", body, () => true);
    const third = thread.read("hash", Buffer.from(`${" ".repeat(SMALL_BODY)}[]`), present);
    expect(await second).toBeUndefined();
    expect(await first).toHaveProperty("value");
    expect(await third).toMatchObject({ status: 422 });
  });

  it("reads small bodies before large ones, and starves none", async () => {
    const order: string[] = [];
    const read = async (name: string, length: number): Promise<void> => {
      await thread.read("signed", bodyOf(run(length)), present);
      order.push(name);
    };
    const all = [
      read("first", 1_000_000),
      ...[1, 2, 3].map((n) => read(`large ${n}`, 2_000_000 + n)),
      ...[1, 2, 3, 4, 5, 6].map((n) => read(`small ${n}`, 200_000)),
    ];
    await Promise.all(all);
    expect(order[0]).toBe("first");
    expect(order.indexOf("small 1")).toBeLessThan(order.indexOf("large 2"));
    expect(order.indexOf("large 1")).toBeLessThan(order.indexOf("small 6"));
  });

  it("that cannot read reports that it is busy, and the next body gets a new one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "reader-"));
    writeFileSync(join(folder, "operation-reader.cjs"), `throw new Error("no room");`);
    const broken = new ReadingThread(folder);
    try {
      const body = bodyOf(run(500_000));
      const both = [broken.read("signed", body, present), broken.read("signed", body, present)];
      for (const reading of both) await expect(reading).rejects.toMatchObject({ code: "SERVER_BUSY" });
      writeFileSync(
        join(folder, "operation-reader.cjs"),
        `require("node:worker_threads").parentPort.on("message", function () { this.postMessage({ status: 1, text: "" }); });`,
      );
      expect(await broken.read("signed", body, present)).toEqual({ status: 1, text: "" });
    } finally {
      await broken.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
