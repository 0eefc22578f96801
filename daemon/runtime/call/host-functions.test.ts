import { describe, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS, EXCHANGER_ADDRESS } from "../../protocol/constants.ts";
import { mutez } from "../../tezos/mutez.ts";
import { Ledger } from "../ledger/ledger.ts";
import { Transaction } from "../ledger/transaction.ts";
import { callHostFunction, hostFunctionGas } from "./host-functions.ts";
import type { CallRequest, CallResponse } from "./http-message.ts";

const { address } = BOOTSTRAP_ACCOUNTS[0];
const request = (body: string): CallRequest => ({
  url: "jstz://jstz/withdraw",
  method: "POST",
  headers: [],
  body,
});

function withdraw(body: string, path = "/withdraw", { strict = false, topLevel = false } = {}): CallResponse {
  const transaction = new Transaction(new Ledger());
  transaction.credit(address, mutez(10n));
  const state = { dirty: false, withdrawals: 0, world: { exchangerAddress: EXCHANGER_ADDRESS, strict } };
  const caller = { address, transaction, topLevel };
  return callHostFunction(state, caller, request(body), path, () => undefined);
}
const pad = (length: number): string => `{"amount":3,"receiver":"${address}","more":"${"x".repeat(length)}"}`;

describe("a body of a withdrawal", () => {
  it("is read", () => {
    expect(withdraw(pad(0)).status).toBe(200);
    expect(withdraw(pad(10_000)).status).toBe(200);
  });

  it.each(["/withdraw", "/fa-withdraw"])("of %s is not read beyond the size limit", (path) => {
    expect(withdraw(pad(21_000), path)).toMatchObject({
      status: 400,
      body: expect.stringContaining("20480") as string,
    });
    expect(withdraw(pad(20_000_000), path).status).toBe(400);
  });

  it("is not parsed to its end beyond the limits of its content", () => {
    const names = Array.from({ length: 40 }, (_, index) => `"${index}":0`).join();
    expect(withdraw(`{"amount":3,"receiver":"${address}",${names}}`).status).toBe(400);
    expect(withdraw(`{"amount":3,"receiver":"${address}","more":[${"[],".repeat(20)}0]}`).status).toBe(400);
  });

  it("costs gas for each byte that is read", () => {
    expect(hostFunctionGas(request("x".repeat(1_000)))).toBe(10n * hostFunctionGas(request("x".repeat(100))));
    expect(hostFunctionGas(request("x".repeat(1e6)))).toBe(hostFunctionGas(request("x".repeat(20_480))));
  });
});

it.each(["/withdraw", "/fa-withdraw"])("has no %s when it is strict", (path) => {
  const body = `{"amount":3,"receiver":"${address}"}`;
  expect(withdraw(body, path, { strict: true })).toMatchObject({ status: 404, body: "Not Found" });
  expect(withdraw(body, path, { strict: true, topLevel: true })).toMatchObject({
    status: 400,
    body: "Withdrawals are not supported yet",
  });
});
