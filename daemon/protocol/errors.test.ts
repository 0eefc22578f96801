import { expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "./constants.ts";
import { errorInBody, isError, SandboxError } from "./errors.ts";

const { secretKey } = BOOTSTRAP_ACCOUNTS[1];

it.each([
  secretKey,
  `{"user":{"secret_key":"${secretKey}"}}`,
  secretKey.slice(0, 20),
  `(${secretKey})`,
  `${secretKey}${secretKey}`,
])("never repeats a secret key that was found: %#", (found) => {
  const place = { file: "f", line: 1, column: 1, found, expected: "x" };
  const error = new SandboxError("CONFIG_INVALID", place);
  const shown = JSON.stringify(error.toBody()) + String(error);
  expect(shown).not.toContain(secretKey.slice(0, 12));
  expect(shown).toContain("edsk…");
});

it.each([
  ["it ended.", "The sandbox did not start: it ended."],
  ["it ended", "The sandbox did not start: it ended."],
  ["why?", "The sandbox did not start: why?"],
  ["and so on...", "The sandbox did not start: and so on...."],
])("ends a message with one full stop, with the reason %j", (reason, message) => {
  expect(new SandboxError("SANDBOX_START_FAILED", { reason }).message).toBe(message);
});

it("leaves other texts unchanged", () => {
  const { address, publicKey } = BOOTSTRAP_ACCOUNTS[1];
  expect(new SandboxError("UNKNOWN_ALIAS", { found: address }).message).toContain(address);
  expect(new SandboxError("UNKNOWN_ALIAS", { found: publicKey }).message).toContain(publicKey);
});

it("carries its data over HTTP, with amounts as texts and without secrets", () => {
  const data = { what: `a deposit of ${secretKey}`, reason: "x", status: 1n };
  const error = new SandboxError("OPERATION_FAILED", data);
  const text = JSON.stringify(error.toBody());
  expect(text).not.toContain(secretKey.slice(0, 12));
  const received = errorInBody(text)!;
  expect(received).toMatchObject({ code: "OPERATION_FAILED", message: error.message, next: error.next });
  expect(received.data).toMatchObject({ reason: "x", status: "1" });
  // An older server sends no data.
  const older = { ...error.toBody().error, data: undefined };
  expect(errorInBody(JSON.stringify({ error: older }))).toMatchObject({ code: "OPERATION_FAILED", data: {} });
});

it("is identified by its code", () => {
  const error: unknown = new SandboxError("NOT_LOGGED_IN");
  expect([isError(error, "NOT_LOGGED_IN"), isError(error, "CANCELLED")]).toEqual([true, false]);
  expect(isError(new Error("NOT_LOGGED_IN"), "NOT_LOGGED_IN")).toBe(false);
});
