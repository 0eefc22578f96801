import { expect, it, vi } from "vitest";
import type { CallTrace, OperationTrace } from "../../daemon/protocol/call-trace.ts";
import { OperationGas } from "./operation-gas.ts";

const call = (gas: number, calls: CallTrace[] = []): CallTrace => ({ gas, calls }) as unknown as CallTrace;
const trace = (of: CallTrace): OperationTrace =>
  ({ trace: { call: of, truncated: false } }) as unknown as OperationTrace;

it("reads the gas of the newest operations with that of nested calls, each once", async () => {
  const asked: string[] = [];
  let reads = 0;
  const gas = new OperationGas(
    async (hash) => (asked.push(hash), trace(call(1, [call(2), call(3, [call(4)])]))),
    () => reads++,
  );
  const hashes = Array.from({ length: 50 }, (_, i) => `h${i}`);
  gas.want(hashes);
  gas.want(hashes);
  await vi.waitUntil(() => reads === 1, { timeout: 20_000 });
  expect(asked).toEqual(hashes.slice(0, 30));
  expect([gas.of("h0"), gas.of("h29"), gas.of("h30")]).toEqual([10, 10, undefined]);
});

it("knows none for an operation without a call, or whose trace cannot be read, and asks no more", async () => {
  let asked = 0;
  let reads = 0;
  const gas = new OperationGas(
    (hash) => (asked++, hash === "gone" ? Promise.reject(new Error("no")) : Promise.resolve(undefined)),
    () => reads++,
  );
  gas.want(["deploy", "gone"]);
  await vi.waitUntil(() => reads === 1, { timeout: 20_000 });
  gas.want(["deploy", "gone"]);
  expect([gas.of("deploy"), gas.of("gone"), asked]).toEqual([undefined, undefined, 2]);
});
